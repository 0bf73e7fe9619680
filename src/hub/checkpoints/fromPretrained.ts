/** @file fromPretrained: loads a network from the files of Hugging Face. */
import { checkSignal } from '../../core/abortSignal.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import type { NarrowFloat } from '../../core/packedWeights.ts';
import { requireInteger } from '../../core/shape.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import { withinStored } from '../../keras/saving/allotment.ts';
import type { LoadProgress } from '../../keras/saving/fileOptions.ts';
import { fillStored, type NotFinite } from '../../keras/saving/upload.ts';
import type { AnyBackbone, HeadTask, PretrainedModel, Task, TaskModels } from '../models/heads.ts';
import { ConfigReader } from './configReader.ts';
import { familyOf } from './families.ts';
import type { AnyFamily, HeadSettings } from './family.ts';
import { type Folder, openFolder, type PretrainedSource } from './folder.ts';
import { matchTensors } from './matchTensors.ts';
import { headOf } from './namesOf.ts';
import { readFile } from './readFile.ts';
import { rememberConfig } from './sourceConfig.ts';
import { onlyIfMissing, openTensors } from './openTensors.ts';
import { narrowFormat, requireWeightDtype, type WeightDtype } from './weightDtype.ts';

export interface FromPretrainedOptions<T extends Task = Task> {
  /** What the network is for. Default: what the checkpoint was made for. A head that it doesn't have gets initial values. */
  readonly task?: T | undefined;
  /** The number of classes of a classifier. Default: that of the checkpoint. */
  readonly numClasses?: number | undefined;
  /** The names of the classes. Default: those of the checkpoint. */
  readonly labels?: readonly string[] | undefined;
  /**
   * How matrices are kept on the device. Default 'auto': in 16 bits if all of the checkpoint are float16, or bfloat16; otherwise as
   * float32. With 'float16' and 'bfloat16' they are rounded to these. A network in 16 bits is frozen: train adapters, or load it with
   * 'float32' to train all of it.
   */
  readonly dtype?: WeightDtype | undefined;
  /** Fields of `config.json` that may be ignored, although they aren't known. */
  readonly ignoreConfig?: readonly string[] | undefined;
  /** Aborts the loading; nothing is left of it. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that have arrived, and the total. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Called with what was loaded. Default: warns on the console of a new head, and of weights that aren't finite. */
  readonly onReport?: ((report: PretrainedReport) => void) | undefined;
}

/** What `fromPretrained` did. */
export interface PretrainedReport {
  /** Names of the tensors, as in the checkpoint, of a head that it doesn't have: it has initial values. */
  readonly initialized: readonly string[];
  /** Tensors of the checkpoint that the network doesn't have: a head for another task, and copies. */
  readonly unused: readonly string[];
  /** Weights that contain NaN or infinite values, and how many. */
  readonly notFinite: readonly NotFinite[];
}

const optionNames: OptionNames<FromPretrainedOptions> = {
  task: false,
  numClasses: false,
  labels: false,
  dtype: false,
  ignoreConfig: false,
  signal: false,
  onProgress: false,
  onReport: false,
};

/**
 * Loads a pretrained network from the files of Hugging Face: `config.json` with `model.safetensors`, or with shards and their index.
 * Weights go to the device one by one. Nothing in the files is executed, and nothing of them is ignored: a field of the configuration
 * that isn't supported is refused by its name.
 *
 *     const net = await fromPretrained('models/gpt2', { task: 'causalLM' });
 *     const tagger = await fromPretrained([...event.dataTransfer.files], { task: 'tokenClassifier', numClasses: 5 });
 *
 * It is loaded completely or not at all.
 * Errors: FormatError for files that are missing or damaged, for a configuration that isn't supported, and for tensors that don't
 * fit, all of which it names; ValueError for invalid options; the signal's reason.
 */
export async function fromPretrained<T extends Task>(
  source: PretrainedSource,
  options: FromPretrainedOptions<T> & { readonly task: T },
): Promise<TaskModels[T]>;
export async function fromPretrained(
  source: PretrainedSource,
  options?: FromPretrainedOptions,
): Promise<PretrainedModel>;
export async function fromPretrained(
  source: PretrainedSource,
  options: FromPretrainedOptions = {},
): Promise<PretrainedModel> {
  checkOptions('fromPretrained', options, optionNames);
  const { signal, dtype = 'auto', ignoreConfig = [], onReport = warn } = options;
  checkSignal('fromPretrained', signal);
  requireWeightDtype('fromPretrained', dtype);
  const folder = await openFolder(source, { signal });
  const json = await readFile(folder, 'config.json');
  const config = new ConfigReader(json, 'config.json', ignoreConfig);
  const family = await familyOf(json.model_type, 'config.json');
  const task = taskOf(family, json, options);
  const backboneOptions = family.read(config, task.wanted);
  config.finish();
  const settings = await settingsOf(folder, json, options);
  const file = await openTensors(folder);
  let model: PretrainedModel | null = null;
  try {
    const within = withinStored(folder.name, file.tensors.values());
    const narrow = await narrowing(narrowFormat(dtype, file.tensors.values()));
    const backbone = narrow(() => within(() => family.create(backboneOptions)));
    model = backbone;
    const isSameTask = task.stored === task.wanted;
    const head = () => withHead(family, task.wanted, backbone, settings);
    // A head may be new: it gets initial values, and is trained.
    const made = isSameTask ? narrow(head) : head();
    model = made;
    const match = { family, task: task.wanted, model: made, isSameTask, file: folder.name };
    const matched = matchTensors(file.tensors, match);
    const notFinite = await fillStored(matched.weights, { ...options, file: folder.name });
    if (narrow !== asIs) (isSameTask ? made : backbone).trainable = false;
    rememberConfig(made, json);
    onReport({ initialized: matched.initialized, unused: matched.unused, notFinite });
    return made;
  } catch (error) {
    model?.dispose();
    throw error;
  } finally {
    await file.close();
  }
}

/** Runs what creates layers. */
type Creating = <T>(create: () => T) => T;

const asIs: Creating = (create) => create();

/** What creates layers with matrices of `format`; null is float32. */
async function narrowing(format: NarrowFloat | null): Promise<Creating> {
  if (!format) return asIs;
  const { withNarrowWeights } = await lazyImport('narrow weights', () => import('./narrowLayers.ts'));
  return (create) => withNarrowWeights(format, create);
}

/** The task of the checkpoint, null if it isn't known, and the one that is wanted. */
function taskOf(
  family: AnyFamily,
  { architectures }: JsonObject,
  { task }: FromPretrainedOptions,
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
  { labels, numClasses }: FromPretrainedOptions,
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

function warn({ initialized, notFinite }: PretrainedReport): void {
  if (initialized.length > 0)
    console.warn(
      `fromPretrained: ${initialized.join(', ')} aren't in the checkpoint, and have initial values: train them.`,
    );
  for (const { weight, notFinite: count } of notFinite)
    console.warn(`fromPretrained: weight '${weight}' has ${count} values that are NaN or infinite.`);
}
