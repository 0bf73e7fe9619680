/** @file ModelCheckpoint: saves the model or its weights during training. */
import { describe, requireBoolean } from '../../core/shape.ts';
import { type CheckpointModel, writeCheckpoint } from '../saving/checkpoint.ts';
import { saveWeights } from '../saving/weights.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { Callback, type Logs } from './callback.ts';
import { Monitor, type MonitorOptions } from './monitor.ts';
import { byPosition, checkOptions, type Settings } from '../../core/options.ts';
import { invalid, type Say, sayer, type VerboseOptions } from './callbackOptions.ts';
import { PathTemplate } from './pathTemplate.ts';
import { type SaveFreq, SaveFrequency } from './saveFrequency.ts';
import { Files, type SinkLike } from './sink.ts';

/** Options of `modelCheckpoint`. */
export interface ModelCheckpointOptions extends Omit<MonitorOptions, 'minDelta'>, VerboseOptions {
  /**
   * The file name, which ends in '.safetensors'. It may contain values in braces: `{epoch}` and, if `saveFreq` is a number,
   * `{batch}` (both from 1), and those of the logs, such as `{val_loss:.2f}`.
   */
  filepath: string;
  /** Whether to save only if the monitored value has improved. Default false. */
  saveBestOnly?: boolean;
  /** Whether to save only the weights, for `loadWeights`. Default false: a checkpoint, for `loadCheckpoint`. */
  saveWeightsOnly?: boolean;
  /** 'epoch', or a number of batches. Default 'epoch'. */
  saveFreq?: SaveFreq;
  /** The value that the first save must improve on, with `saveBestOnly`. Default: none. */
  initialValueThreshold?: number | null;
  /** Where to store files. Default: the environment's file storage. */
  sink?: SinkLike;
}

const known = [
  'filepath',
  'monitor',
  'verbose',
  'saveBestOnly',
  'saveWeightsOnly',
  'mode',
  'saveFreq',
  'initialValueThreshold',
  'sink',
  'say',
];

/** The class of callbacks created by `modelCheckpoint`, which documents options and errors. */
export class ModelCheckpoint extends Callback {
  override readonly readsBatchLogs: boolean;
  /** The name of the last saved file. */
  lastSaved: string | null = null;
  readonly #path: PathTemplate;
  readonly #monitor: Monitor;
  readonly #bestOnly: boolean;
  readonly #weightsOnly: boolean;
  readonly #frequency: SaveFrequency;
  readonly #files: Files;
  readonly #say: Say;
  #epoch = 0;

  /** Errors: ValueError for invalid options. */
  constructor(options: ModelCheckpointOptions) {
    super();
    const op = 'modelCheckpoint';
    checkOptions(op, options, known);
    const { filepath, saveBestOnly = false, saveWeightsOnly = false, saveFreq = 'epoch' } = options;
    const { initialValueThreshold = null } = options;
    if (typeof filepath !== 'string' || !filepath.endsWith('.safetensors')) {
      throw invalid(
        op,
        "`filepath` is the name of a file that ends in '.safetensors'.",
        `filepath: ${describe(filepath)}`,
        "pass a name such as 'run/{epoch:02d}.safetensors'.",
      );
    }
    requireBoolean(op, 'saveBestOnly', saveBestOnly);
    requireBoolean(op, 'saveWeightsOnly', saveWeightsOnly);
    if (initialValueThreshold !== null) requireNumber(op, 'initialValueThreshold', initialValueThreshold);
    this.#path = new PathTemplate(op, filepath);
    this.#monitor = new Monitor(op, options);
    this.#monitor.best = initialValueThreshold;
    this.#bestOnly = saveBestOnly;
    this.#weightsOnly = saveWeightsOnly;
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
    if (this.#frequency.batchEnded()) return this.#save(this.#epoch, batch, logs);
  }

  async #save(epoch: number, batch: number | null, logs: Logs): Promise<void> {
    const position: Record<string, number> = {
      epoch: epoch + 1,
      ...(batch === null ? {} : { batch: batch + 1 }),
    };
    const path = this.#path.fill({ ...logs, ...position });
    if (this.#bestOnly && !this.#isBest(epoch, logs, path)) return;
    if (!this.#bestOnly) this.#say(`\nEpoch ${epoch + 1}: saving model to ${path}`);
    const model = this.model as CheckpointModel & typeof this.model;
    const { seed = null } = this.params as { seed?: number | null };
    const state = {
      epoch: batch === null ? epoch + 1 : epoch,
      batch: batch === null ? 0 : batch + 1,
      seed,
      logs,
    };
    const bytes = this.#weightsOnly ? await saveWeights(model) : await writeCheckpoint(model, state);
    await this.#files.save(path, bytes);
    this.lastSaved = path;
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

/** Saves the model, or its weights, after epochs or batches. */
export function modelCheckpoint(
  ...settings: Settings<ModelCheckpointOptions, ['filepath', 'monitor']>
): ModelCheckpoint;
export function modelCheckpoint(...args: unknown[]): ModelCheckpoint {
  return new ModelCheckpoint(byPosition('modelCheckpoint', args, ['filepath', 'monitor']) as never);
}
