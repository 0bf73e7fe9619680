/** @file The default steps of a model. They launch work without waiting, so a step can be captured and replayed. */
import { ValueError } from '../../core/errors.ts';
import { addN } from '../../ops/elementwise/addN.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { withSlices } from '../../ops/indexing/slices.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { GradientTape } from '../../autodiff/tape.ts';
import { disposing, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { widened } from '../layers/base/dtypePolicy.ts';
import type { Nest } from '../tensorNest.ts';
import type { AnyBatch, Predicted, StepLogs } from './batch.ts';
import { samplesOf } from './data/batchSource.ts';
import type { TrainableModel } from './trainableModel.ts';
import { observeLosses } from '../layers/base/untrackedVariables.ts';
import { requireTrainable } from './updates.ts';

/**
 * Computes predictions, loss and gradients, applies the optimizer and updates the metrics.
 * Errors: ValueError for a model without trainable weights.
 */
export function trainStep(model: TrainableModel, { x, y, sampleWeight }: AnyBatch): StepLogs {
  const { optimizer, lossTracker } = model.trainer.requireCompiled('trainStep');
  return tidy(() => {
    const { predicted, loss } = disposing(new GradientTape(), (tape) => {
      const yPred = model.apply(x, { training: true });
      const predicted = { x, y, yPred, sampleWeight };
      const loss = model.computeLoss(predicted);
      requireTrainable(model);
      const weights = model.trainableWeights;
      const scaled = optimizer.scaleLoss(loss);
      const gradients = optimizer.readsSlices
        ? withSlices(() => tape.gradient(scaled, weights))
        : tape.gradient(scaled, weights);
      optimizer.apply(gradients, weights);
      return { predicted, loss };
    });
    lossTracker.track(loss, samplesOf(x));
    return model.computeMetrics(predicted);
  });
}

/** Computes predictions and the loss, and updates the metrics. */
export function testStep(model: TrainableModel, { x, y, sampleWeight }: AnyBatch): StepLogs {
  const { lossTracker } = model.trainer.requireCompiled('testStep');
  return tidy(() => {
    const yPred = model.apply(x, { training: false });
    const predicted = { x, y, yPred, sampleWeight };
    lossTracker.track(model.computeLoss(predicted), samplesOf(x));
    return model.computeMetrics(predicted);
  });
}

/** Returns the sum of the compiled losses and the losses of layers. Errors: ValueError if there is none. */
export function computeLoss(model: TrainableModel, predicted: Predicted): Tensor {
  const { loss } = model.trainer.requireCompiled('computeLoss');
  const compute = () => {
    const compiled = loss?.call(inFloat32(predicted)) ?? null;
    const losses = compiled ? [compiled] : [];
    for (const added of model.losses) losses.push(added.shape.length === 0 ? added : sum(added));
    if (losses.length === 1) return losses[0] as Tensor;
    if (losses.length > 1) return addN(losses);
    if (model.trainableWeights.length === 0) return zeros([]);
    throw new ValueError({
      op: model.name,
      rule: 'a model is trained by a loss.',
      received: 'neither a compiled loss nor a loss of a layer',
      hint: "pass it to compile({ loss: 'mse' }), or call addLoss in a layer.",
    });
  };
  return tidy(() => observeLosses(model, compute));
}

/** Losses and metrics are float32, also of a model with the policy 'mixedFloat16'. */
const inFloat32 = (predicted: Predicted): Predicted => ({
  ...predicted,
  yPred: widened(predicted.yPred as Nest<Tensor>) as Predicted['yPred'],
});

/** Updates the compiled metrics. A returned record replaces the results of all metrics in the logs. */
export function computeMetrics(model: TrainableModel, predicted: Predicted): StepLogs {
  model.trainer.requireCompiled('computeMetrics').metrics.updateState(inFloat32(predicted));
  return undefined;
}
