/** @file Family: how the checkpoints of one architecture describe a model, and what their tensors are called. */
import type { JsonObject } from '../../keras/json/document.ts';
import type { AnyBackbone, BackboneTask, HeadTask, Task, TaskModels } from '../models/heads.ts';
import type { TextBackbone } from '../models/textBackbone.ts';
import type { ConfigReader } from './configReader.ts';
import type { ImageFields } from './imageSize.ts';
import type { Modules } from './modules.ts';

/** What a head is created with, besides its backbone. */
export interface HeadSettings {
  readonly numClasses: number;
  readonly labels: readonly string[] | null;
  readonly stopTokens: readonly number[];
  /** How texts are generated, as the files say. */
  readonly generation: JsonObject;
  /** The dropout of a classifier's features; null if the configuration doesn't say. */
  readonly dropout: number | null;
}

/** A head of a family. */
export interface Head<Net extends AnyBackbone, Model> {
  /** transformers' name of the model. */
  readonly architecture: string;
  /** Other names of it, of other versions. */
  readonly aliases?: readonly string[];
  /** The module of logits that are products with the vectors of tokens, also where these are those of the inputs. */
  readonly reverse?: string;
  /** The module around the backbone, if it isn't that of the family. */
  readonly prefix?: string;
  create(backbone: Net, settings: HeadSettings): Model;
  /** Its modules in a checkpoint, by their whole names. */
  modules(model: Model): Modules;
}

export interface Family<Net extends AnyBackbone = TextBackbone, Options extends object = object> {
  /** `model_type` in a configuration. */
  readonly modelType: string;
  /** transformers' name of the backbone. */
  readonly architecture: string;
  /** The task of the backbone alone. Default: 'backbone', of texts. */
  readonly backboneTask?: BackboneTask;
  /** The module around the backbone, in checkpoints of models with a head. */
  readonly prefix: string;
  create(options: Options): Net;
  /** The options of the backbone, for a task. */
  read(config: ConfigReader, task: Task): Options;
  /** The fields of a configuration. */
  write(net: Net): JsonObject;
  /** The modules of the backbone, without the prefix. */
  modules(net: Net): Modules;
  /** The name of a module in the adapters of PEFT, where transformers calls it otherwise than the files of weights. */
  adapterName?(module: string): string;
  readonly heads: { readonly [T in HeadTask]?: Head<Net, TaskModels[T]> };
  /** Of networks of images. */
  readonly images?: ImageFields<Options>;
  /** Names of tensors in checkpoints that aren't weights. */
  readonly leftOut?: RegExp;
}

/** A family of any backbones. */
export type AnyFamily = Family<AnyBackbone>;
