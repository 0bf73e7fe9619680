/** @file BackupAndRestore: a training that was interrupted goes on where it was. */
import { describe, requireBoolean } from '../../core/shape.ts';
import {
  type Checkpoint,
  type CheckpointModel,
  restoreCheckpoint,
  writeCheckpoint,
} from '../saving/checkpoint.ts';
import { Callback, type Logs } from './callback.ts';
import { requireKnownOptions } from '../knownOptions.ts';
import { refusal } from './callbackOptions.ts';
import { type SaveFreq, SaveFrequency } from './saveFrequency.ts';
import { Files, type SinkLike } from './sink.ts';

export interface BackupAndRestoreOptions {
  /** The folder of the backup, which is its own. */
  backupDir: string;
  /** After each epoch, or after so many batches; an epoch that was interrupted is begun anew. Default 'epoch'. */
  saveFreq?: SaveFreq;
  /** Whether the backup goes once the training is through. Default true. */
  deleteCheckpoint?: boolean;
  /** Where files are kept: one that loads, and removes where the backup goes. Default: where the environment keeps files. */
  sink?: SinkLike;
}

/**
 * Saves the training after each epoch, and takes it up again at the beginning of a `fit` that finds a backup. Pass the
 * same `seed` to both calls of `fit`, so that samples come in the same order.
 */
export class BackupAndRestore extends Callback {
  /** What was taken up at the beginning of the run; null where there was no backup. */
  restored: Checkpoint['training'] | null = null;
  readonly #name: string;
  readonly #frequency: SaveFrequency;
  readonly #deletes: boolean;
  readonly #files: Files;
  #epoch = 0;

  /** Errors: ValueError for options. */
  constructor(options: BackupAndRestoreOptions) {
    super();
    const op = 'backupAndRestore';
    requireKnownOptions(op, options, ['backupDir', 'saveFreq', 'deleteCheckpoint', 'sink']);
    const { backupDir, saveFreq = 'epoch', deleteCheckpoint = true, sink } = options;
    if (typeof backupDir !== 'string' || backupDir === '') {
      throw refusal(
        op,
        '`backupDir` names a folder.',
        `backupDir: ${describe(backupDir)}`,
        "pass a name such as 'run/backup'.",
      );
    }
    requireBoolean(op, 'deleteCheckpoint', deleteCheckpoint);
    this.#name = `${backupDir.replace(/\/$/, '')}/latest.safetensors`;
    this.#frequency = new SaveFrequency(op, saveFreq);
    this.#deletes = deleteCheckpoint;
    this.#files = new Files(op, sink);
  }

  /** Errors: ValueError for a model without weights yet; FormatError for a backup of another model. */
  override async onTrainBegin(): Promise<void> {
    this.#frequency.reset();
    this.restored = null;
    const file = await this.#files.load(this.#name);
    if (!file) return;
    const model = this.#model;
    if (model.weights.length === 0) {
      throw refusal(
        'backupAndRestore',
        'a model has its weights before they are restored.',
        `'${model.name}', which has none yet`,
        'give it input shapes, or call it on a batch first.',
      );
    }
    this.restored = restoreCheckpoint(model, file, { file: this.#name }).training;
    this.initialEpoch = this.restored.epoch;
  }

  override onEpochBegin(epoch: number): void {
    this.#epoch = epoch;
  }

  override onTrainBatchEnd(batch: number): void | Promise<void> {
    if (this.#frequency.batchEnded()) return this.#save({ epoch: this.#epoch, batch: batch + 1, logs: {} });
  }

  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    this.#epoch = epoch + 1;
    if (this.#frequency.isEpoch) await this.#save({ epoch: epoch + 1, batch: 0, logs });
  }

  override async onTrainEnd(): Promise<void> {
    if (this.#deletes) await this.#files.remove(this.#name);
  }

  get #model(): CheckpointModel {
    return this.model as unknown as CheckpointModel;
  }

  async #save(state: { epoch: number; batch: number; logs: Logs }): Promise<void> {
    const { seed = null } = this.params as { seed?: number | null };
    await this.#files.save(this.#name, await writeCheckpoint(this.#model, { ...state, seed }));
  }
}

/** Goes on with a training that was interrupted. */
export function backupAndRestore(options: BackupAndRestoreOptions): BackupAndRestore {
  return new BackupAndRestore(options);
}
