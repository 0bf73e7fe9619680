/** @file The step of prediction that models take unless they have one of their own. It needs no training. */
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Nest } from '../tensorNest.ts';
import type { Batch } from './batch.ts';
import type { TrainableModel } from './trainableModel.ts';

/** Predicts. */
export function predictStep(model: TrainableModel, { x }: Batch): Nest<Tensor> {
  return tidy(() => model.apply(x, { training: false }));
}
