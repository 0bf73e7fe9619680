/** @file Opens the files of a KerasHub preset: `config.json` with `model.weights.h5`, and those of a task. */
import { ValueError } from '../../core/errors.ts';
import { requireInteger } from '../../core/shape.ts';
import { isObject, type JsonObject } from '../../keras/json/document.ts';
import type { Checkpoint, Wanted } from '../checkpoints/checkpoint.ts';
import { ConfigReader } from '../checkpoints/configReader.ts';
import type { HeadSettings } from '../checkpoints/family.ts';
import type { Folder } from '../checkpoints/folder.ts';
import { madeOf } from '../checkpoints/madeOf.ts';
import { parametersOf } from '../checkpoints/modules.ts';
import { backboneOf, headOf } from '../checkpoints/namesOf.ts';
import { readIfThere } from '../checkpoints/readFile.ts';
import type { AnyBackbone, HeadTask, PretrainedModel, Task } from '../models/heads.ts';
import { presetOf } from './knownPresets.ts';
import { matchPreset } from './matchPreset.ts';
import type { KnownPreset, Preset, PresetHead } from './preset.ts';
import { openStore, type PresetStore } from './presetStore.ts';

/** `json` is the configuration of the backbone. Errors: FormatError for what isn't supported, and for files that are missing or damaged. */
export async function openPreset(folder: Folder, json: JsonObject, wanted: Wanted): Promise<Checkpoint> {
  if (wanted.imageSize !== undefined) {
    throw new ValueError({
      op: 'fromPretrained',
      rule: '`imageSize` is for the files of Hugging Face.',
      received: 'imageSize for a preset of KerasHub',
      hint: 'leave it out, or save the network by savePretrained first.',
    });
  }
  const known = await presetOf(json.class_name);
  const { preset, family } = known;
  const { ignoreConfig } = wanted;
  const stored = await readIfThere(folder, 'task.json');
  const storedTask = stored && taskOfClass(preset, stored.class_name);
  const { backboneTask = 'backbone' } = family;
  const task = wanted.task ?? storedTask ?? backboneTask;
  requireTask(known, task);
  const config = fieldsOf(json, 'config.json', ignoreConfig);
  const options = preset.read(config, task);
  config.finish();
  const head = presetHead(preset, task);
  const fields = stored && head && task === storedTask ? headFields(head, stored, ignoreConfig) : null;
  const settings = settingsOf(fields, wanted);
  const names = fields && head?.weights ? ['model', 'task'] : ['model'];
  const [model, ofTask, close] = await openStores(folder, names);
  return {
    task,
    isSameTask: task === backboneTask || (head !== null && (fields !== null || !head.weights)),
    tensors: [model, ofTask].flatMap((tensors) => [...(tensors?.values() ?? [])]),
    createBackbone: () => madeOf('config.json', () => family.create(options)),
    withHead: (backbone) => withHead(known, task, backbone, settings),
    match: (net) => {
      const ofBackbone = preset.weights(backboneOf(net), net);
      const matched = matchPreset(
        [
          { weights: ofBackbone, tensors: model, leftOut: preset.leftOut },
          { weights: head?.weights?.(net) ?? [], tensors: ofTask },
        ],
        folder.name,
      );
      return head ? matched : { ...matched, initialized: newWeights(known, task, net) };
    },
    remember: () => {},
    close,
  };
}

/** The task of a class of KerasHub; null for one that isn't known here. */
function taskOfClass({ heads }: Preset, className: unknown): HeadTask | null {
  const found = Object.entries(heads).find(([, head]) => head?.classNames.includes(className as string));
  return (found?.[0] as HeadTask | undefined) ?? null;
}

function presetHead({ heads }: Preset, task: Task): PresetHead<AnyBackbone, PretrainedModel> | null {
  const all: Readonly<Record<string, unknown>> = heads;
  return Object.hasOwn(all, task) ? (all[task] as PresetHead<AnyBackbone, PretrainedModel>) : null;
}

function requireTask({ preset, family }: KnownPreset, task: Task): void {
  const known = [family.backboneTask ?? 'backbone', ...Object.keys(family.heads)];
  if (known.includes(task)) return;
  throw new ValueError({
    op: 'fromPretrained',
    rule: `\`task\` of ${preset.className} is one of ${known.join(', ')}.`,
    received: `task: ${JSON.stringify(task)}`,
    hint: 'leave it out for what the preset was made for.',
  });
}

/** Reads the fields of a Keras object. */
function fieldsOf(json: JsonObject, file: string, left: readonly string[] = []): ConfigReader {
  const fields = isObject(json.config ?? null) ? (json.config as JsonObject) : {};
  const reader = new ConfigReader(fields, file, left);
  reader.leave('name', 'trainable', 'dtype');
  // Weights in 16 bits are found in their file.
  const policy = isObject(fields.dtype ?? null) ? (fields.dtype as JsonObject).class_name : 'DTypePolicy';
  if (policy !== 'DTypePolicy') reader.refuse('dtype', 'is one policy without quantization');
  return reader;
}

/** What a head is created with, as far as the file says. */
function headFields(
  head: PresetHead<AnyBackbone, PretrainedModel>,
  json: JsonObject,
  ignoreConfig: readonly string[] | undefined,
): Partial<HeadSettings> {
  const config = fieldsOf(json, 'task.json', ignoreConfig);
  config.leave('backbone', 'preprocessor');
  const activation = config.field('activation');
  // Older files have an object instead of a name.
  const name = isObject(activation) ? activation.config : activation;
  if (name !== null && name !== 'linear') config.refuse('activation', 'is linear: outputs are logits');
  const numClasses = config.integer('num_classes', null);
  const dropout = config.number('dropout', null);
  const own = head.read?.(config) ?? {};
  config.finish();
  return { ...(numClasses === null ? {} : { numClasses }), dropout, ...own };
}

function settingsOf(fields: Partial<HeadSettings> | null, { numClasses, labels }: Wanted): HeadSettings {
  const count = numClasses ?? labels?.length ?? fields?.numClasses ?? 2;
  requireInteger('fromPretrained', 'numClasses', count, 1);
  return {
    stopTokens: [],
    dropout: null,
    generation: {},
    ...fields,
    numClasses: count,
    labels: labels?.length === count ? labels : null,
  };
}

function withHead(
  { preset, family }: KnownPreset,
  task: Task,
  backbone: AnyBackbone,
  settings: HeadSettings,
): PretrainedModel {
  const head = presetHead(preset, task);
  if (head?.create) return head.create(backbone, settings);
  return (headOf(family, task)?.create(backbone, settings) as PretrainedModel | undefined) ?? backbone;
}

/** The weights of a head that KerasHub doesn't have, by their names in checkpoints. */
function newWeights({ family }: KnownPreset, task: Task, net: PretrainedModel): string[] {
  const modules = headOf(family, task)?.modules(net) ?? {};
  return parametersOf(modules).map(({ name }) => name);
}

type Tensors = PresetStore['tensors'];

/** Opens the files of variables with these names. */
async function openStores(
  folder: Folder,
  names: readonly string[],
): Promise<[model: Tensors, task: Tensors | null, close: () => Promise<void>]> {
  const opened: PresetStore[] = [];
  const close = async () => {
    for (const store of opened.splice(0)) await store.close();
  };
  try {
    for (const name of names) opened.push(await openStore(folder, name));
    const [model, task] = opened as [PresetStore, PresetStore?];
    return [model.tensors, task?.tensors ?? null, close];
  } catch (error) {
    await close();
    throw error;
  }
}
