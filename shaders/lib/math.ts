/**
 * @file Functions that WGSL lacks or leaves inaccurate. `mathFunctions` gives those that a piece of source calls.
 *
 * WGSL compilers may assume that NaN and infinity don't occur, so tests for them go through the bits.
 */

interface MathFunction {
  source: string;
  /** Other functions of this table that it calls. */
  uses?: readonly string[];
}

const functions: Record<string, MathFunction> = {
  // NaN by its bits: `x != x` may be folded to false.
  is_nan: {
    source: `
fn is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}`,
  },
};

/** The functions of the table that `source` calls, each once, callees first. */
export function mathFunctions(source: string): string {
  const needed = new Set<string>();
  const visit = (name: string) => {
    if (needed.has(name)) return;
    for (const callee of functions[name]?.uses ?? []) visit(callee);
    needed.add(name);
  };
  for (const name of Object.keys(functions)) if (new RegExp(`\\b${name}\\(`).test(source)) visit(name);
  return [...needed].map((name) => functions[name]?.source).join('\n');
}
