/** @file BackupAndRestore: resumes a training run that was interrupted. */
import {
  type Checkpoint,
  type CheckpointModel,
  restoreCheckpoint,
  writeCheckpoint,
} from '../saving/checkpoint.ts';
import type { Logs } from './callback.ts';
import { callback, factoryOf, flag, own } from './declare.ts';
import { invalid, text } from './callbackOptions.ts';
import { type SaveFreq, SaveFrequency } from './saveFrequency.ts';
import { Files, type SinkLike } from './sink.ts';

export interface BackupAndRestoreOptions {
  /** The folder of the backup. Use it for nothing else. */
  backupDir: string;
  /** 'epoch', or a number of batches. An interrupted epoch is repeated from its start. Default 'epoch'. */
  saveFreq?: SaveFreq;
  /** Whether to delete the backup when training is finished. Default true. */
  deleteCheckpoint?: boolean;
  /** Where to store the file. Needs `load`, and `remove` if the backup is deleted. Default: the environment's file storage. */
  sink?: SinkLike;
}

/**
 * Saves a checkpoint after each epoch, and resumes from it when `fit` starts and finds one. Pass the same `seed` to both
 * calls of `fit`, so that samples come in the same order.
 */
export class BackupAndRestore extends /* @__PURE__ */ callback<BackupAndRestoreOptions>(
  'backupAndRestore',
  () => ({
    backupDir: text('must be the name of a folder', "pass a name such as 'run/backup'."),
    saveFreq: { read: (given = 'epoch') => given as SaveFreq },
    deleteCheckpoint: flag(true),
    sink: own,
  }),
) {
  /** The state that the run resumed from; null if there was no backup. */
  restored: Checkpoint['training'] | null = null;
  readonly #name: string;
  readonly #frequency: SaveFrequency;
  readonly #files: Files;
  #epoch = 0;

  /** Errors: ValueError for invalid options. */
  constructor(options: BackupAndRestoreOptions) {
    super(options);
    const op = 'backupAndRestore';
    this.#name = `${this.backupDir.replace(/\/$/, '')}/latest.safetensors`;
    this.#frequency = new SaveFrequency(op, this.saveFreq);
    this.#files = new Files(op, options.sink);
  }

  /** Errors: ValueError if the model has no weights yet; FormatError for the backup of another model. */
  override async onTrainBegin(): Promise<void> {
    this.#frequency.reset();
    this.restored = null;
    const file = await this.#files.load(this.#name);
    if (!file) return;
    const model = this.#model;
    if (model.weights.length === 0) {
      throw invalid(
        'backupAndRestore',
        'a model must have its weights before they are restored.',
        `'${model.name}', which has none yet`,
        'define its input shapes, or call it on a batch first.',
      );
    }
    this.restored = restoreCheckpoint(model, file, { file: this.#name }).training;
    this.initialEpoch = this.restored.epoch;
  }

  override onEpochBegin(epoch: number): void {
    this.#epoch = epoch;
  }

  override onTrainBatchEnd(batch: number): void | Promise<void> {
    if (this.#frequency.batchEnded(batch))
      return this.#save({ epoch: this.#epoch, batch: batch + 1, logs: {} });
  }

  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    this.#epoch = epoch + 1;
    if (this.#frequency.isEpoch) await this.#save({ epoch: epoch + 1, batch: 0, logs });
  }

  override async onTrainEnd(): Promise<void> {
    if (this.deleteCheckpoint) await this.#files.remove(this.#name);
  }

  get #model(): CheckpointModel {
    return this.model as unknown as CheckpointModel;
  }

  async #save(state: { epoch: number; batch: number; logs: Logs }): Promise<void> {
    const { seed = null } = this.params as { seed?: number | null };
    await this.#files.save(this.#name, await writeCheckpoint(this.#model, { ...state, seed }));
  }
}

/** Resumes a training run that was interrupted. */
export const backupAndRestore = /* @__PURE__ */ factoryOf(BackupAndRestore, ['backupDir', 'saveFreq']);
