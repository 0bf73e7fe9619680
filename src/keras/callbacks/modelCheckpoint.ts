/** @file ModelCheckpoint: saves the model or its weights during training. */
import { describe } from '../../core/shape.ts';
import { type CheckpointModel, writeCheckpoint } from '../saving/checkpoint.ts';
import { modelBytes, weightsBytes } from '../saving/modelBytes.ts';
import type { SavedModel } from '../saving/saveables.ts';
import { saveWeights } from '../saving/weights.ts';
import type { Logs } from './callback.ts';
import { callback, factoryOf, checked, flag, number, own, monitorTable } from './declare.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { invalid, type Say, sayer, type VerboseOptions } from './callbackOptions.ts';
import { PathTemplate } from './pathTemplate.ts';
import { type SaveFreq, SaveFrequency } from './saveFrequency.ts';
import { Files, type SinkLike } from './sink.ts';

export interface ModelCheckpointOptions extends Omit<MonitorOptions, 'minDelta'>, VerboseOptions {
  /**
   * The file name. Its end chooses the format: '.keras', a model, or '.weights.h5', its weights, both as in Keras; or
   * '.safetensors', a checkpoint of this library. It may contain values in braces: `{epoch}` and, if `saveFreq` is a number,
   * `{batch}` (both from 1), and those of the logs, such as `{val_loss:.2f}`.
   */
  filepath: string;
  /** Whether to save only if the monitored value has improved. Default false. */
  saveBestOnly?: boolean;
  /**
   * Whether to save only the weights, for `loadWeights`. Default: true for '.weights.h5', otherwise false: a model, for
   * `loadModel`, or a checkpoint, for `loadCheckpoint` and `loadModel`.
   */
  saveWeightsOnly?: boolean;
  /** 'epoch', or a number of batches. Default 'epoch'. */
  saveFreq?: SaveFreq;
  /** The value that the first save must improve on, with `saveBestOnly`. Default: none. */
  initialValueThreshold?: number | null;
  /** Where to store files. Default: the environment's file storage. */
  sink?: SinkLike;
}

export class ModelCheckpoint extends /* @__PURE__ */ callback<ModelCheckpointOptions>(
  'modelCheckpoint',
  () => ({
    ...monitorTable(),
    filepath: checked((op, _, given) => {
      formatOf(op, given);
    }),
    saveBestOnly: flag(false),
    saveWeightsOnly: {
      read: (given, place) =>
        flag().read(given ?? formatOf(place.op, place.values.filepath) === '.weights.h5', place),
    },
    saveFreq: { read: (given = 'epoch') => given as SaveFreq },
    initialValueThreshold: number({ default: null }),
    sink: own,
  }),
) {
  override readonly readsBatchLogs: boolean;
  /** The name of the last saved file. */
  lastSaved: string | null = null;
  readonly #path: PathTemplate;
  readonly #monitor: Monitor;
  readonly #format: Ending;
  readonly #frequency: SaveFrequency;
  readonly #files: Files;
  readonly #say: Say;
  #epoch = 0;

  /** Errors: ValueError for invalid options. */
  constructor(options: ModelCheckpointOptions) {
    super(options);
    const op = 'modelCheckpoint';
    const { filepath, saveBestOnly, saveWeightsOnly, saveFreq } = this;
    this.#format = formatOf(op, filepath);
    requireContent(op, filepath, this.#format, saveWeightsOnly);
    this.#path = new PathTemplate(op, filepath);
    this.#monitor = new Monitor(op, options);
    this.#monitor.best = this.initialValueThreshold;
    this.#frequency = new SaveFrequency(op, saveFreq);
    this.#files = new Files(op, options.sink);
    this.#say = sayer(op, options);
    const usesLogs = this.#path.names.some((name) => name !== 'epoch' && name !== 'batch');
    this.readsBatchLogs = !this.#frequency.isEpoch && (saveBestOnly || usesLogs);
  }

  /** The best value so far; null before the first one. */
  get best(): number | null {
    return this.#monitor.best;
  }

  override onTrainBegin(): void {
    this.#frequency.reset();
  }

  override onEpochBegin(epoch: number): void {
    this.#epoch = epoch;
  }

  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    if (this.#frequency.isEpoch) await this.#save(epoch, null, logs);
  }

  override onTrainBatchEnd(batch: number, logs: Logs): void | Promise<void> {
    if (this.#frequency.batchEnded(batch)) return this.#save(this.#epoch, batch, logs);
  }

  async #save(epoch: number, batch: number | null, logs: Logs): Promise<void> {
    const position: Record<string, number> = {
      epoch: epoch + 1,
      ...(batch === null ? {} : { batch: batch + 1 }),
    };
    const path = this.#path.fill({ ...logs, ...position });
    if (this.saveBestOnly && !this.#isBest(epoch, logs, path)) return;
    if (!this.saveBestOnly) this.#say(`\nEpoch ${epoch + 1}: saving model to ${path}`);
    await this.#files.save(path, await this.#bytes(epoch, batch, logs));
    this.lastSaved = path;
  }

  #bytes(epoch: number, batch: number | null, logs: Logs): Promise<Uint8Array<ArrayBuffer>> {
    const model = this.model as unknown as CheckpointModel & SavedModel;
    if (this.#format === '.keras') return modelBytes(model);
    if (this.#format === '.weights.h5') return weightsBytes(model);
    if (this.saveWeightsOnly) return saveWeights(model);
    const { seed = null } = this.params as { seed?: number | null };
    return writeCheckpoint(model, {
      epoch: batch === null ? epoch + 1 : epoch,
      batch: batch === null ? 0 : batch + 1,
      seed,
      logs,
    });
  }

  #isBest(epoch: number, logs: Logs, path: string): boolean {
    const { name, best } = this.#monitor;
    const value = this.#monitor.read(logs, this.params);
    if (value === null) return false;
    const before = best === null ? 'nothing' : best.toFixed(5);
    if (!this.#monitor.improves(value, best, this.model)) {
      this.#say(`\nEpoch ${epoch + 1}: ${name} did not improve from ${before}`);
      return false;
    }
    this.#say(
      `\nEpoch ${epoch + 1}: ${name} improved from ${before} to ${value.toFixed(5)}, saving model to ${path}`,
    );
    this.#monitor.best = value;
    return true;
  }
}

const endings = ['.weights.h5', '.keras', '.safetensors'] as const;
type Ending = (typeof endings)[number];

/** Errors: ValueError for a name of another format. */
function formatOf(op: string, filepath: unknown): Ending {
  const name = typeof filepath === 'string' ? filepath : '';
  const found = endings.find((ending) => name.endsWith(ending));
  if (found) return found;
  throw invalid(
    op,
    "`filepath` is the name of a file that ends in '.keras', '.weights.h5' or '.safetensors'.",
    `filepath: ${describe(filepath)}`,
    "pass a name such as 'run/{epoch:02d}.keras'.",
  );
}

/** Errors: ValueError for weights in a file of models, and the reverse. */
function requireContent(op: string, filepath: string, format: Ending, weightsOnly: boolean): void {
  if (format === '.safetensors' || weightsOnly === (format === '.weights.h5')) return;
  throw invalid(
    op,
    "a file '.keras' holds a model, and a file '.weights.h5' its weights alone.",
    `'${filepath}' with saveWeightsOnly: ${weightsOnly}`,
    weightsOnly ? "call it '.weights.h5'." : "call it '.keras', or leave out `saveWeightsOnly`.",
  );
}

/** Saves the model, or its weights, after epochs or batches. */
export const modelCheckpoint = /* @__PURE__ */ factoryOf(ModelCheckpoint, ['filepath', 'monitor']);
