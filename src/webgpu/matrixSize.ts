/**
 * @file The size of subgroup matrices that GEMMs may use. What probes a device for it is imported on demand, since few apps use
 * it.
 */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { lazyImport } from '../core/lazyImport.ts';

export async function matrixSizeOf(gpu: GPUDevice): Promise<SubgroupMatrixSize | null> {
  const { probeSubgroupMatrices } = await lazyImport(
    'subgroup matrices',
    () => import('./probeSubgroupMatrices.ts'),
  );
  return probeSubgroupMatrices(gpu);
}
