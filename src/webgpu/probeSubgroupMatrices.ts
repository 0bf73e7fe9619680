/**
 * @file Detects which dialect of subgroup matrices a device compiles. They are experimental: browsers that have the feature
 * differ in its builtins, and a driver may reject what the browser accepts.
 */
import {
  setDialect,
  type SubgroupMatrixDialect,
  subgroupMatrixDialects,
  subgroupMatrixProbe,
} from '../../shaders/gemm/subgroupMatrix.ts';
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';

/** Switches to the dialect of `gpu`; returns false if it compiles none for matrices of `size`. */
export async function probeSubgroupMatrices(gpu: GPUDevice, size: SubgroupMatrixSize): Promise<boolean> {
  for (const dialect of subgroupMatrixDialects) {
    if (!(await compiles(gpu, dialect, size))) continue;
    setDialect(dialect);
    return true;
  }
  return false;
}

async function compiles(
  gpu: GPUDevice,
  dialect: SubgroupMatrixDialect,
  size: SubgroupMatrixSize,
): Promise<boolean> {
  // Otherwise an invalid module would be an uncaptured error.
  gpu.pushErrorScope('validation');
  const module = gpu.createShaderModule({
    label: 'retrograd subgroup matrices',
    code: subgroupMatrixProbe(dialect, size),
  });
  const rejected = gpu.popErrorScope();
  const pipeline = gpu.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const made = pipeline.then(
    () => true,
    () => false,
  );
  return (await rejected) === null && (await made);
}
