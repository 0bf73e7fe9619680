/** @file evaluate: computes the metrics of a model over data. */
import { checkSignal } from '../../core/abortSignal.ts';
import { Cleanup } from '../../core/cleanup.ts';
import { type Pieces, repeated } from '../../core/pieces.ts';
import { type CallbackLike, CallbackList } from '../callbacks/callbackList.ts';
import type { AnyBatch, Logs, StepLogs } from './batch.ts';
import type { BatchSource } from './data/batchSource.ts';
import { batchLimit, runBatches } from './batchLoop.ts';
import { isBatchIterable } from './data/iterableSource.ts';
import { type BatchIterable, type Data, openData, requireNone } from './openData.ts';
import { listed, type ListedLogs } from './stepLogs.ts';
import { checkOptions } from '../../core/options.ts';
import { requireBoolean } from '../../core/shape.ts';
import { requireCount, type Verbose, verbosity } from './optionChecks.ts';
import { keepingState } from './keepState.ts';
import { Throttle } from './throttle.ts';
import { type PendingLogs, readLogs } from './readLogs.ts';
import { type LossPass, LossWatch } from './lossWatch.ts';
import type { StepRunner } from './stepRunner.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';
import { freeLogs } from './trainer.ts';

/** Options of `evaluate`. */
export interface EvaluateOptions {
  /** Batch size. Default 32. Not allowed for data that come in batches. */
  batchSize?: number;
  /** 0: silent, 1: progress bar, 2: one line. Default 'auto': 1 in a terminal, 0 elsewhere. */
  verbose?: Verbose;
  /** A weight for each sample, [samples], for losses and weighted metrics. Default: all 1. */
  sampleWeight?: Data | null;
  /** Number of batches to evaluate. Default: all of the data. */
  steps?: number;
  /** Callbacks, or an object of hooks such as { onTestBatchEnd }. Default: none. */
  callbacks?: CallbackLike | readonly CallbackLike[] | null;
  /** Keras's option. It changes nothing: the result has the values by name, and by position when it is destructured. */
  returnDict?: boolean;
  /** Aborts between batches: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

const known = ['batchSize', 'verbose', 'sampleWeight', 'steps', 'callbacks', 'returnDict', 'signal'];

/** Returns the metrics over data, by name: `{ loss, accuracy }`; or by position, the loss first. */
export async function evaluate(
  model: TrainableModel,
  x: Data | BatchIterable,
  y: Data | null,
  options: EvaluateOptions,
): Promise<ListedLogs> {
  checkOptions('evaluate', options, known);
  const { batchSize, sampleWeight, steps, signal, verbose, returnDict = true } = options;
  requireBoolean('evaluate', 'returnDict', returnDict);
  requireCount('evaluate', 'batchSize', batchSize, 1);
  requireCount('evaluate', 'steps', steps, 1);
  const { trainer } = model;
  trainer.requireCompiled('evaluate');
  checkSignal('evaluate', signal);
  const device = deviceOf(model);
  const throttle = new Throttle(device, 'evaluate', signal);
  const cleanup = new Cleanup();
  const { end } = trainer.begin('evaluate');
  cleanup.defer(end);
  const body = async () => {
    if (isBatchIterable(x)) requireNone('evaluate', { y, sampleWeight });
    const data = isBatchIterable(x) ? x : { x, y, sampleWeight };
    const source = throttle.within(() =>
      openData(data, { op: 'evaluate', slots: model.slots, batchSize, cleanup }),
    );
    await throttle.inTurns(repeated(() => source.upload()));
    const runner = trainer.take('test', batchLimit(source, steps ?? null));
    cleanup.defer(() => trainer.release(runner));
    const params = { epochs: 1, steps: steps ?? source.batches, verbose: verbosity(verbose) };
    const callbacks = new CallbackList(options.callbacks, { addProgress: true, model, params });
    cleanup.defer(() => callbacks.release());
    const pass = cleanup.add(new LossWatch(model, throttle).begin(source));
    const evaluation = { source, steps: steps ?? null, runner, throttle, callbacks, pass };
    const pending = await runEvaluation(model, evaluation);
    const [logs] = (await throttle.finish(throttle.within(() => readLogs(pending)))) as [Logs];
    await pass.check(logs);
    trainer.keep('test', runner);
    await callbacks.onTestEnd(logs);
    return listed(
      logs,
      trainer.entries.map(({ key }) => key),
    );
  };
  return cleanup.after(() => keepingState(model, () => throttle.settling(body)));
}

export interface Evaluation {
  readonly source: BatchSource;
  readonly steps: number | null;
  readonly runner: StepRunner<StepLogs>;
  readonly throttle: Throttle;
  readonly callbacks: CallbackList;
  /** Watches the loss. */
  readonly pass: LossPass;
}

/** Launches the evaluation of all batches. Resolves to the metrics, still on the device. */
export async function runEvaluation(
  model: TrainableModel,
  { source, steps, runner, throttle, callbacks, pass }: Evaluation,
): Promise<PendingLogs> {
  const { trainer } = model;
  let stepLogs: StepLogs;
  throttle.within(() => model.resetMetrics());
  await callbacks.onTestBegin();
  source.begin(0, null);
  const results = () => throttle.within(() => trainer.results(stepLogs));
  const read = pass.watching(
    async () => (await throttle.locate(throttle.within(() => readLogs(results()))))[0] as Logs,
  );
  function* step(batch: AnyBatch): Pieces<void> {
    freeLogs(stepLogs);
    stepLogs = yield* runner.inPieces(batch);
    pass.ran(batch);
  }
  try {
    await runBatches({
      op: 'evaluate',
      source,
      steps: batchLimit(source, steps),
      strict: steps !== null,
      perExecution: trainer.stepsPerExecution,
      throttle,
      run: (batch) => throttle.inTurns(step(batch)),
      before: (index) => callbacks.onTestBatchBegin(index),
      after: (index) => callbacks.onTestBatchEnd(index, read),
    });
    pass.end();
    return results();
  } finally {
    freeLogs(stepLogs);
  }
}
