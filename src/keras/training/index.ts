/** @file Training: the functions that models delegate to, and the types of their options. */
export type { AnyBatch, Batch, Logs, Predicted, StepLogs } from './batch.ts';
export type { CompileOptions } from './compiled.ts';
export type { LossArgument, LossWeights } from './compiledLoss.ts';
export type { MetricsArgument } from './compiledMetrics.ts';
export type { ClassWeight } from './data/classWeight.ts';
export type { Slots } from './data/slots.ts';
export { evaluate, type EvaluateOptions } from './evaluate.ts';
export { fit } from './fit.ts';
export type { StepExplanation, StepKind } from './explainStep.ts';
export type { FitOptions } from './fitOptions.ts';
export {
  type OnBatchOptions,
  predictOnBatch,
  testOnBatch,
  trainFurther,
  trainOnBatch,
  type TrainOnBatchOptions,
} from './onBatch.ts';
export {
  type BatchItem,
  type BatchIterable,
  type Data,
  splitArguments,
  type ValidationData,
  type Values,
} from './openData.ts';

export { predict, type PredictOptions } from './predict.ts';
export { type DataSpec, type DataSpecs, dryRun, type DryRunOptions } from './dryRun.ts';
export { computeLoss, computeMetrics, testStep, trainStep } from './modelSteps.ts';
export type { TrainableModel } from './trainableModel.ts';
export type { ListedLogs } from './stepLogs.ts';
export { metricsIn, Trainer } from './trainer.ts';
export type { MemoryPlan } from './memoryOption.ts';
export { remat, type RematOptions, RematScope } from './remat.ts';
export * as adapters from '../adapters/index.ts';
export type { ModelLoraOptions } from '../adapters/lora.ts';
