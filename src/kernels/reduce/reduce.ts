/**
 * @file Launches reductions. Adjacent axes are merged, and the merged axes are reduced in separate passes, the longest
 * first. A long axis with few results is split into chunks that fill the device, and the results of the chunks are reduced
 * by another pass.
 */
import {
  elementsOf,
  operandElement,
  type ReduceOperand,
  reduceOperandNames,
  type ReduceOptions,
  type ReduceProgram,
  serialReduce,
} from '../../../shaders/reduce.ts';
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import { type DType, wgslType } from '../../core/dtype.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { bitsOf } from '../../core/bits.ts';
import { fillKernel } from '../copies/fill.ts';
import { gpuKernels } from '../loading/gpuKernels.ts';
import type { Lines } from '../selection/lanes.ts';
import { bindsInUnits, output, view } from '../launch/output.ts';
import {
  type Accumulator,
  inUnits,
  neighbours,
  type ReduceAlgorithm,
  selectReduce,
} from './reduceAlgorithm.ts';

/** Returns the name of operand i's binding. */
const bound = (i: number) => `${reduceOperandNames[i]}_values`;

export const reduceParams = {
  count: 'u32',
  side: 'u32',
  n: 'u32',
  inner: 'u32',
  chunks: 'u32',
  initial: 'u32',
  length: 'f32',
} as const;

/** The bindings besides x. */
export function reduceBindings(options: ReduceOptions): Bindings {
  return {
    ...Object.fromEntries(
      options.operands.map((along, i) => [bound(i), `read ${operandElement(along, options)}`] as const),
    ),
    ...Object.fromEntries(options.results.map((type, i) => [`out_${i}`, `write ${type}`] as const)),
  };
}

export function reduceSource(options: ReduceProgram): string {
  return options.serial ? serialReduce(options) : gpuKernels().laneReduce(options);
}

export const reducePass = defineKernel({
  name: 'reduce',
  bindings: (options: ReduceOptions): Bindings => ({
    x: `read ${elementsOf(options)}`,
    ...reduceBindings(options),
  }),
  params: reduceParams,
  directives: laneDirectives,
  source: reduceSource,
});

/** How values are combined. Expressions are WGSL. */
export interface Reduction {
  /** Default: the type of the first result. */
  accumulator?: Accumulator;
  /** The neutral accumulator. Default: `identity`. */
  initial?: string;
  /** A number that expressions read as the bits `params.initial`; infinities can't be written in WGSL. */
  identity?: number;
  /** The accumulator of the element `value` at position `k` of the reduced axis. Default: the value. */
  prepare?: string;
  /** The accumulator of four elements `a`, `b`, `c` and `d`, if that is cheaper than combining four accumulators. */
  prepareFour?: string;
  /** Combines two accumulators `a` and `b`; associative. */
  combine: string;
  /** The same where `a` is of elements before those of `b`, and not neutral, if that is cheaper. */
  combineOrdered?: string;
  /** The results from the accumulator `a`; `params.length` is the number of elements. Default: the accumulator. */
  finish?: readonly string[];
  /** The results if there are no elements. Default: `identity` for each. */
  empty?: readonly number[];
}

/** A further operand that `prepare` reads as `b`, `c` or `d`: float32, with one value for each position of what it is `along`. */
export interface Operand {
  readonly values: Tensor;
  readonly along: ReduceOperand;
}

/**
 * Reduces `x` over `axes` (ascending) to tensors of `specs`, whose shapes drop the axes or keep them as 1. With operands,
 * the axes must be adjacent.
 */
export function reduceKernel<const S extends readonly TensorSpec[]>(
  op: string,
  x: Tensor,
  axes: readonly number[],
  specs: S,
  reduction: Reduction,
  operands: readonly Operand[] = [],
): OnePerSpec<S> {
  // One tensor for each spec, in their order.
  return reduceInto(op, x, axes, specs, reduction, operands) as OnePerSpec<S>;
}

/** A tensor for each of the specs `S`. */
type OnePerSpec<S extends readonly TensorSpec[]> = { -readonly [K in keyof S]: Tensor };

function reduceInto(
  op: string,
  x: Tensor,
  axes: readonly number[],
  specs: readonly TensorSpec[],
  reduction: Reduction,
  operands: readonly Operand[],
): Tensor[] {
  const elements = sizeOf(axes.map((axis) => x.shape[axis] as number));
  if (elements === 0 || x.size === 0) {
    return specs.map((spec, i) => fillKernel(x.device, spec, emptyResult(reduction, i), op));
  }
  const { runs, shape } = runsOf(x.shape, axes);
  if (runs.length === 0) {
    if (!reduction.prepare && !reduction.finish) return specs.map((spec) => view(x, spec, op));
    runs.push(shape.length);
  }
  const sizes = [...shape, 1];
  let current: Source = { tensor: x, type: wgslType(x.dtype), prepared: false, operands };
  runs.forEach((run, i) => {
    const isLast = i === runs.length - 1;
    const lines = {
      count: sizeOf(sizes) / (sizes[run] as number),
      n: sizes[run] as number,
      inner: sizeOf(sizes.slice(run + 1)),
    };
    const pass = new Pass(op, reduction, specs, elements, lines);
    current = pass.run(current, isLast);
    sizes[run] = 1;
  });
  return (current as Source).results as Tensor[];
}

/** The input of a pass: elements of x, or accumulators of an earlier pass. */
interface Source {
  tensor: Tensor;
  type: string;
  prepared: boolean;
  operands: readonly Operand[];
  results?: Tensor[];
}

/** The reduction of one axis: one launch, or two if the axis is split. */
class Pass {
  readonly accumulator: Accumulator;

  constructor(
    readonly op: string,
    readonly reduction: Reduction,
    readonly specs: readonly TensorSpec[],
    readonly elements: number,
    readonly lines: Lines,
  ) {
    this.accumulator = reduction.accumulator ?? wgslType((specs[0] as TensorSpec).dtype);
  }

  run(source: Source, isLast: boolean): Source {
    const { tensor, type, operands } = source;
    const { op, reduction, specs, elements, lines, accumulator } = this;
    const binds = (n: number) =>
      [tensor, ...operands.map(({ values }) => values)].every((t) => bindsInUnits(t, n));
    const bindable = operands.length === 0 && binds(16) ? 16 : binds(4) ? 4 : 1;
    const algorithm = selectReduce({ lines, element: type, accumulator, bindable }, profileOf(tensor.device));
    const { chunks } = algorithm;
    if (chunks === 1) return this.#launch(source, algorithm, isLast);
    const partial = this.#launch(source, algorithm, false);
    const { count, inner } = lines;
    return new Pass(op, reduction, specs, elements, { count, n: chunks, inner }).run(partial, isLast);
  }

  #launch(source: Source, algorithm: ReduceAlgorithm, isLast: boolean): Source {
    const { tensor, type, prepared, operands } = source;
    const { device } = tensor;
    const { accumulator, reduction, specs, lines } = this;
    const {
      identity = 0,
      initial = defaultInitial(accumulator),
      prepare,
      prepareFour = '',
      combine,
      combineOrdered,
      finish,
    } = reduction;
    const { form, width, chunks, linesPerLoop, reads, lanes, workgroup, subgroups, count } = algorithm;
    const results = isLast
      ? specs.map((spec) => output(device, spec, this.op))
      : [output(device, accumulators(accumulator, lines.count * chunks), this.op)];
    const bindings: Record<string, Storage> = { x: tensor.storage };
    for (const [i, { values }] of operands.entries()) bindings[bound(i)] = values.storage;
    for (const [i, result] of results.entries()) bindings[`out_${i}`] = result.storage;
    device.launch(reducePass, {
      options: {
        input: type,
        accumulator,
        initial,
        combine,
        prepare: prepared ? 'value' : (prepare ?? `${accumulator}(value)`),
        prepareFour: prepared || form === 'serial' ? '' : prepareFour,
        operands: operands.map(({ along }) => along),
        finish: isLast ? (finish ?? specs.map(() => 'a')) : ['a'],
        results: isLast ? specs.map((spec) => wgslType(spec.dtype)) : [accumulator],
        order: lines.inner === 1 ? 'rows' : 'columns',
        width,
        linesPerLoop,
        reads,
        workgroup,
        lanes,
        subgroups,
        serial: form === 'serial',
        split: chunks > 1,
        ...(form === 'serial' && combineOrdered ? { combineOrdered } : null),
      },
      bindings,
      params: {
        count,
        side: neighbours(lines),
        n: lines.inner === 1 ? lines.n / width : lines.n,
        inner: inUnits(lines, width).inner,
        chunks,
        initial: bitsOf(identity, dtypeOf(accumulator)),
        length: this.elements,
      },
      workgroups: Math.ceil((count * lanes) / workgroup),
    });
    return { tensor: results[0] as Tensor, type: accumulator, prepared: true, operands: [], results };
  }
}

/**
 * Returns the shape with adjacent axes merged if both are reduced or both are kept, and the positions of reduced axes in it, the
 * longest first, which leaves the least for the next passes.
 */
function runsOf(shape: Shape, axes: readonly number[]): { runs: number[]; shape: number[] } {
  const merged: { size: number; reduced: boolean }[] = [];
  shape.forEach((size, axis) => {
    if (size === 1) return;
    const reduced = axes.includes(axis);
    const open = merged.at(-1);
    if (open && open.reduced === reduced) open.size *= size;
    else merged.push({ size, reduced });
  });
  const sizes = merged.map(({ size }) => size);
  const runs = merged.flatMap(({ reduced }, i) => (reduced ? [i] : []));
  runs.sort((a, b) => (sizes[b] as number) - (sizes[a] as number) || b - a);
  return { runs, shape: sizes };
}

function emptyResult({ empty, identity = 0 }: Reduction, i: number): number {
  return empty?.[i] ?? identity;
}

function defaultInitial(accumulator: Accumulator): string {
  return `bitcast<${accumulator}>(params.initial)`;
}

function dtypeOf(accumulator: Accumulator): DType {
  if (accumulator.includes('f32')) return 'float32';
  return accumulator.includes('i32') ? 'int32' : 'uint32';
}

/** Returns the spec that stores `count` accumulators. */
function accumulators(type: Accumulator, count: number): TensorSpec {
  const components = Number(/^vec(\d)/.exec(type)?.[1] ?? 1);
  return { shape: [count, components], dtype: dtypeOf(type) };
}
