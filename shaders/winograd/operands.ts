/**
 * @file Both operands of a Winograd convolution in one launch, since neither needs the other. Only for GPUs: software executes both
 * sides of the condition.
 */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import {
  kernelFunctions,
  kernelParams,
  type KernelsOptions,
  tileFunctions,
  tilesParams,
  winogradEntry,
} from '../winograd.ts';
import { transformFunctions } from './transforms.ts';

/** `count` includes both; the invocations of kernels are the first. */
export const operandsParams = { ...tilesParams, ...kernelParams } as const;

/** The transformed kernels, and the transformed tiles of an image. */
export function winogradOperands({ block }: KernelsOptions): string {
  return wgsl`
${flatIndex}
${transformFunctions(block, 'image', 'kernel')}
${tileFunctions({ block, of: 'image' })}
${kernelFunctions(block)}
${winogradEntry}
  if (i < params.kernel_count) {
    transform_kernel(i);
  } else {
    transform_tile(i - params.kernel_count);
  }
}
`;
}
