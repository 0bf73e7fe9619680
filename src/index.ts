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
export {
  fromImage,
  type FromImageOptions,
  toCanvas,
  toPixels,
  type ToPixelsOptions,
} from './tensor/image.ts';
export type { ImageSource, Pixels } from './tensor/pixels.ts';
export { memory, resetPeakMemory } from './tensor/memory.ts';
export { keep, scope, tidy } from './tensor/scope.ts';
export { Tensor } from './tensor/tensor.ts';
export { Variable, variable, type VariableOptions } from './tensor/variable.ts';
// Ops
export * from './ops/index.ts';
// Tape
export { checkpoint, customGradient, type CustomGradientResult } from './tape/customGradient.ts';
export type { CutCause, PathExplanation, PathStep } from './tape/explain.ts';
export { grad, grads, hvp, jvp, valueAndGrad, valueAndGrads } from './tape/functional.ts';
export { type GradientOptions, GradientTape, type TapeOptions } from './tape/tape.ts';
// History
export { debugMode } from './history/callSite.ts';
export { explainHistory, type HistoryExplanation, requireHistory } from './history/explain.ts';
export { Lineage, lineage } from './history/lineage.ts';
export { type KerasHistory, Node, type Operation } from './history/node.ts';
// Errors
export * from './core/errors.ts';
