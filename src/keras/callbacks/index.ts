/** @file The callbacks. */

// Custom callbacks
export {
  Callback,
  type CallbackModel,
  type CallbackOptimizer,
  type HookResult,
  type Logs,
  type RunParams,
  type StepBatch,
} from './callback.ts';
export { type CallbackLike, CallbackList, type CallbackListOptions, type LogReader } from './callbackList.ts';
export { type Hooks, LambdaCallback, lambdaCallback } from './lambdaCallback.ts';
// Results
export { CSVLogger, csvLogger, type CSVLoggerOptions } from './csvLogger.ts';
export { TensorBoard, tensorBoard, type TensorBoardOptions } from './tensorBoard.ts';
export { History, type HistoryJSON } from './history.ts';
// Stopping
export { EarlyStopping, earlyStopping, type EarlyStoppingOptions } from './earlyStopping.ts';
export { TerminateOnNaN, terminateOnNaN, type TerminateOnNaNOptions } from './terminateOnNaN.ts';
// Learning rates
export {
  LearningRateScheduler,
  learningRateScheduler,
  type LearningRateSchedulerOptions,
  ReduceLROnPlateau,
  reduceLROnPlateau,
  type ReduceLROnPlateauOptions,
} from './learningRate.ts';
// Progress
export { PageProgress, pageProgress, type PageProgressOptions } from './pageProgress.ts';
export { ProgressBar, progressBar, type ProgressBarOptions } from './progressBar.ts';
// Evaluated weights
export { SwapEMAWeights, swapEMAWeights, type SwapEMAWeightsOptions } from './swapEMAWeights.ts';
// Saving
export { BackupAndRestore, backupAndRestore, type BackupAndRestoreOptions } from './backupAndRestore.ts';
export { ModelCheckpoint, modelCheckpoint, type ModelCheckpointOptions } from './modelCheckpoint.ts';
// File storage
export type { SinkLike } from './sink.ts';
export type { FileSink, MemorySink } from './sinks.ts';
export * as sinks from './sinks.ts';
