/**
 * @file TF.js's names over Retrograd, for TF.js's own tests. A thin layer: arguments and messages are TF.js's, results the
 * library's. Everything here is offered; the rest of TF.js is `outside` (see ../../../../scripts/conformance).
 */
export { Tensor, Variable } from '../../../../src/index.ts';
export * from './arithmetic.ts';
export * from './arrange.ts';
export {
  buffer,
  eye,
  fill,
  linspace,
  ones,
  onesLike,
  randomNormal,
  randomStandardNormal,
  randomUniform,
  randomUniformInt,
  range,
  scalar,
  tensor,
  tensor1d,
  tensor2d,
  tensor3d,
  tensor4d,
  tensor5d,
  tensor6d,
  truncatedNormal,
  zeros,
  zerosLike,
} from './creation.ts';
export {
  backend,
  dispose,
  disposeVariables,
  ENGINE,
  engine,
  getBackend,
  keep,
  memory,
  ready,
  tidy,
  variable,
} from './engine.ts';
export { browser } from './browser.ts';
export * from './counting.ts';
export { env } from './environment.ts';
export { customGrad, grad, grads, valueAndGrad, valueAndGrads, variableGrads } from './gradients.ts';
export * from './formulas.ts';
export * from './fourier.ts';
export { image } from './images.ts';
export { losses, Reduction } from './losses.ts';
export * from './nn.ts';
export * from './random.ts';
export * from './reductions.ts';
export * from './signal.ts';
export {
  AdadeltaOptimizer,
  AdagradOptimizer,
  AdamaxOptimizer,
  AdamOptimizer,
  MomentumOptimizer,
  Optimizer,
  RMSPropOptimizer,
  SGDOptimizer,
  train,
} from './train.ts';
export * from './volumes.ts';
