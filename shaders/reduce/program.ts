/** @file Common declarations of both forms of a reduction: prepare, combine and finish accumulators, and write results. */
import { mathFunctions } from '../lib/math.ts';
import { flatIndex } from '../lib/indexing.ts';
import type { LineOrder } from '../lib/lanes.ts';
import { wgsl } from '../lib/wgsl.ts';

/** What an operand has values for: every element (like x), every line, or every position along the axis. */
export type ReduceOperand = 'elements' | 'lines' | 'positions';

export const reduceOperandNames = ['b', 'c', 'd'] as const;

export type ReduceOptions = {
  /** WGSL type of an element of x. */
  input: string;
  /** WGSL type of accumulators. */
  accumulator: string;
  /** WGSL expression of the neutral accumulator; may read `params.initial`, a word of bits. */
  initial: string;
  /** Expression of two accumulators `a` and `b`. */
  combine: string;
  /** The same for the serial form where `a` is of elements before those of `b`, and not neutral, if that is cheaper. */
  combineOrdered?: string;
  /** The accumulator of one element, an expression of `value`, its position `k` along the axis, and the operands. */
  prepare: string;
  /** The accumulator of four elements `a`, `b`, `c` and `d`, if that is cheaper than combining four accumulators; else empty. */
  prepareFour: string;
  /** Further operands that `prepare` reads as `b`, `c` and `d`: floats. Only with a width of 1 or 4. */
  operands: readonly ReduceOperand[];
  /** Results, as expressions of the final accumulator `a`; may read `params.length`, the number of elements as f32. */
  finish: readonly string[];
  /** WGSL type of each result. */
  results: readonly string[];
  order: LineOrder;
  /**
   * Elements per read. Several are adjacent in memory: of one line if lines are `rows`; of as many lines, which an
   * invocation reduces in one loop, if they are `columns`. Sixteen (32 for columns) are only for floats in the serial form.
   */
  width: 1 | 4 | 16 | 32;
  /** Lines that an invocation of the serial form reduces in one loop if it reads single elements. */
  linesPerLoop: 1 | 4 | 16;
  /** Reads of each line in an iteration: of the serial form, or of a lane. */
  reads: number;
  workgroup: number;
  /** Invocations that share a line. */
  lanes: number;
  /** Whether rows are combined through subgroups. */
  subgroups: boolean;
  /** Whether lines are reduced serially: one invocation reduces one line, or several in one loop. */
  serial: boolean;
  /** Whether there is more than one chunk. */
  split: boolean;
};

/** What the WGSL depends on. */
export type ReduceProgram = ReduceOptions & {
  /** If the elements of x are computed instead of read from x (see fusedReduce). */
  readonly computed?: ComputedElements;
};

/** Elements of x that `x_at`, which is declared elsewhere, computes from their index. */
export type ComputedElements = {
  /** The WGSL expressions that it calls. */
  readonly expressions: string;
  /** Declares what all elements have in common. */
  readonly shared: string;
  /** The names of that, which follow the index as arguments. */
  readonly names: readonly string[];
};

/** Returns the element type with which x is bound. */
export function elementsOf({ input, width }: Pick<ReduceOptions, 'input' | 'width'>): string {
  // A matrix is the largest type that can be read with one bounds check.
  return { 1: input, 4: `vec4<${input}>`, 16: 'mat4x4<f32>', 32: 'mat4x4<f32>' }[width];
}

/** Returns the element type with which an operand is bound: vectors if it is read along with vectors of x. */
export function operandElement(
  operand: ReduceOperand,
  { order, width }: Pick<ReduceOptions, 'order' | 'width'>,
): string {
  const isAlong = operand === 'elements' || (operand === 'lines') === (order === 'columns');
  return isAlong && width === 4 ? 'vec4<f32>' : 'f32';
}

/**
 * WGSL that declares `<name>`, the value at `at`, and the operands of position `k` as `<name>_b` and so on; those along positions only
 * with `positions`, since lines that are read together share them.
 */
export function readValue(
  { width, operands, computed }: ReduceProgram,
  name: string,
  at: string,
  k: string,
  positions = true,
): string {
  const x = (index: string) => (computed ? `x_at(${[index, ...computed.names].join(', ')})` : `x[${index}]`);
  if (width === 32)
    return `let ${name}_low = ${x(`2u * ${at}`)};
    let ${name}_high = ${x(`2u * ${at} + 1u`)};`;
  const others = operands.map((operand, i) => {
    const operandName = reduceOperandNames[i];
    if (operand === 'lines' || (operand === 'positions' && !positions)) return '';
    return `let ${name}_${operandName} = ${operandName}_values[${operand === 'elements' ? at : k}];`;
  });
  return [`let ${name} = ${x(at)};`, ...others.filter((text) => text !== '')].join('\n    ');
}

/** WGSL that declares the operands that have one value for each line, from the line's index: `b_line<suffix>` and so on. */
export function readLineOperands({ operands }: ReduceOptions, line: string, suffix = ''): string {
  return operands
    .map((operand, i) => {
      const name = reduceOperandNames[i];
      return operand === 'lines' ? `let ${name}_line${suffix} = ${name}_values[${line}];` : '';
    })
    .filter((text) => text !== '')
    .join('\n  ');
}

/**
 * The operands of component i of `name`, as arguments of `prepare`: those along positions belong to `first`, those of its line have
 * `suffix`.
 */
export function operandsOf(
  { operands, order, width }: ReduceOptions,
  name: string,
  i: number,
  first = name,
  suffix = '',
): string {
  return operands
    .map((operand, o) => {
      const operandName = reduceOperandNames[o];
      const own = {
        elements: `${name}_${operandName}`,
        positions: `${first}_${operandName}`,
        lines: `${operandName}_line${suffix}`,
      }[operand];
      const isVector = operandElement(operand, { order, width }).startsWith('vec');
      return `, ${own}${isVector ? `.${'xyzw'[i]}` : ''}`;
    })
    .join('');
}

/** The elements of `value`, as expressions. */
export function componentsOf({ width }: ReduceOptions, value: string): string[] {
  const vector = (from: string) => ['x', 'y', 'z', 'w'].map((component) => `${from}.${component}`);
  const matrix = (from: string) => [0, 1, 2, 3].flatMap((column) => vector(`${from}[${column}]`));
  if (width === 32) return [...matrix(`${value}_low`), ...matrix(`${value}_high`)];
  if (width === 16) return matrix(value);
  return width === 4 ? vector(value) : [value];
}

/** Lines that an invocation reduces in one loop. */
export function linesPerInvocation({ order, width, linesPerLoop }: ReduceOptions): number {
  return order === 'columns' && width > 1 ? width : linesPerLoop;
}

/** The functions `prepare`, `combine` and `finish_<i>`. */
export function declarations({
  input,
  accumulator,
  initial,
  prepare,
  prepareFour,
  operands,
  combine,
  combineOrdered,
  finish,
  results,
  computed,
}: ReduceProgram): string {
  const finishers = results.map(
    (type, i) => `
fn finish_${i}(a: ${accumulator}) -> ${type} {
  return ${type}(${finish[i]});
}`,
  );
  return wgsl`
${flatIndex}
${mathFunctions([initial, prepare, prepareFour, combine, combineOrdered, ...finish, computed?.expressions].join(' '))}
fn prepare(value: ${input}, k: u32${operands.map((_, i) => `, ${reduceOperandNames[i]}: f32`).join('')}) -> ${accumulator} {
  return ${prepare};
}
${
  prepareFour === ''
    ? ''
    : `
fn prepare_four(a: ${input}, b: ${input}, c: ${input}, d: ${input}) -> ${accumulator} {
  return ${prepareFour};
}
`
}
fn combine(a: ${accumulator}, b: ${accumulator}) -> ${accumulator} {
  return ${combine};
}
${
  combineOrdered
    ? `
fn combine_ordered(a: ${accumulator}, b: ${accumulator}) -> ${accumulator} {
  return ${combineOrdered};
}
`
    : ''
}
${finishers.join('\n')}
`;
}

/** Writes the results of line i of those reduced together, from `folded`. */
export function write(options: ReduceOptions, i: number, folded: string): string {
  const first = options.linesPerLoop > 1 ? 'line' : `${linesPerInvocation(options)}u * line`;
  return options.results
    .map((_, result) => `out_${result}[${first} + ${i}u] = finish_${result}(${folded});`)
    .join('\n  ');
}
