/** @file fromPretrained: loads a network from the files of Hugging Face, or of KerasHub. */
import { checkSignal } from '../../core/abortSignal.ts';
import { lazyImport } from '../../core/lazyImport.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import type { NarrowFloat } from '../../core/packedWeights.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import { withinStored } from '../../keras/saving/allotment.ts';
import type { LoadProgress } from '../../keras/saving/fileOptions.ts';
import { fillStored, type NotFinite } from '../../keras/saving/upload.ts';
import type { PretrainedModel, Task, TaskModels } from '../models/heads.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Folder, openFolder, type PretrainedSource } from './folder.ts';
import { readFile } from './readFile.ts';
import { requireOneOf } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';

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
  /**
   * Height and width of images, for networks that were trained on squares of another size: the vectors of positions are interpolated, as by
   * `interpolate_pos_encoding` of transformers. Default: those of the checkpoint.
   */
  readonly imageSize?: number | readonly [number, number] | undefined;
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
  imageSize: false,
  ignoreConfig: false,
  signal: false,
  onProgress: false,
  onReport: false,
};

/**
 * Loads a pretrained network from the files of Hugging Face: `config.json` with `model.safetensors`, or with shards and their index.
 * Presets of KerasHub, `config.json` with `model.weights.h5` or its shards, and `task.json` with `task.weights.h5`, are opened in the same
 * way. Weights go to the device one by one. Nothing in the files is executed, and nothing of them is ignored: a field of the configuration
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
  const { signal, dtype = 'auto', onReport = warn } = options;
  checkSignal('fromPretrained', signal);
  requireWeightDtype('fromPretrained', dtype);
  const folder = await openFolder(source, { signal });
  const json = await readFile(folder, 'config.json');
  const checkpoint = await open(folder, json, options);
  let model: PretrainedModel | null = null;
  try {
    const within = withinStored(folder.name, checkpoint.tensors);
    const narrow = await narrowing(narrowFormat(dtype, checkpoint.tensors));
    const backbone = narrow(() => within(() => checkpoint.createBackbone()));
    model = backbone;
    const head = () => checkpoint.withHead(backbone);
    // A head may be new: it gets initial values, and is trained.
    const made = checkpoint.isSameTask ? narrow(head) : head();
    model = made;
    const matched = await checkpoint.match(made);
    const notFinite = await fillStored(matched.weights, { ...options, file: folder.name });
    if (narrow !== asIs) (checkpoint.isSameTask ? made : backbone).trainable = false;
    checkpoint.remember(made);
    onReport({ initialized: matched.initialized, unused: matched.unused, notFinite });
    return made;
  } catch (error) {
    model?.dispose();
    throw error;
  } finally {
    await checkpoint.close();
  }
}

/** Opens the files in the layout that the configuration is of. */
async function open(folder: Folder, json: JsonObject, options: FromPretrainedOptions): Promise<Checkpoint> {
  if ('class_name' in json) {
    const { openPreset } = await lazyImport('presets', () => import('../presets/openPreset.ts'));
    return openPreset(folder, json, options);
  }
  const { openCheckpoint } = await lazyImport('checkpoints', () => import('./openCheckpoint.ts'));
  return openCheckpoint(folder, json, options);
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

function warn({ initialized, notFinite }: PretrainedReport): void {
  if (initialized.length > 0)
    console.warn(
      `fromPretrained: ${initialized.join(', ')} aren't in the checkpoint, and have initial values: train them.`,
    );
  for (const { weight, notFinite: count } of notFinite)
    console.warn(`fromPretrained: weight '${weight}' has ${count} values that aren't finite.`);
}

/** How matrices are kept: as the checkpoint has them, or as such floats. */
type WeightDtype = 'auto' | 'float32' | NarrowFloat;

function requireWeightDtype(op: string, dtype: unknown): asserts dtype is WeightDtype {
  requireOneOf(op, 'dtype', dtype, ['auto', 'float32', 'float16', 'bfloat16'] as const);
}

/** The floats of 16 bits that matrices are kept as; null for float32. */
function narrowFormat(dtype: WeightDtype, tensors: Iterable<StoredTensor>): NarrowFloat | null {
  if (dtype !== 'auto') return dtype === 'float32' ? null : dtype;
  const formats = new Set<NarrowFloat | null>();
  for (const { shape, bits } of tensors) if (shape.length > 1) formats.add(bits?.format ?? null);
  const [format = null] = formats;
  return formats.size === 1 ? format : null;
}
