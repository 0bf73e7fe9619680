/** @file The state of a model that training steps change, for recordings of steps (retrograd/inspect). */
import { tidy } from '../../tensor/scope.ts';
import { Variable } from '../../tensor/variable.ts';
import { HostVariable } from '../optimizers/hostVariable.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { seedsOf } from './storedSeeds.ts';

/** The parts of a model that are needed here. */
interface SteppedModel<X> {
  readonly built: boolean;
  readonly weights: readonly Variable[];
  readonly trainableWeights: readonly Variable[];
  readonly optimizer: Optimizer | null;
  readonly metrics: readonly Metric<never>[];
  readonly trainer: { requireIdle(op: string): void };
  loadTraining(): Promise<void>;
  predictOnBatch(x: X): unknown;
  resetMetrics(): void;
}

/**
 * Weights, the optimizer's variables and numbers, and positions in random sequences. A model that isn't built is built by a
 * prediction for `x`, so that its initial weights are part of the state. Metrics are reset by `prepare`.
 */
export async function stepState<X>(model: SteppedModel<X>, x: X) {
  await model.loadTraining();
  if (!model.built) tidy(() => model.predictOnBatch(x));
  const { optimizer } = model;
  if (optimizer && !optimizer.built) optimizer.build(model.trainableWeights);
  const states = optimizer?.variables ?? [];
  const numbers = states.filter((state) => state instanceof HostVariable);
  return {
    variables: [...new Set([...model.weights, ...states.filter((state) => state instanceof Variable)])],
    numbers: [
      ...numbers.map((number) => accessors(number, 'value')),
      ...seedsOf(model).map((sequence) => accessors(sequence, 'position')),
    ],
    accumulators: model.metrics.flatMap(({ variables }) => variables),
    prepare: () => model.resetMetrics(),
    requireIdle: (op: string) => model.trainer.requireIdle(op),
  };
}

function accessors<K extends string>(owner: Record<K, number>, key: K) {
  return {
    get: () => owner[key],
    set: (value: number) => {
      owner[key] = value;
    },
  };
}
