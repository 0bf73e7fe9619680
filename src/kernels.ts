/** @file The entry `retrograd/kernels`: kernels on an app's own GPUBuffers, into the app's own encoder. */

// Any kernel
export type { Kernel, KernelDefinition } from './webgpu/kernel.ts';
export { defineKernel } from './webgpu/customKernel.ts';
export type { EncodeTarget } from './execution/encoder.ts';
export { type BufferRange, encodeKernel, type KernelEncoding } from './kernels/launch/encodeKernel.ts';
export { flatIndex } from '../shaders/lib/indexing.ts';
export { decodeFault } from '../shaders/lib/fault.ts';
// Any op, and any function of ops
export { type BufferTensor, encodeOp, type OpEncoding } from './ops/encode.ts';
export { encodeFunction, type FunctionEncoding } from './ops/encode.ts';
// Shortcuts for common ops
export { conv2d, type Conv2dEncoding } from './ops/encode.ts';
export { gather, type GatherEncoding } from './ops/encode.ts';
export { map, type MapEncoding } from './ops/encode.ts';
export { matMul, type MatMulEncoding } from './ops/encode.ts';
export { softmax, type SoftmaxEncoding } from './ops/encode.ts';
