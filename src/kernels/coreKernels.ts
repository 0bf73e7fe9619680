/**
 * @file What is loaded while the browser opens a device (loadKernels.ts), to keep it out of an app's initial bundle: the
 * implementation of devices; the core kernels, which are elementwise ops, fills, reductions, matmul, convolutions, gathers,
 * scatters and float16; dry runs, which need kernels; and the errors of habits, which need tensors. It is one module, so that
 * bundlers make one file of it: several would be more requests, and compress worse. Other files may only import its types.
 */
export { Device } from '../webgpu/device.ts';
export { matrixSizeOf } from '../webgpu/matrixSize.ts';
export { createProfile, requireKind } from './adapterProfiles.ts';
export { avoidFailing } from './avoidFailing.ts';
export { LaunchSurvey } from '../execution/dryRun.ts';
export { conv2dFilterGradKernel, conv2dInputGradKernel, conv2dKernel, launchConv2d } from './conv2d.ts';
export { elementwiseKernel } from './elementwise.ts';
export { fillKernel, fillRange } from './fill.ts';
export { gatherKernel } from './gather.ts';
export { packFloat16, unpackFloat16 } from './float16.ts';
export { launchImplicitGemm } from './implicitGemm.ts';
export { launchMatMul, matMulKernel } from './matMul.ts';
export { reduceKernel } from './reduce.ts';
export { rowsKernel } from './rows.ts';
export { scatterAddKernel } from './scatter.ts';
export { guardTensors } from '../tensor/habits.ts';
