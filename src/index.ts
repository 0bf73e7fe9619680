/** @file Retrograd's main entry: named exports only. */

// Device
export { type Device, getDevice, init, type InitOptions, setDevice } from './gpu/device.ts';
// Tensors
export {
  type BufferOptions,
  freshTensor,
  fromBuffer,
  type HostValues,
  tensor,
  type TensorOptions,
} from './tensor/create.ts';
export { memory, resetPeakMemory } from './tensor/memory.ts';
export { keep, scope, tidy } from './tensor/scope.ts';
export { Tensor } from './tensor/tensor.ts';
export { Variable, variable, type VariableOptions } from './tensor/variable.ts';
// Ops
export * from './ops/index.ts';
// Tape
export { GradientTape, type GradientOptions, type TapeOptions } from './tape/tape.ts';
// Errors
export * from './core/errors.ts';
