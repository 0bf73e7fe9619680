/**
 * @file Chromium's experimental subgroup matrices: the sizes that a device supports for float16 inputs and float32 sums.
 */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { adapterInfoOf } from './adapter.ts';

/** Features that the device needs. The first is specific to Chromium, and missing in the types of WebGPU. */
export const subgroupMatrixFeatures = [
  'chromium-experimental-subgroup-matrix',
  'shader-f16',
  'subgroups',
] as GPUFeatureName[];

/** One size, as adapters describe it. */
interface SubgroupMatrixConfig {
  readonly componentType: string;
  readonly resultComponentType: string;
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

/** The largest usable size: GEMM tiles are multiples of it. */
const largest = { lines: 32, steps: 16 };

/** Returns the largest size that a GEMM can use; null if there is none. */
export function subgroupMatrixOf(gpu: GPUDevice): SubgroupMatrixSize | null {
  if (!subgroupMatrixFeatures.every((feature) => gpu.features.has(feature))) return null;
  const { subgroupMinSize, subgroupMaxSize, subgroupMatrixConfigs } = adapterInfoOf(gpu) as GPUAdapterInfo & {
    readonly subgroupMatrixConfigs?: Iterable<SubgroupMatrixConfig>;
  };
  // A program is compiled for a fixed subgroup size.
  if (!subgroupMinSize || subgroupMinSize !== subgroupMaxSize || subgroupMaxSize > 256) return null;
  const fitting = [...(subgroupMatrixConfigs ?? [])].filter(
    ({ componentType, resultComponentType, M, N, K }) =>
      componentType === 'f16' &&
      resultComponentType === 'f32' &&
      [M, N].every((lines) => lines % 4 === 0 && largest.lines % lines === 0) &&
      largest.steps % K === 0,
  );
  fitting.sort((a, b) => b.M * b.N * b.K - a.M * a.N * a.K);
  const [best] = fitting;
  return best ? [best.M, best.N, best.K, subgroupMaxSize] : null;
}
