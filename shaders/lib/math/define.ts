/**
 * @file WGSL functions as values: text that calls one is written with it, and so brings it along. A program holds the
 * functions that it calls, and no others.
 */

/** A function. Called with WGSL expressions it gives the text of a call: `relu('a + b')` is `relu(a + b)`. */
export interface MathFunction {
  (...operands: readonly string[]): string;
  /** Its name in WGSL, which no shader may declare itself. */
  readonly wgslName: string;
  /** Functions that its declaration calls. */
  readonly calls: readonly MathFunction[];
  readonly declaration: string;
}

/** Functions of which a call was written. */
const written = new Map<string, MathFunction>();

/* @__NO_SIDE_EFFECTS__ */
export function defineMath(
  wgslName: string,
  calls: readonly MathFunction[],
  declaration: string,
): MathFunction {
  const call = (...operands: readonly string[]) => {
    written.set(wgslName, math);
    return `${wgslName}(${operands.join(', ')})`;
  };
  const math: MathFunction = Object.assign(call, { wgslName, calls, declaration });
  return math;
}

/**
 * The declarations of the functions that `text` calls and of `others`, with those of what they call in turn: each once,
 * callees first.
 */
export function mathFunctions(text: string, others: readonly MathFunction[] = []): string {
  const needed = new Set<MathFunction>();
  const visit = (math: MathFunction | undefined) => {
    if (!math || needed.has(math)) return;
    math.calls.forEach(visit);
    needed.add(math);
  };
  for (const [, name] of text.matchAll(/\b(\w+)\(/g)) visit(written.get(name as string));
  others.forEach(visit);
  return [...needed].map(({ declaration }) => declaration).join('\n');
}
