/** @file The optimizers, and their names. */
export { Adadelta, adadelta, type AdadeltaOptions } from './adadelta.ts';
export { Adafactor, adafactor, type AdafactorOptions } from './adafactor.ts';
export { Adagrad, adagrad, type AdagradOptions } from './adagrad.ts';
export { Adam, adam, type AdamOptions, AdamW, adamW } from './adam.ts';
export { Adam8bit, adam8bit, type Adam8bitOptions, AdamW8bit, adamW8bit } from './adam8bit.ts';
export { Adamax, adamax, type AdamaxOptions } from './adamax.ts';
export { Ftrl, ftrl, type FtrlOptions } from './ftrl.ts';
export { optimizerOf, type OptimizerLike, type OptimizerName } from './get.ts';
export { HostVariable } from './hostVariable.ts';
export { Lamb, lamb, type LambOptions } from './lamb.ts';
export { Lion, lion, type LionOptions } from './lion.ts';
export {
  LossScaleOptimizer,
  lossScaleOptimizer,
  type LossScaleOptimizerOptions,
} from './lossScaleOptimizer.ts';
export {
  MultiOptimizer,
  multiOptimizer,
  type MultiOptimizerOptions,
  type OptimizerSelector,
} from './multiOptimizer.ts';
export { Muon, muon, type MuonOptions } from './muon.ts';
export { Nadam, nadam, type NadamOptions } from './nadam.ts';
export { Optimizer, type OptimizerVariable } from './optimizer.ts';
export { OptimizerMap, optimizerMap, type OptimizerMapOptions } from './optimizerMap.ts';
export type { LearningRate, OptimizerOptions } from './optimizerOptions.ts';
export { RMSprop, rmsprop, type RMSpropOptions } from './rmsprop.ts';
export {
  ScheduleFreeAdamW,
  scheduleFreeAdamW,
  type ScheduleFreeAdamWOptions,
} from './scheduleFreeAdamW.ts';
export * as schedules from './schedules/index.ts';
export type { LearningRateSchedule } from './schedules/index.ts';
export type { WeightValue } from './setWeights.ts';
export { SGD, sgd, type SGDOptions } from './sgd.ts';

// For custom optimizers
export { FusedOptimizer } from './fusedOptimizer.ts';
export { defineStep, type StepRule } from '../../kernels/optimizers/optimizerStep.ts';
export { DynamicScalar } from '../../webgpu/params.ts';
