/** @file Preset: how KerasHub's presets of one architecture describe a network, and where its variables are in their files. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { AnyFamily, HeadSettings } from '../checkpoints/family.ts';
import type { AnyBackbone, HeadTask, PretrainedModel, Task, TaskModels } from '../models/heads.ts';
import type { PresetWeight } from './presetWeights.ts';

/** A task of KerasHub with a backbone. */
export interface PresetHead<Net extends AnyBackbone, Model> {
  /** KerasHub's names of the class, the present one first. */
  readonly classNames: readonly string[];
  /** Checks the fields of `task.json`, and returns what the head is created with. */
  read?(config: ConfigReader): Partial<HeadSettings>;
  /** Creates the model. Default: as for the checkpoints of the family. */
  create?(backbone: Net, settings: HeadSettings): Model;
  /** The weights in `task.weights.h5`. Default: the head has none of its own. */
  weights?(model: Model): readonly PresetWeight[];
}

export interface Preset<Net extends AnyBackbone = AnyBackbone, Options extends object = object> {
  /** KerasHub's name of the backbone. */
  readonly className: string;
  /** The `model_type` of the checkpoints of the same networks, with which they share everything but files. */
  readonly modelType: string;
  /** The options of the backbone, for a task. */
  read(config: ConfigReader, task: Task): Options;
  /** The weights in `model.weights.h5`; `model` is the backbone or has it. */
  weights(net: Net, model: PretrainedModel): readonly PresetWeight[];
  readonly heads: { readonly [T in HeadTask]?: PresetHead<Net, TaskModels[T]> };
  /** Variables of the backbone that some tasks don't have here. */
  readonly leftOut?: RegExp;
}

/** A preset with the family that makes its networks. */
export interface KnownPreset {
  readonly preset: Preset;
  readonly family: AnyFamily;
}
