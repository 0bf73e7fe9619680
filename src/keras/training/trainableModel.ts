/** @file The part of a model that the training loop uses. Training imports no model; models load training. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { getDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { CallbackModel } from '../callbacks/callback.ts';
import type { Nest } from '../tensorNest.ts';
import type { Predicted, StepLogs } from './batch.ts';
import type { Trainer, TrainerModel } from './trainer.ts';

export interface TrainableModel extends CallbackModel, TrainerModel {
  readonly trainer: Trainer;
  /** Regularization and other losses of the last call, scalars. */
  readonly losses: readonly Tensor[];

  apply(inputs: Nest<Tensor>, options?: { training?: boolean }): Nest<Tensor>;
  readonly callsForeignLayers: boolean;
  computeLoss(predicted: Predicted): Tensor;
  computeMetrics(predicted: Predicted): StepLogs;
  resetMetrics(): void;
}

/** A weight of each model. Collecting all of them takes longer than predicting one sample. */
const knownWeights = new WeakMap<TrainableModel, Variable>();

/** Returns the device of the model's weights, or the current device if it has none yet. */
export function deviceOf(model: TrainableModel): Device {
  const known = knownWeights.get(model);
  if (known && !known.disposed) return known.device;
  const [weight] = model.weights;
  if (weight) knownWeights.set(model, weight);
  return weight?.device ?? getDevice();
}
