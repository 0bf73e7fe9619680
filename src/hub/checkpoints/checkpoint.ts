/** @file Checkpoint: the open files of a pretrained network, whichever layout they have. */
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { AnyBackbone, PretrainedModel, Task } from '../models/heads.ts';
import type { Matched } from './matchTensors.ts';

export interface Checkpoint {
  /** What the network is for. */
  readonly task: Task;
  /** Whether the files are of a network for that task, with a head for it if it has one. */
  readonly isSameTask: boolean;
  /** All tensors of the files. */
  readonly tensors: readonly StoredTensor[];
  /** Creates the network without its head. */
  createBackbone(): AnyBackbone;
  /** Adds the head of the task; returns the backbone if there is none. */
  withHead(backbone: AnyBackbone): PretrainedModel;
  /** Finds the tensor of each weight. Errors: FormatError that names all that don't fit. */
  match(model: PretrainedModel): Matched | Promise<Matched>;
  /** Remembers what the files say besides, for saving the network again. */
  remember(model: PretrainedModel): void;
  close(): Promise<void>;
}

/** What the caller wants of a network, instead of what the files say. */
export interface Wanted {
  readonly task?: Task | undefined;
  readonly numClasses?: number | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly imageSize?: number | readonly [number, number] | undefined;
  readonly ignoreConfig?: readonly string[] | undefined;
}
