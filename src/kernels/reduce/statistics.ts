/** @file Launches the statistics of a tensor for the step inspector: immediately, bypassing any decorated executor. */
import {
  maxStatisticsGroups,
  recordWords,
  statistics,
  type StatisticsOptions,
  statisticsWorkgroup,
} from '../../../shaders/statistics.ts';
import type { DType } from '../../core/dtype.ts';
import { defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import type { Launch } from '../../webgpu/launch.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import type { Tensor } from '../../tensor/tensor.ts';

const kernel = defineKernel({
  name: 'statistics',
  bindings: { x: 'read u32', records: 'read_write u32' },
  params: { count: 'u32', groups: 'u32', base: 'u32' },
  source: statistics,
});

const types: Record<DType, StatisticsOptions['type']> = {
  float32: 'f32',
  float16: 'f16',
  int32: 'i32',
  uint32: 'u32',
  bool: 'u32',
};

/** Approximate elements per invocation, before a tensor gets more workgroups. */
const elementsPerInvocation = 16;

/** Returns the number of workgroups, each of which writes one record. */
export function statisticsGroups(size: number): number {
  const wanted = Math.ceil(size / (statisticsWorkgroup * elementsPerInvocation));
  return Math.max(1, Math.min(maxStatisticsGroups, wanted));
}

/** Words needed for the statistics of `size` elements. */
export function statisticsWords(size: number): number {
  return statisticsGroups(size) * recordWords;
}

/** Writes the records of `x` into `records`, from word `base` on. Two launches. */
export function statisticsKernel(x: Tensor, records: BoundRange, base: number): void {
  const groups = statisticsGroups(x.size);
  const type = types[x.dtype as DType];
  for (const stage of ['range', 'histogram'] as const) {
    const launch = {
      options: { type, stage },
      bindings: { x: x.storage, records },
      params: { count: x.size, groups, base },
      workgroups: groups,
    };
    x.device.eager.launch(kernel as unknown as Kernel, launch as unknown as Launch);
  }
}
