/**
 * @file The size of subgroup matrices that GEMMs may use. What probes a device for it is imported on demand, since few apps use
 * it.
 */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { lazyImport } from '../core/lazyImport.ts';
import { subgroupMatrixOf } from './subgroupMatrices.ts';

/** Returns the size, after switching to the device's dialect; null if there is none. */
export async function matrixSizeOf(gpu: GPUDevice): Promise<SubgroupMatrixSize | null> {
  const size = subgroupMatrixOf(gpu);
  if (!size) return null;
  const { probeSubgroupMatrices } = await lazyImport(
    'subgroup matrices',
    () => import('./probeSubgroupMatrices.ts'),
  );
  return (await probeSubgroupMatrices(gpu, size)) ? size : null;
}
