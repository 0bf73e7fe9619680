/** @file Opens the files of Hugging Face: a configuration, and safetensors. */
import { FormatError, ValueError } from '../../core/errors.ts';
import { requireCopy } from './tiedTensors.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import type { AnyBackbone, HeadTask, PretrainedModel, Task } from '../models/heads.ts';
import type { Checkpoint, Wanted } from './checkpoint.ts';
import { ConfigReader } from './configReader.ts';
import { familyOf } from './families.ts';
import type { AnyFamily, HeadSettings } from './family.ts';
import type { Folder } from './folder.ts';
import { headSettings } from './headSettings.ts';
import { withImageSize, withPositions } from './imageSize.ts';
import { madeOf } from './madeOf.ts';
import { matchTensors } from './matchTensors.ts';
import { headOf } from './namesOf.ts';
import { openTensors } from './openTensors.ts';
import { rememberConfig } from './sourceConfig.ts';

/** `json` is the configuration. Errors: FormatError for one that isn't supported, and for files that are missing or damaged. */
export async function openCheckpoint(folder: Folder, given: JsonObject, wanted: Wanted): Promise<Checkpoint> {
  const { ignoreConfig = [], imageSize } = wanted;
  const family = await familyOf(given.model_type, 'config.json');
  const { images } = family;
  const json = imageSize === undefined ? given : withImageSize(given, images, imageSize);
  const config = new ConfigReader(json, 'config.json', ignoreConfig);
  const task = taskOf(family, json, wanted);
  const options = family.read(config, task.wanted);
  config.finish();
  const isSameTask = task.stored === task.wanted;
  const settings = await headSettings(folder, json, wanted, isSameTask);
  const file = await openTensors(folder);
  const isResized = images && imageSize !== undefined;
  const tensors = isResized
    ? withPositions(file.tensors, images.positions, images.grid(options))
    : file.tensors;
  return {
    task: task.wanted,
    isSameTask,
    tensors: [...tensors.values()],
    createBackbone: () => madeOf('config.json', () => family.create(options)),
    withHead: (backbone) => withHead(family, task.wanted, backbone, settings),
    match: async (model) => {
      const { name } = folder;
      const matched = matchTensors(tensors, { family, task: task.wanted, model, isSameTask, file: name });
      const copy = tensors.get(`${headOf(family, task.wanted)?.reverse}.weight`);
      if (copy && matched.vectors) await requireCopy(name, copy, matched.vectors);
      return matched;
    },
    remember: (model) => rememberConfig(model, json),
    close: () => file.close(),
  };
}

/** The architectures that have a head. */
function namesOfHead(family: AnyFamily, task: Task): readonly (string | undefined)[] {
  const head = headOf(family, task);
  return [head?.architecture, ...(head?.aliases ?? [])];
}

/** The task of the checkpoint, null if it isn't known, and the one that is wanted. */
function taskOf(
  family: AnyFamily,
  { architectures }: JsonObject,
  { task }: Wanted,
): { stored: Task | null; wanted: Task } {
  const architecture = Array.isArray(architectures) ? architectures[0] : null;
  const heads = Object.keys(family.heads) as HeadTask[];
  const found = heads.find((head) => namesOfHead(family, head).includes(architecture as string)) ?? null;
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

function withHead(
  family: AnyFamily,
  task: Task,
  backbone: AnyBackbone,
  settings: HeadSettings,
): PretrainedModel {
  const head = headOf(family, task);
  return (head?.create(backbone, settings) as PretrainedModel | undefined) ?? backbone;
}
