/** @file What the training loop knows of a model. It imports no model: models call it. */
import { type Device, getDevice } from '../../webgpu/device.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { CallbackModel } from '../callbacks/callback.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Nest } from '../tensorNest.ts';
import type { Batch, Predicted, StepLogs } from './batch.ts';
import type { Slots } from './data/tableSource.ts';
import type { Trainer } from './trainer.ts';

export interface TrainableModel extends CallbackModel {
  readonly trainer: Trainer;
  /** Whether its weights exist. */
  readonly built: boolean;
  /** Its inputs and outputs, as far as it knows them before it runs. */
  readonly slots: Slots;
  readonly trainableWeights: readonly Variable[];
  /** Regularization and other losses of the last call, scalars. */
  readonly losses: readonly Tensor[];
  /** Metrics that the model and the layers inside it have as properties. */
  readonly ownMetrics: readonly Metric<never>[];

  apply(inputs: Nest<Tensor>, options?: { training?: boolean }): Nest<Tensor>;
  trainStep(batch: Batch): StepLogs;
  testStep(batch: Batch): StepLogs;
  predictStep(batch: Batch): Nest<Tensor>;
  computeLoss(predicted: Predicted): Tensor;
  computeMetrics(predicted: Predicted): StepLogs;
  resetMetrics(): void;
  /** Lets go of the losses that the last call added. */
  clearLosses(): void;
}

/** Where the model lives. */
export function deviceOf(model: TrainableModel): Device {
  return model.weights[0]?.device ?? getDevice();
}
