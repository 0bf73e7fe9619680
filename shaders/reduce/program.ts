/** @file What both forms of a reduction declare: how elements become accumulators, how these fold, and what is written. */
import { mathFunctions } from '../lib/math.ts';
import { flatIndex } from '../lib/indexing.ts';
import type { LineOrder } from '../lib/lanes.ts';
import { wgsl } from '../lib/wgsl.ts';

export type ReduceOptions = {
  /** WGSL type of an element of x. */
  input: string;
  /** WGSL type of what is folded. */
  accumulator: string;
  /** WGSL expression of the neutral accumulator; may read `params.initial`, a word of bits. */
  initial: string;
  /** Expression of two accumulators `a` and `b`. */
  combine: string;
  /** The accumulator of one element, an expression of `value` and its position `k` along the axis. */
  prepare: string;
  /** Results, as expressions of the folded accumulator `a`; may read `params.length`, the number of elements as f32. */
  finish: readonly string[];
  /** WGSL type of each result. */
  results: readonly string[];
  order: LineOrder;
  /**
   * Elements read at once. Several are neighbours: those of one line where lines are `rows`, of as many lines, which an
   * invocation folds in one loop, where they are `columns`. Sixteen, and of columns twice as many, are for the serial
   * form, and for floats.
   */
  width: 1 | 4 | 16 | 32;
  /** Lines that an invocation of the serial form folds in one loop where it reads single elements. */
  abreast: 1 | 4;
  workgroup: number;
  /** Invocations that share a line. */
  lanes: number;
  /** Whether one invocation folds one line, or several in one loop. */
  serial: boolean;
  /** Whether there is more than one chunk. */
  split: boolean;
};

/** What x is bound as. */
export function elementsOf({ input, width }: Pick<ReduceOptions, 'input' | 'width'>): string {
  // A matrix is the largest thing that is read by one checked index.
  return { 1: input, 4: `vec4<${input}>`, 16: 'mat4x4<f32>', 32: 'mat4x4<f32>' }[width];
}

/** WGSL that declares `value`, what lies at `at`. */
export function readValue({ width }: ReduceOptions): string {
  if (width < 32) return 'let value = x[at];';
  return 'let value_low = x[2u * at];\n    let value_high = x[2u * at + 1u];';
}

/** The elements of `value`, as expressions. */
export function componentsOf({ width }: ReduceOptions, value: string): string[] {
  const vector = (from: string) => ['x', 'y', 'z', 'w'].map((component) => `${from}.${component}`);
  const matrix = (from: string) => [0, 1, 2, 3].flatMap((column) => vector(`${from}[${column}]`));
  if (width === 32) return [...matrix(`${value}_low`), ...matrix(`${value}_high`)];
  if (width === 16) return matrix(value);
  return width === 4 ? vector(value) : [value];
}

/** Lines that an invocation folds in one loop. */
export function linesAbreast({ order, width, abreast }: ReduceOptions): number {
  return order === 'columns' && width > 1 ? width : abreast;
}

/** The functions `prepare`, `combine` and `finish_<i>`. */
export function declarations({
  input,
  accumulator,
  initial,
  prepare,
  combine,
  finish,
  results,
}: ReduceOptions): string {
  const finishers = results.map(
    (type, i) => `
fn finish_${i}(a: ${accumulator}) -> ${type} {
  return ${type}(${finish[i]});
}`,
  );
  return wgsl`
${flatIndex}
${mathFunctions([initial, prepare, combine, ...finish].join(' '))}
fn prepare(value: ${input}, k: u32) -> ${accumulator} {
  return ${prepare};
}

fn combine(a: ${accumulator}, b: ${accumulator}) -> ${accumulator} {
  return ${combine};
}
${finishers.join('\n')}
`;
}

/** Writes the results of line i of those abreast, from `folded`. */
export function write(options: ReduceOptions, i: number, folded: string): string {
  const first = options.abreast > 1 ? 'line' : `${linesAbreast(options)}u * line`;
  return options.results
    .map((_, result) => `out_${result}[${first} + ${i}u] = finish_${result}(${folded});`)
    .join('\n  ');
}
