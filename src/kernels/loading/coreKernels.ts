/**
 * @file The modules that are loaded while the browser opens a device (loadKernels.ts), to keep them out of an app's initial
 * bundle: the implementation of devices; the core kernels, which are elementwise ops, fills, reductions, matmul, convolutions,
 * gathers, scatters and float16; dry runs, which need kernels; and the hints for unsupported tensor properties, which need
 * tensors. It is one module, so that bundlers make one file of it: several would be more requests, and compress worse. They are
 * ordered so that similar code lies within 32 kB, where gzip finds it: 0.5 kB. Other files may only import its types.
 */
export { elementwiseKernel } from '../elementwise/elementwise.ts';
export { reduceKernel } from '../reduce/reduce.ts';
export { fillKernel, fillRange } from '../copies/fill.ts';
export { launchImplicitGemm } from '../convolution/implicitGemm.ts';
export {
  conv2dFilterGradKernel,
  conv2dInputGradKernel,
  conv2dKernel,
  launchConv2d,
} from '../convolution/conv2d.ts';
export { requireKind } from '../selection/adapterProfiles.ts';
export { createProfile } from '../selection/deviceProfile.ts';
export { LaunchSurvey } from '../../execution/dryRun.ts';
export { launchMatMul, matMulKernel } from '../gemm/matMul.ts';
export { scatterAddKernel } from '../indexing/scatter.ts';
export { planOf } from '../launch/plans.ts';
export { matrixSizeOf } from '../../webgpu/matrixSize.ts';
export { gatherKernel } from '../indexing/gather.ts';
export { packFloat16, unpackFloat16 } from '../copies/float16.ts';
export { Device } from '../../webgpu/device.ts';
export { rowsKernel } from '../indexing/rows.ts';
export { guardTensorProperties } from '../../tensor/unsupportedProperties.ts';
