/** @file TensorBoard: the curves and weights of a training run as event files. */
import { isList, type Logs } from './callback.ts';
import { callback, checked, factoryOf, flag, integer, own } from './declare.ts';
import { describe } from '../../core/shape.ts';
import { invalid, text } from './callbackOptions.ts';
import { histogramEvent, type Scalar, scalarEvent, versionEvent } from './eventFile.ts';
import { Files, type SinkLike } from './sink.ts';

export interface TensorBoardOptions {
  /** The folder of the run; its files are in `train` and `validation` below it. Default 'logs'. */
  logDir?: string;
  /** Epochs between histograms of all weights, the first epoch included. Default 0: none. */
  histogramFreq?: number;
  /**
   * Batches between points of the curves `batch_loss` and so on, the means of the epoch so far, counted over the whole run; 'batch'
   * is 1. Training then waits for the logs of each batch. Default 'epoch': none.
   */
  updateFreq?: 'epoch' | 'batch' | number;
  /** Whether epochs have the curve `epoch_steps_per_second`. Default false. */
  writeStepsPerSecond?: boolean;
  /** Where to store files. Default: the environment's file storage. */
  sink?: SinkLike;
}

/** The events of a file, and its name. */
interface Curves {
  readonly file: string;
  readonly events: Uint8Array<ArrayBuffer>[];
}

/** Files are written whole after each epoch, so that they are complete at any time. */
export class TensorBoard extends /* @__PURE__ */ callback<TensorBoardOptions>('tensorBoard', () => ({
  logDir: text('names a folder', "pass 'logs/run-1'.", 'logs'),
  histogramFreq: integer({ min: 0, default: 0 }),
  updateFreq: checked(requireFrequency, 'epoch'),
  writeStepsPerSecond: flag(false),
  sink: own,
})) {
  override readonly readsBatchLogs: boolean;
  readonly #files: Files;
  #runs = new Map<string, Curves>();
  #begin = 0;
  /** Batches since the run began, and those before the current epoch. */
  #batches = 0;
  #before = 0;
  #epochBegin = 0;

  /** Errors: ValueError for options. */
  constructor(options: TensorBoardOptions = {}) {
    super(options);
    this.#files = new Files('tensorBoard', options.sink);
    this.readsBatchLogs = this.updateFreq !== 'epoch';
  }

  override onTrainBegin(): void {
    this.#begin = Date.now() / 1000;
    this.#runs = new Map();
    this.#batches = 0;
  }

  override onEpochBegin(): void {
    this.#before = this.#batches;
    this.#epochBegin = performance.now();
  }

  /** Batches are counted from 1, as in Keras. They are written with their epoch. */
  override onTrainBatchEnd(_batch: number, logs: Logs): void {
    this.#batches++;
    const { updateFreq } = this;
    if (updateFreq === 'epoch' || this.#batches % (updateFreq === 'batch' ? 1 : updateFreq) !== 0) return;
    const scalars = Object.entries(logs).flatMap(curvesOf);
    this.#event(
      'train',
      this.#batches,
      scalars.map(([name, value]) => ({ tag: `batch_${name}`, value })),
    );
  }

  /** Writes values as Keras does: as `epoch_loss` and so on, with the number of the epoch as step. */
  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    const entries = Object.entries(logs).flatMap(curvesOf);
    const isValidation = ([name]: [string, number]) => name.startsWith('val_');
    const scalar = ([name, value]: [string, number]): Scalar => ({ tag: `epoch_${name}`, value });
    const trained = entries.filter((entry) => !isValidation(entry));
    const own = Object.entries(this.#measured()).filter(([name]) => !(name in logs));
    this.#event('train', epoch, [...trained, ...own].map(scalar));
    const { histogramFreq } = this;
    if (histogramFreq > 0 && epoch % histogramFreq === 0) await this.#addHistograms(epoch);
    const validated = entries.filter(isValidation).map(([name, value]) => scalar([name.slice(4), value]));
    if (validated.length > 0) this.#event('validation', epoch, validated);
    for (const { file, events } of this.#runs.values()) await this.#files.save(file, joined(events));
  }

  /** What an epoch's logs don't have. */
  #measured(): Record<string, number> {
    const { optimizer } = this.model;
    const seconds = (performance.now() - this.#epochBegin) / 1000;
    return {
      ...(optimizer ? { learning_rate: optimizer.learningRate } : {}),
      ...(this.writeStepsPerSecond ? { steps_per_second: (this.#batches - this.#before) / seconds } : {}),
    };
  }

  async #addHistograms(epoch: number): Promise<void> {
    for (const weight of this.model.weights) {
      const tag = `${weight.path}/histogram`;
      this.#curves('train').events.push(
        histogramEvent(Date.now() / 1000, epoch, { tag, values: await weight.data() }),
      );
    }
  }

  #event(run: string, step: number, scalars: readonly Scalar[]): void {
    this.#curves(run).events.push(scalarEvent(Date.now() / 1000, step, scalars));
  }

  #curves(run: string): Curves {
    return this.#runs.get(run) ?? this.#open(run);
  }

  #open(run: string): Curves {
    const file = `${this.logDir}/${run}/events.out.tfevents.${Math.floor(this.#begin)}.retrograd`;
    const curves = { file, events: [versionEvent(this.#begin)] };
    this.#runs.set(run, curves);
    return curves;
  }
}

/** A metric of several values has a curve for each: `name_0`, `name_1`, and so on. */
function curvesOf([name, value]: [string, unknown]): [string, number][] {
  return isList(value)
    ? value.flatMap((one, i) => curvesOf([`${name}_${i}`, one]))
    : [[name, value as number]];
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function requireFrequency(op: string, what: string, given: unknown): 'epoch' | 'batch' | number {
  if (given === 'epoch' || given === 'batch' || (Number.isInteger(given) && (given as number) >= 1))
    return given as number;
  throw invalid(
    op,
    `\`${what}\` is 'epoch', 'batch' or a number of batches.`,
    `${what}: ${describe(given)}`,
    'pass 100.',
  );
}

/**
 * Writes the logs of epochs as event files, for `tensorboard --logdir logs`: curves, and histograms of weights; no graphs. Epochs also
 * have the learning rate. Errors: ValueError for options.
 */
export const tensorBoard = /* @__PURE__ */ factoryOf(TensorBoard, ['logDir']);
