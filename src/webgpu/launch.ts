/** @file Launch: the arguments of a kernel launch. */
import type { FaultReport } from './faults.ts';
import type { Attribution, PreparedLaunch } from './command.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import type { Pipeline } from './pipelines.ts';
import type { ParamFields, ParamValues } from './params.ts';
import type { BoundRange } from './boundRange.ts';

/** One launch of a kernel. */
export interface Launch<
  O extends KernelOptions = KernelOptions,
  B extends Bindings = Bindings,
  P extends ParamFields = ParamFields,
> {
  options: O;
  /** The JSON of `options`, if the caller has it already. */
  key?: string;
  bindings: { [K in keyof B]: BoundRange };
  params: ParamValues<P>;
  /** Workgroups: a count (folded to a grid if it exceeds 65,535), or a grid. */
  workgroups: number | readonly [number, number, number];
  /** Multiply-adds that it executes, if they take longer than its memory accesses. */
  multiplications?: number;
  /**
   * The variant that runs while the pipeline of `options` is compiled in the background: one with the same bindings and
   * parameters and bit-identical results that compiles faster.
   */
  fallback?: { options: O; workgroups: number } | null;
  /** Describes faults of this launch; for kernels that report faults. */
  fault?: FaultReport;
}

/** The largest count of workgroups along one dimension, on every device. */
const maxWorkgroups = 65535;

/** Folds a count of workgroups into a grid; WGSL's `flat_index` unfolds it. */
export function foldWorkgroups(count: number): readonly [number, number, number] {
  if (count <= maxWorkgroups) return [count, 1, 1];
  const y = Math.ceil(count / maxWorkgroups);
  return [Math.ceil(count / y), y, 1];
}

/** Multiply-adds that take as long as moving a byte, roughly: a device does 16 of them while memory moves a number. */
const workPerByte = 4;

/** Returns the cost of a launch in multiply-adds: its stated ones, or moving everything it binds once, whichever is more. */
export function workOf(ranges: readonly BoundRange[], multiplications = 0): number {
  let bytes = 0;
  for (const range of ranges) bytes += range.bytes;
  return Math.max(multiplications, workPerByte * bytes);
}

/** Returns `launch` of `kernel` with its pipeline. */
export function prepareLaunch(
  kernel: Kernel,
  { options, bindings, params, workgroups, multiplications, fault }: Launch,
  pipeline: Pipeline,
  attribution: Attribution | null,
): PreparedLaunch {
  const ranges = pipeline.bindingNames.map((name) => bindings[name] as BoundRange);
  return {
    kind: 'launch',
    kernel,
    options,
    pipeline,
    ranges,
    work: workOf(ranges, multiplications),
    grid: typeof workgroups === 'number' ? foldWorkgroups(workgroups) : workgroups,
    layout: pipeline.layout,
    params,
    fault: (kernel.faults && fault) || null,
    attribution,
  };
}
