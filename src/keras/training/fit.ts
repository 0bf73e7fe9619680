/** @file fit: trains a model for a number of epochs. */
import { checkSignal } from '../../core/abortSignal.ts';
import { Cleanup } from '../../core/cleanup.ts';
import { type Pieces, repeated } from '../../core/pieces.ts';
import { freshSeed } from '../../ops/define/seeds.ts';
import type { HookResult, RunParams } from '../callbacks/callback.ts';
import { CallbackList } from '../callbacks/callbackList.ts';
import type { History } from '../callbacks/history.ts';
import type { AnyBatch, Logs, StepLogs } from './batch.ts';
import { ClassWeights } from './data/classWeight.ts';
import { type FitOptions, requireFitOptions } from './fitOptions.ts';
import { runEvaluation } from './evaluate.ts';
import { type BatchIterable, type Data, defaultBatchSize, openValidation, requireNone } from './openData.ts';
import { keepingState } from './keepState.ts';
import { Throttle } from './throttle.ts';
import { runBatches } from './batchLoop.ts';
import { type PendingLogs, readLogs } from './readLogs.ts';
import { type LossPass, LossWatch } from './lossWatch.ts';
import type { StepRunner } from './stepRunner.ts';
import { deviceOf, type TrainableModel } from './trainableModel.ts';
import { freeLogs, type Run } from './trainer.ts';
import { verbosity } from './optionChecks.ts';
import { ValueError } from '../../core/errors.ts';
import { isBatchIterable, IterableSource } from './data/iterableSource.ts';
import type { BatchSource } from './data/batchSource.ts';
import type { Slots } from './data/slots.ts';
import { Table, TableSource } from './data/tableSource.ts';

/** The state of a run. */
interface Training extends FitData {
  readonly model: TrainableModel;
  readonly options: FitOptions;
  readonly run: Run;
  readonly classWeights: ClassWeights | null;
  readonly callbacks: CallbackList;
  readonly params: RunParams;
  readonly throttle: Throttle;
  readonly train: StepRunner<StepLogs>;
  readonly test: StepRunner<StepLogs>;
  readonly watch: LossWatch;
}

/** Trains the model. Resolves to the history of the metrics. */
export async function fit(
  model: TrainableModel,
  x: Data | BatchIterable,
  y: Data | null,
  options: FitOptions,
): Promise<History> {
  requireFitOptions(options);
  const { signal, classWeight } = options;
  const seed = options.seed ?? freshSeed();
  const { trainer } = model;
  trainer.requireCompiled('fit');
  checkSignal('fit', signal);
  const device = deviceOf(model);
  const throttle = new Throttle(device, 'fit', signal);
  const cleanup = new Cleanup();
  const { run, end } = trainer.begin('fit');
  cleanup.defer(end);
  const body = async () => {
    const { data, classWeights } = throttle.within(() => ({
      data: openFitData(x, y, { ...options, seed }, model.slots, cleanup),
      classWeights: classWeight
        ? cleanup.add(new ClassWeights('fit', classWeight, model.slots.outputs))
        : null,
    }));
    const upload = () => data.source.upload() || (data.validation?.upload() ?? false);
    await throttle.inTurns(repeated(upload));
    const params = paramsOf(options, seed, data);
    const list = { addProgress: true, model, params, addHistory: true };
    const callbacks = new CallbackList(options.callbacks, list);
    cleanup.defer(() => callbacks.release());
    const history = callbacks.history as History;
    trainer.history = history;
    trainer.forgetSingle();
    model.stopTraining = false;
    const [train, test] = [trainer.take('train', null), trainer.take('test', null)];
    cleanup.defer(() => trainer.release(train));
    cleanup.defer(() => trainer.release(test));
    const watch = new LossWatch(model, throttle);
    const parts = { model, options, run, classWeights, callbacks, params, throttle, train, test, watch };
    await runEpochs({ ...data, ...parts });
    trainer.keep('train', train);
    trainer.keep('test', test);
    return history;
  };
  return cleanup.after(() => keepingState(model, () => throttle.settling(body)));
}

async function runEpochs(training: Training): Promise<void> {
  const { model, options, run, callbacks, throttle } = training;
  const { trainer } = model;
  const { epochs = 1, initialEpoch = 0 } = options;
  await trainer.whileIdle(run, () => callbacks.onTrainBegin());
  let logs: Logs = {};
  for (let epoch = callbacks.initialEpoch ?? initialEpoch; epoch < epochs; epoch++) {
    throttle.where = `epoch ${epoch + 1} of ${epochs}`;
    await trainer.whileIdle(run, () => callbacks.onEpochBegin(epoch));
    logs = await runEpoch(training, epoch);
    // What callbacks add to the logs of an epoch isn't among those of the run's end.
    const ofEpoch = Object.fromEntries(Object.entries(logs));
    await trainer.whileIdle(run, () => callbacks.onEpochEnd(epoch, ofEpoch));
    throttle.check();
    if (model.stopTraining) break;
  }
  const trained = model.trainableWeights;
  if (epochs > 0 && trained.length > 0) {
    const { optimizer } = trainer.requireCompiled('fit');
    throttle.within(() => optimizer.finalizeVariableValues(trained));
  }
  await trainer.whileIdle(run, () => callbacks.onTrainEnd(logs));
}

/** Runs one epoch and its validation. All metrics are read back together at the end. */
function runEpoch(training: Training, epoch: number): Promise<Logs> {
  // Not `using`: the package ships no helper for engines without it.
  const passes = new Cleanup();
  return passes.after(() => runEpochWith(passes, training, epoch));
}

async function runEpochWith(passes: Cleanup, training: Training, epoch: number): Promise<Logs> {
  const { validation, callbacks, throttle, options, watch, source } = training;
  const trainPass = passes.add(watch.begin(source));
  const trained = await runTraining(training, epoch, trainPass);
  const due = validation && isDue(epoch, options.validationFreq ?? 1);
  if (!due) {
    const [logs] = (await throttle.finish(throttle.within(() => readLogs(trained)))) as [Logs];
    await trainPass.check(logs);
    return logs;
  }
  throttle.where += ', validation';
  const validationPass = passes.add(watch.begin(validation));
  const validated = await validate(training, validation, trained, validationPass);
  const [logs, valLogs] = (await throttle.finish(throttle.within(() => readLogs(trained, validated)))) as [
    Logs,
    Logs,
  ];
  const named = Object.entries(valLogs).map(([name, value]) => [`val_${name}`, value]);
  const renamed: Logs = Object.fromEntries(named);
  await trainPass.check(logs);
  await validationPass.check(renamed);
  await callbacks.onTestEnd(valLogs);
  // By name, as in Keras: those of an output `zeta` come after those of validation.
  const all = [...Object.entries(logs), ...named] as [string, number][];
  return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function runTraining(training: Training, epoch: number, pass: LossPass): Promise<PendingLogs> {
  const { model, options, source, callbacks, classWeights, params, throttle, train } = training;
  const { stepsPerEpoch = null } = options;
  let stepLogs: StepLogs;
  const results = () => throttle.within(() => model.trainer.results(stepLogs));
  const read = pass.watching(
    async () => (await throttle.locate(throttle.within(() => readLogs(results()))))[0] as Logs,
  );
  function* step(batch: AnyBatch): Pieces<void> {
    freeLogs(stepLogs);
    stepLogs = yield* train.inPieces(batch);
    pass.ran(batch);
  }
  // Callbacks may have changed which layers are trainable.
  train.refresh();
  throttle.within(() => model.resetMetrics());
  source.begin(epoch, stepsPerEpoch);
  try {
    const count = await runBatches({
      op: 'fit',
      source,
      steps: stepsPerEpoch ?? source.batches,
      strict: true,
      perExecution: model.trainer.stepsPerExecution,
      throttle,
      run: (batch) => {
        if (!callbacks.runsSteps) return throttle.inTurns(weighedStep(batch, classWeights, step));
        const around = (weighed: AnyBatch) =>
          callbacks.aroundTrainStep(weighed, () => throttle.inTurns(step(weighed)), read);
        return weighedUntil(batch, classWeights, around);
      },
      before: (index) => callbacks.onTrainBatchBegin(index),
      after: (index) => callbacks.onTrainBatchEnd(index, read),
      stopped: () => model.stopTraining,
    });
    params.steps ??= count;
    train.endEpoch(model.stopTraining || epoch + 1 === params.epochs);
    pass.end();
    return results();
  } finally {
    freeLogs(stepLogs);
  }
}

/** Runs a step on the batch, with class weights applied if there are any. */
export function* weighedStep<T>(
  batch: AnyBatch,
  weights: ClassWeights | null,
  step: (batch: AnyBatch) => Pieces<T>,
): Pieces<T> {
  const own = weights?.of(batch);
  try {
    return yield* step(own ? { ...batch, sampleWeight: own } : batch);
  } finally {
    own?.dispose();
  }
}

/** `weighedStep` for a body that may wait. */
async function weighedUntil(
  batch: AnyBatch,
  weights: ClassWeights | null,
  body: (batch: AnyBatch) => HookResult,
): Promise<void> {
  const own = weights?.of(batch);
  try {
    await body(own ? { ...batch, sampleWeight: own } : batch);
  } finally {
    own?.dispose();
  }
}

async function validate(
  { model, options, callbacks, throttle, test: runner }: Training,
  source: FitData['source'],
  trained: PendingLogs,
  pass: LossPass,
): Promise<PendingLogs> {
  try {
    const steps = options.validationSteps ?? null;
    return await runEvaluation(model, { source, steps, runner, throttle, callbacks, pass });
  } catch (error) {
    trained.values?.dispose();
    throw error;
  }
}

function isDue(epoch: number, freq: number | readonly number[]): boolean {
  return typeof freq === 'number' ? (epoch + 1) % freq === 0 : freq.includes(epoch + 1);
}

function paramsOf(options: FitOptions, seed: number, { source, validation }: FitData): RunParams {
  const { epochs = 1, stepsPerEpoch } = options;
  const steps = stepsPerEpoch ?? source.batches;
  const { batchSize } = source;
  const sized = batchSize === undefined ? {} : { batchSize };
  const verbose = verbosity(options.verbose);
  return { epochs, steps, verbose, validation: validation !== null, ...sized, seed };
}

interface FitData {
  readonly source: BatchSource;
  readonly validation: BatchSource | null;
}

/** Opens the data of a run. Errors: ValueError, ShapeError. */
function openFitData(
  x: Data | BatchIterable,
  y: Data | null,
  options: FitOptions & { seed: number },
  slots: Slots,
  cleanup: Cleanup,
): FitData {
  const { batchSize, validationSplit = 0, validationData = null, sampleWeight } = options;
  const size = batchSize ?? defaultBatchSize;
  const validationSize = options.validationBatchSize ?? size;
  if (isBatchIterable(validationData))
    requireNone('fit', { validationBatchSize: options.validationBatchSize });
  const given =
    validationData === null
      ? null
      : openValidation(validationData, { op: 'fit', slots, batchSize: validationSize, cleanup });
  if (isBatchIterable(x)) {
    const share = validationSplit === 0 ? undefined : validationSplit;
    const shuffle = options.shuffle || undefined;
    requireNone('fit', { y, sampleWeight, batchSize, validationSplit: share, shuffle });
    const source = cleanup.add(new IterableSource('fit', x, { slots, goOn: true }));
    return { source, validation: given };
  }
  const table = cleanup.add(new Table('fit', { x, y, sampleWeight }, slots));
  const split = given || validationSplit === 0 ? table.rows : splitAt(table.rows, validationSplit);
  const { shuffle = true, seed } = options;
  const source = cleanup.add(new TableSource(table, { batchSize: size, to: split, shuffle, seed }));
  if (split === table.rows) return { source, validation: given };
  const rest = new TableSource(table, { batchSize: validationSize, from: split });
  return { source, validation: cleanup.add(rest) };
}

function splitAt(rows: number, share: number): number {
  const at = Math.floor(rows * (1 - share));
  if (at > 0 && at < rows) return at;
  throw new ValueError({
    op: 'fit',
    rule: '`validationSplit` leaves at least one sample on each side.',
    received: `validationSplit: ${share} of ${rows} samples`,
    hint: 'choose another fraction, or pass validationData.',
  });
}
