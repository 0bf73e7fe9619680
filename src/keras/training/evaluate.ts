/** @file evaluate: the metrics of a model over data. */
import { withDevice } from '../../webgpu/device.ts';
import { type CallbackLike, CallbackList } from '../callbacks/callbackList.ts';
import type { Logs, StepLogs } from './batch.ts';
import type { BatchSource } from './data/batchSource.ts';
import { runPass, stepsOfPass } from './batchLoop.ts';
import { isBatchIterable } from './data/iterableSource.ts';
import { type BatchIterable, Cleanup, type Data, openData, requireNone } from './openData.ts';
import { requireKnownOptions } from '../knownOptions.ts';
import { requireCount } from './optionChecks.ts';
import { Pace } from './throttle.ts';
import { type PendingLogs, readLogs } from './readLogs.ts';
import type { StepRunner } from './stepRunner.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';
import { freeLogs } from './trainer.ts';
import { type Verbose, verbosity } from './verbose.ts';

export interface EvaluateOptions {
  /** Samples in a batch. Default 32. Not for batches that come ready. */
  batchSize?: number;
  /** 0: silent, 1: a progress bar, 2: a line. Default 'auto': 1 in a terminal, 0 elsewhere. */
  verbose?: Verbose;
  sampleWeight?: Data | null;
  /** Batches to take. Default: all. */
  steps?: number;
  callbacks?: CallbackLike | readonly CallbackLike[] | null;
  /** Ends the evaluation between batches; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

const known = ['batchSize', 'verbose', 'sampleWeight', 'steps', 'callbacks', 'signal'];

/** The metrics over data, by name: `{ loss, accuracy }`. */
export async function evaluate(
  model: TrainableModel,
  x: Data | BatchIterable,
  y: Data | null,
  options: EvaluateOptions,
): Promise<Logs> {
  requireKnownOptions('evaluate', options, known);
  const { batchSize, sampleWeight, steps, signal, verbose } = options;
  requireCount('evaluate', 'batchSize', batchSize, 1);
  requireCount('evaluate', 'steps', steps, 1);
  const { trainer } = model;
  trainer.requireCompiled('evaluate');
  signal?.throwIfAborted();
  const { end } = trainer.begin('evaluate');
  const device = deviceOf(model);
  const cleanup = new Cleanup();
  const pace = new Pace(device, 'evaluate', signal);
  let callbacks: CallbackList | null = null;
  try {
    if (isBatchIterable(x)) requireNone('evaluate', { y, sampleWeight });
    const data = isBatchIterable(x) ? x : { x, y, sampleWeight };
    const source = withDevice(device, () =>
      openData(data, { op: 'evaluate', slots: model.slots, batchSize, cleanup }),
    );
    await pace.inPieces(() => source.upload());
    const runner = cleanup.add(trainer.runTest());
    const params = { epochs: 1, steps: steps ?? source.batches, verbose: verbosity(verbose) };
    callbacks = new CallbackList(options.callbacks, { addProgress: true, model, params });
    const pending = await testPass(model, { source, steps: steps ?? null, runner, pace, callbacks });
    const [logs] = (await pace.finish(readLogs(pending))) as [Logs];
    await callbacks.onTestEnd(logs);
    return logs;
  } catch (error) {
    throw await pace.abandon(error);
  } finally {
    callbacks?.release();
    cleanup.dispose();
    end();
  }
}

export interface TestPass {
  readonly source: BatchSource;
  readonly steps: number | null;
  readonly runner: StepRunner<StepLogs>;
  readonly pace: Pace;
  readonly callbacks: CallbackList;
}

/** Launches the evaluation of all batches; resolves to their metrics, on their way. */
export async function testPass(
  model: TrainableModel,
  { source, steps, runner, pace, callbacks }: TestPass,
): Promise<PendingLogs> {
  const { trainer } = model;
  let stepLogs: StepLogs;
  model.resetMetrics();
  await callbacks.onTestBegin();
  source.begin(0, null);
  const read = async () => (await pace.place(readLogs(trainer.results(stepLogs))))[0] as Logs;
  try {
    await runPass({
      op: 'evaluate',
      source,
      steps: stepsOfPass(source, steps),
      strict: steps !== null,
      pace,
      run: (batch) => {
        freeLogs(stepLogs);
        stepLogs = runner.run(batch);
      },
      before: (index) => callbacks.onTestBatchBegin(index),
      after: (index) => callbacks.onTestBatchEnd(index, read),
    });
    return trainer.results(stepLogs);
  } finally {
    freeLogs(stepLogs);
  }
}
