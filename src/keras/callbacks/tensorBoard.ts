/** @file TensorBoard: the curves of a training run as event files. */
import { isList, type Logs } from './callback.ts';
import { callback, factoryOf, own } from './declare.ts';
import { text } from './callbackOptions.ts';
import { type Scalar, scalarEvent, versionEvent } from './eventFile.ts';
import { Files, type SinkLike } from './sink.ts';

export interface TensorBoardOptions {
  /** The folder of the run; its files are in `train` and `validation` below it. Default 'logs'. */
  logDir?: string;
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
  sink: own,
})) {
  readonly #files: Files;
  #runs = new Map<string, Curves>();
  #begin = 0;

  /** Errors: ValueError for options. */
  constructor(options: TensorBoardOptions = {}) {
    super(options);
    this.#files = new Files('tensorBoard', options.sink);
  }

  override onTrainBegin(): void {
    this.#begin = Date.now() / 1000;
    this.#runs = new Map();
  }

  /** Writes values as Keras does: as `epoch_loss` and so on, with the number of the epoch as step. */
  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    const entries = Object.entries(logs).flatMap(curvesOf);
    const isValidation = ([name]: [string, number]) => name.startsWith('val_');
    const scalar = ([name, value]: [string, number]): Scalar => ({ tag: `epoch_${name}`, value });
    await this.#add('train', epoch, entries.filter((entry) => !isValidation(entry)).map(scalar));
    const validated = entries.filter(isValidation).map(([name, value]) => scalar([name.slice(4), value]));
    if (validated.length > 0) await this.#add('validation', epoch, validated);
  }

  async #add(run: string, step: number, scalars: readonly Scalar[]): Promise<void> {
    const curves = this.#runs.get(run) ?? this.#open(run);
    curves.events.push(scalarEvent(Date.now() / 1000, step, scalars));
    await this.#files.save(curves.file, joined(curves.events));
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

/**
 * Writes the logs of epochs as event files, for `tensorboard --logdir logs`. Only curves: no graphs or histograms.
 * Errors: ValueError for options.
 */
export const tensorBoard = /* @__PURE__ */ factoryOf(TensorBoard, ['logDir']);
