/**
 * @file Elementwise steps that take the place of another kernel's stores: its values stay in registers, and what is stored has
 * the bits of separate launches.
 */
import { type OperandLayout, readsVectors } from './elementwise.ts';
import { type MathFunction, writtenMath } from './lib/math/define.ts';
import { type FusedSteps, readScalars, stepFunction, stepValues, valuesAcrossSteps } from './fusedSteps.ts';

/** `inputs` are read at the index that is stored, or as their only value; `aligned` has no meaning. */
export type FollowingSteps = FusedSteps & {
  /** The input that is the kernel's own value. */
  readonly value: number;
  /** Indices of the steps whose values are stored, in the order of the outputs. */
  readonly outputs: readonly number[];
  /** Of each input, the binding that has it. */
  readonly bindings: readonly string[];
  /** Elements of a store. */
  readonly width: 1 | 4;
  /** The binding where the kernel's own value is stored as well; empty where nothing else reads it. */
  readonly keeps: string;
};

/** The program that `source` makes of the body of `store`, with the functions of the steps. */
export function followingSource(following: FollowingSteps, source: (store: string) => string): string {
  const { steps, width } = following;
  const program = source(followingStore(following));
  const expressions = steps.map(({ expression }) => expression).join(' ');
  return `${missingMath(expressions, program)}
${steps.map(stepFunction).join('\n\n')}
${valuesAcrossSteps(width)}
${program}`;
}

/** The functions that `text` calls and `program` doesn't declare, callees first. */
function missingMath(text: string, program: string): string {
  const missing = new Set<string>();
  const visit = ({ calls, declaration }: MathFunction) => {
    calls.forEach(visit);
    if (!program.includes(declaration)) missing.add(declaration);
  };
  for (const [, name] of text.matchAll(/\b(\w+)\(/g)) {
    const math = writtenMath(name as string);
    if (math) visit(math);
  }
  return [...missing].join('\n');
}

/** The body of `store(at, value)`. */
function followingStore(following: FollowingSteps): string {
  const { inputs, steps, outputs, bindings, value, width, keeps } = following;
  const loads = inputs.map(({ layout }, i) => {
    if (i === value) return `let i${i} = rounded(value);`;
    return `let i${i} = ${bindings[i]}[${layout === 'scalar' ? '0' : 'at'}];`;
  });
  const stores = outputs.map((step, i) => `out_${i}[at] = v${step};`);
  const kept = keeps ? `${keeps}[at] = value;` : '';
  return [readScalars(steps), kept, ...loads, stepValues(following, width), ...stores]
    .filter(Boolean)
    .join('\n  ');
}

/** The type of an element of input or output `type`, as it is bound. */
export const followingElement = (type: string, layout: OperandLayout, width: 1 | 4) =>
  readsVectors(layout, width) ? `vec4<${type}>` : type;
