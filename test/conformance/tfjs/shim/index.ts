/**
 * @file TF.js's names over Retrograd, for TF.js's own tests. Thin: arguments and words are TF.js's, results the
 * library's. What stands here claims to be offered; the rest of TF.js is `outside` (see ../../../../scripts/conformance).
 */
export { Tensor, Variable } from '../../../../src/index.ts';
export * from './arithmetic.ts';
export * from './arrange.ts';
export {
  buffer,
  complex,
  eye,
  fill,
  imag,
  linspace,
  ones,
  onesLike,
  randomNormal,
  randomStandardNormal,
  randomUniform,
  randomUniformInt,
  range,
  real,
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
export { env } from './environment.ts';
export { customGrad, grad, grads, train, valueAndGrad, valueAndGrads, variableGrads } from './gradients.ts';
export * from './formulas.ts';
export * from './nn.ts';
export * from './reductions.ts';

/** How TF.js's losses reduce. */
export const Reduction = { NONE: 0, MEAN: 1, SUM: 2, SUM_BY_NONZERO_WEIGHTS: 3 };
