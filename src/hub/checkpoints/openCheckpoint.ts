/** @file Opens the files of Hugging Face: a configuration, and safetensors. */
import { FormatError, ValueError } from '../../core/errors.ts';
import { requireInteger } from '../../core/shape.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import type { AnyBackbone, HeadTask, PretrainedModel, Task } from '../models/heads.ts';
import type { Checkpoint, Wanted } from './checkpoint.ts';
import { ConfigReader } from './configReader.ts';
import { familyOf } from './families.ts';
import type { AnyFamily, HeadSettings } from './family.ts';
import type { Folder } from './folder.ts';
import { matchTensors } from './matchTensors.ts';
import { headOf } from './namesOf.ts';
import { onlyIfMissing, openTensors } from './openTensors.ts';
import { readFile } from './readFile.ts';
import { rememberConfig } from './sourceConfig.ts';

/** `json` is the configuration. Errors: FormatError for one that isn't supported, and for files that are missing or damaged. */
export async function openCheckpoint(folder: Folder, json: JsonObject, wanted: Wanted): Promise<Checkpoint> {
  const { ignoreConfig = [] } = wanted;
  const config = new ConfigReader(json, 'config.json', ignoreConfig);
  const family = await familyOf(json.model_type, 'config.json');
  const task = taskOf(family, json, wanted);
  const options = family.read(config, task.wanted);
  config.finish();
  const settings = await settingsOf(folder, json, wanted);
  const file = await openTensors(folder);
  const isSameTask = task.stored === task.wanted;
  return {
    task: task.wanted,
    isSameTask,
    tensors: [...file.tensors.values()],
    createBackbone: () => family.create(options),
    withHead: (backbone) => withHead(family, task.wanted, backbone, settings),
    match: (model) =>
      matchTensors(file.tensors, { family, task: task.wanted, model, isSameTask, file: folder.name }),
    remember: (model) => rememberConfig(model, json),
    close: () => file.close(),
  };
}

/** The task of the checkpoint, null if it isn't known, and the one that is wanted. */
function taskOf(
  family: AnyFamily,
  { architectures }: JsonObject,
  { task }: Wanted,
): { stored: Task | null; wanted: Task } {
  const architecture = Array.isArray(architectures) ? architectures[0] : null;
  const heads = Object.keys(family.heads) as HeadTask[];
  const found = heads.find((head) => headOf(family, head)?.architecture === architecture) ?? null;
  const { backboneTask = 'backbone' } = family;
  const stored = architecture === family.architecture ? backboneTask : found;
  const known: readonly Task[] = [backboneTask, ...heads];
  if (task !== undefined && !known.includes(task)) {
    throw new ValueError({
      op: 'fromPretrained',
      rule: `\`task\` of ${family.modelType} is one of ${known.join(', ')}.`,
      received: `task: ${JSON.stringify(task)}`,
      hint: 'leave it out for what the checkpoint was made for.',
    });
  }
  const wanted = task ?? stored;
  if (wanted) return { stored, wanted };
  throw new FormatError({
    op: 'config.json',
    rule: `\`architectures\` of ${family.modelType} are ${[family.architecture, ...heads.map((head) => headOf(family, head)?.architecture)].join(', ')}.`,
    received: JSON.stringify(architectures ?? null),
    hint: `say what it is for: fromPretrained(source, { task: ${known.map((name) => `'${name}'`).join(' | ')} }).`,
  });
}

/** What heads are created with, from the options and the files. */
async function settingsOf(
  folder: Folder,
  json: JsonObject,
  { labels, numClasses }: Wanted,
): Promise<HeadSettings> {
  const named = labels ?? labelsOf(json);
  const count = numClasses ?? named?.length ?? (typeof json.num_labels === 'number' ? json.num_labels : 2);
  requireInteger('fromPretrained', 'numClasses', count, 1);
  const generation = await readFile(folder, 'generation_config.json').catch(onlyIfMissing);
  const stops = [generation?.eos_token_id ?? json.eos_token_id ?? []].flat();
  return {
    numClasses: count,
    labels: named?.length === count ? named : null,
    stopTokens: stops.filter((token): token is number => Number.isSafeInteger(token)),
    dropout: dropoutOf(json),
    generation: { ...json, ...generation },
  };
}

/** The dropout of a classifier, by the names that families have for it. */
function dropoutOf({ classifier_dropout, seq_classif_dropout, hidden_dropout }: JsonObject): number | null {
  const found = classifier_dropout ?? seq_classif_dropout ?? hidden_dropout;
  return typeof found === 'number' && found >= 0 && found < 1 ? found : null;
}

/** The names of classes, unless they are transformers' placeholders. */
function labelsOf({ id2label }: JsonObject): readonly string[] | null {
  if (typeof id2label !== 'object' || id2label === null || Array.isArray(id2label)) return null;
  const names = Object.keys(id2label)
    .sort((a, b) => Number(a) - Number(b))
    .map((id) => String((id2label as JsonObject)[id]));
  return names.length > 0 ? names : null;
}

function withHead(
  family: AnyFamily,
  task: Task,
  backbone: AnyBackbone,
  settings: HeadSettings,
): PretrainedModel {
  const head = headOf(family, task);
  return (head?.create(backbone, settings) as PretrainedModel | undefined) ?? backbone;
}
