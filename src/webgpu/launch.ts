/**
 * @file What a launch of a kernel is told.
 */
import type { FaultReport } from './faults.ts';
import type { Bindings, KernelOptions } from './kernel.ts';
import type { ParamFields, ParamValues } from './params.ts';
import type { BoundRange } from './stream.ts';

/** One launch of a kernel. */
export interface Launch<O extends KernelOptions, B extends Bindings, P extends ParamFields> {
  options: O;
  /** The JSON of `options`, where the caller keeps both. */
  key?: string;
  bindings: { [K in keyof B]: BoundRange };
  params: ParamValues<P>;
  /** Workgroups: a count, folded over the dimensions where it exceeds 65,535, or a grid. */
  workgroups: number | readonly [number, number, number];
  /**
   * What runs while `options` are being compiled, beside other work: another variant of the same bindings and parameters,
   * with the same results to the bit, that compiles sooner.
   */
  meanwhile?: { options: O; workgroups: number } | null;
  /** What a fault of this launch means; for kernels that report faults. */
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
