/** @file predict: computes the outputs of a model for data. */
import { checkSignal } from '../../core/abortSignal.ts';
import { Cleanup } from '../../core/cleanup.ts';
import { type Pieces, repeated } from '../../core/pieces.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CallbackLike, CallbackList } from '../callbacks/callbackList.ts';
import { leavesOf, type Nest, packNest } from '../tensorNest.ts';
import type { AnyBatch } from './batch.ts';
import { isBatchIterable } from './data/iterableSource.ts';
import { type BatchIterable, type Data, openData } from './openData.ts';
import { batchLimit, runBatches } from './batchLoop.ts';
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import { requireCount, type Verbose, verbosity } from './optionChecks.ts';
import { Throttle } from './throttle.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';

/** Options of `predict`. */
export interface PredictOptions {
  /** Batch size. Default 32. Not allowed for data that come in batches. */
  batchSize?: number;
  /** 0: silent, 1: progress bar, 2: one line. Default 'auto': 1 in a terminal, 0 elsewhere. */
  verbose?: Verbose;
  /** Number of batches to predict. Default: all of the data. */
  steps?: number;
  /** Callbacks, or an object of hooks such as { onPredictBatchEnd }. Default: none. */
  callbacks?: CallbackLike | readonly CallbackLike[] | null;
  /** Aborts between batches: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

const known = ['batchSize', 'verbose', 'steps', 'callbacks', 'signal'];

/** Returns the outputs for all samples, on the device, in the nest of the model's outputs. The caller frees them. */
export async function predict(
  model: TrainableModel,
  x: Data | BatchIterable,
  options: PredictOptions,
  extra: readonly unknown[] = [],
): Promise<Nest<Tensor>> {
  rejectExtraArguments('predict', extra, ['x', 'options']);
  checkOptions('predict', options, known);
  const { batchSize, steps, signal, verbose } = options;
  requireCount('predict', 'batchSize', batchSize, 1);
  requireCount('predict', 'steps', steps, 1);
  checkSignal('predict', signal);
  const device = deviceOf(model);
  const cleanup = new Cleanup();
  const parts: Nest<Tensor>[] = [];
  cleanup.defer(() => {
    for (const part of parts) for (const tensor of leavesOf<Tensor>(part)) tensor.dispose();
  });
  const throttle = new Throttle(device, 'predict', signal);
  const body = async () => {
    const data = isBatchIterable(x) ? x : { x };
    const source = throttle.within(() =>
      openData(data, { op: 'predict', slots: model.slots, batchSize, cleanup }),
    );
    await throttle.inTurns(repeated(() => source.upload()));
    const limit = batchLimit(source, steps ?? null);
    const { trainer } = model;
    const runner = trainer.take('predict', limit);
    cleanup.defer(() => trainer.release(runner));
    const callbacks = new CallbackList(options.callbacks, {
      addProgress: true,
      model,
      params: { epochs: 1, steps: steps ?? source.batches, verbose: verbosity(verbose) },
    });
    cleanup.defer(() => callbacks.release());
    function* step(batch: AnyBatch): Pieces<void> {
      parts.push(yield* runner.inPieces(batch));
    }
    await callbacks.onPredictBegin();
    source.begin(0, null);
    await runBatches({
      op: 'predict',
      source,
      steps: limit,
      strict: steps !== undefined,
      perExecution: model.trainer.stepsPerExecution,
      throttle,
      run: (batch) => throttle.inTurns(step(batch)),
      before: (index) => callbacks.onPredictBatchBegin(index),
      after: (index) => callbacks.onPredictBatchEnd(index),
    });
    await throttle.finish(device.finish());
    trainer.keep('predict', runner);
    await callbacks.onPredictEnd();
    return throttle.within(() => joined(parts));
  };
  return cleanup.after(() => throttle.settling(body));
}

/** Returns the outputs of all batches, concatenated. */
export function joined(parts: Nest<Tensor>[]): Nest<Tensor> {
  const [first] = parts as [Nest<Tensor>];
  if (parts.length === 1) return parts.pop() as Nest<Tensor>;
  const columns = parts.map((part) => leavesOf<Tensor>(part));
  const leaves = leavesOf<Tensor>(first).map((_, i) =>
    keep(
      concat(
        columns.map((column) => column[i] as Tensor),
        { axis: 0 },
      ),
    ),
  );
  return packNest(first, leaves);
}
