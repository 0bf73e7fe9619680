/**
 * @file The core: products, convolutions, gathers and scatters, and the halves that they take. These kernels come with the device (loadCore.ts), so that an
 * app's first file doesn't hold them. Nothing but types of this module may be imported elsewhere.
 */
export { conv2dFilterGradKernel, conv2dInputGradKernel, conv2dKernel } from './convolution.ts';
export { gatherKernel } from './gather.ts';
export { packHalves, unpackHalves } from './half.ts';
export { matMulKernel } from './matMul.ts';
export { rowsKernel } from './rows.ts';
export { scatterAddKernel } from './scatter.ts';
