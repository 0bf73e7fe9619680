/** @file A stub model for callbacks, with given epochs. */
import {
  type CallbackLike,
  CallbackList,
  type CallbackModel,
  type Logs,
  type RunParams,
} from '../../../src/keras/callbacks/index.ts';
import type { Direction, Metric } from '../../../src/keras/metrics/index.ts';
import type { Variable } from '../../../src/index.ts';

/** Returns the direction of a metric by its name. */
export const measured = (directions: Record<string, Direction>) =>
  Object.entries(directions).map(([name, direction]) => ({ name, direction }) as unknown as Metric<never>);

export class StubModel implements CallbackModel {
  readonly name = 'stub';
  stopTraining = false;
  readonly weights: Variable[] = [];
  readonly getWeights = () => [];
  readonly setWeights = () => {};
  metrics: readonly Metric<never>[] = [];
  optimizer: { name: string; learningRate: number; schedule: object | null } | null = {
    name: 'sgd',
    learningRate: 1,
    schedule: null,
  };
}

export interface StubRun {
  model?: StubModel;
  params?: Partial<RunParams>;
  /** Called in an epoch before it ends. */
  train?: (epoch: number, model: StubModel) => void;
}

/** Runs epochs with `logs` each, like fit, until a callback stops it. Returns the number of epochs that ran, and the logs. */
export async function runEpochs(
  callbacks: CallbackLike | CallbackLike[],
  logs: readonly Logs[],
  { model = new StubModel(), params = {}, train }: StubRun = {},
): Promise<{ epochs: number; logs: Logs[]; list: CallbackList; model: StubModel }> {
  const all: RunParams = { epochs: logs.length, steps: 1, verbose: 0, ...params };
  const list = new CallbackList(callbacks, { model, params: all, addHistory: true });
  const seen: Logs[] = [];
  model.stopTraining = false;
  try {
    await list.onTrainBegin();
    let epochs = list.initialEpoch ?? 0;
    while (epochs < logs.length) {
      await list.onEpochBegin(epochs);
      train?.(epochs, model);
      const own = { ...(logs[epochs] as Logs) };
      await list.onEpochEnd(epochs, own);
      seen.push(own);
      epochs++;
      if (model.stopTraining) break;
    }
    await list.onTrainEnd(seen.at(-1) ?? {});
    return { epochs, logs: seen, list, model };
  } finally {
    list.release();
  }
}

/** Epochs with one value each. */
export const series = (name: string, ...values: number[]): Logs[] =>
  values.map((value) => ({ [name]: value }));
