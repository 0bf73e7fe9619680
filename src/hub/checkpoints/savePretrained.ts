/** @file savePretrained: saves a network for transformers. */
import { checkSignal } from '../../core/abortSignal.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { requireInteger, requireOneOf } from '../../core/shape.ts';
import { type FloatType, safetensorsPieces, type WrittenTensor } from '../../formats/safetensors/pieces.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import { requireSum } from '../../keras/adapters/requireSum.ts';
import { AdaptedLayer } from '../../keras/layers/base/adapter.ts';
import { merged, mergedBias } from '../../keras/layers/base/adapterValues.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import type { SaveProgress } from '../../keras/saving/fileOptions.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { folderOf, type SaveFolder } from '../../storage/folderTargets.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { AudioToText } from '../models/audioToText.ts';
import type { PretrainedModel, Task } from '../models/heads.ts';
import { speechFields } from '../models/whisperSpeech.ts';
import { familyOf } from './families.ts';
import type { AnyFamily } from './family.ts';
import { inverse, shapeIn } from './matchTensors.ts';
import type { Parameter } from './modules.ts';
import { backboneOf, headOf, namesOf, prefixOf } from './namesOf.ts';
import { bytesIn, indexFile, indexOf, removeOlder, shardsOf, singleFile } from './shards.ts';
import { rememberedConfig } from './sourceConfig.ts';
import { taskOf } from './taskOf.ts';

export interface SavePretrainedOptions {
  /** The floats of the file; narrow ones are rounded to the nearest. Default: those of matrices in 16 bits; without any, 'float32'. */
  readonly dtype?: FloatType | undefined;
  /** The largest number of bytes of a file: larger models become several files and an index. Default: one file. */
  readonly maxShardSize?: number | undefined;
  /** Aborts the saving; an older file is left unchanged. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes of values that were written, and the total. */
  readonly onProgress?: ((progress: SaveProgress) => void) | undefined;
}

const optionNames: OptionNames<SavePretrainedOptions> = {
  dtype: false,
  maxShardSize: false,
  signal: false,
  onProgress: false,
};

/**
 * Saves a network as Hugging Face's libraries read it: `model.safetensors`, or shards and their index, then `config.json`, in a
 * folder, whose older weights are removed. Weights with an adapter are saved as their sum. Tensors are read back from the device one by one.
 *
 *     await savePretrained(net, 'models/mine');   // transformers: AutoModelForCausalLM.from_pretrained('models/mine')
 *
 * Errors: ValueError for anything but a network of this entry, and for a target that can't be written to; the signal's reason.
 */
export async function savePretrained(
  model: PretrainedModel,
  target: SaveFolder,
  options: SavePretrainedOptions = {},
): Promise<void> {
  checkOptions('savePretrained', options, optionNames);
  const { signal, onProgress } = options;
  checkSignal('savePretrained', signal);
  const task = taskOf('savePretrained', model);
  const family = await familyOf(backboneOf(model).modelType, 'savePretrained');
  const folder = folderOf(target);
  const { backbone, head } = namesOf(family, task, model, prefixOf(family, task));
  const parameters = [...backbone, ...head];
  const own = parameters.find(({ matrix }) => matrix)?.matrix?.format;
  const { dtype = own ?? 'float32', maxShardSize = Infinity } = options;
  requireOneOf('savePretrained', 'dtype', dtype, ['float32', 'float16', 'bfloat16'] as const);
  if (maxShardSize !== Infinity) requireInteger('savePretrained', 'maxShardSize', maxShardSize, 1);
  const tensors = parameters.map(writtenTensor);
  const shards = shardsOf(tensors, dtype, maxShardSize);
  const before = (await folder.readText?.(indexFile)) ?? null;
  const watched = watcher(bytesIn(tensors, dtype), signal, onProgress);
  for (const [name, part] of shards)
    await folder.writeFile({ name, pieces: watched(safetensorsPieces(part, dtype, { format: 'pt' })) });
  const written = new Set(shards.keys());
  if (!written.has(singleFile)) {
    const index = new TextEncoder().encode(indexOf(shards, dtype));
    await folder.writeFile({ name: indexFile, pieces: only(index) });
    written.add(indexFile);
  }
  await removeOlder(folder, before, written);
  const text = JSON.stringify(configOf(family, task, model, dtype), null, 2).replace(wholeFloats, '$1.0');
  const config = new TextEncoder().encode(`${text}\n`);
  await folder.writeFile({ name: 'config.json', pieces: only(config) });
  if ('speech' in model) {
    const generation = new TextEncoder().encode(`${JSON.stringify(generationOf(model), null, 2)}\n`);
    await folder.writeFile({ name: 'generation_config.json', pieces: only(generation) });
  }
}

/** The tokens of languages, tasks and times, which transformers reads from a file of their own. */
function generationOf(model: AudioToText): JsonObject {
  return { ...headFields(model), ...speechFields(model) };
}

/** Fields that transformers takes as floats only, with values that JavaScript writes as integers. */
const wholeFloats =
  /("(?:init_std|initializer_(?:factor|range)|(?:layer|rms)_norm_eps(?:ilon)?|\w+_softcapping)": \d+)(?=[,\n])/g;

function writtenTensor(parameter: Parameter): WrittenTensor {
  const { name, variable, perm } = parameter;
  const read = async () => {
    const [value] = unrecorded(() =>
      tidy(() => {
        const sum = withAdapter(parameter);
        if (perm) return [transpose(sum, { perm: inverse(perm) })];
        return [sum === variable ? identity(sum) : sum];
      }),
    ) as [Tensor];
    try {
      return (await value.data()) as Float32Array;
    } finally {
      value.dispose();
    }
  };
  return { name, shape: shapeIn(parameter), read };
}

/** The weight or bias, or the sum of it and its adapter. */
function withAdapter({ variable, matrix, layer }: Parameter): Tensor {
  const adapter = layer instanceof AdaptedLayer ? layer.adapter : null;
  if (adapter) requireSum('savePretrained', adapter);
  if (adapter?.bias && adapter.layerBias === (variable as Variable) && !adapter.isMerged)
    return mergedBias(adapter) as Tensor;
  const isAdapted = adapter && adapter.weight === (variable as Variable) && !adapter.isMerged;
  if (!matrix) return isAdapted ? merged(adapter) : variable;
  const lines = matrix.widened();
  if (!isAdapted) return lines;
  return layer instanceof Dense ? transpose(merged(adapter, transpose(lines))) : merged(adapter, lines);
}

/** Reports the bytes of values, of all files together; the first piece of a file is its header. */
function watcher(
  total: number,
  signal: AbortSignal | undefined,
  onProgress: ((progress: SaveProgress) => void) | undefined,
) {
  let saved = 0;
  return async function* (pieces: AsyncIterable<Uint8Array<ArrayBuffer>>) {
    let isHeader = true;
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      yield piece;
      if (!isHeader) saved += piece.length;
      isHeader = false;
      onProgress?.({ saved, total: Math.max(1, total) });
    }
    signal?.throwIfAborted();
  };
}

async function* only(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield bytes;
}

/** The fields of a configuration: those of the one that the model was loaded from, if any, and what its head is now. */
function configOf(family: AnyFamily, task: Task, model: PretrainedModel, dtype: FloatType): JsonObject {
  const { torch_dtype: _, ...source } = rememberedConfig(model) ?? family.write(backboneOf(model));
  return {
    // Options of a backbone never change: the file that it was loaded from says all of them, in the words of its version.
    ...source,
    ...headFields(model),
    architectures: [(headOf(family, task) ?? family).architecture],
    model_type: family.modelType,
    dtype,
  };
}

function headFields(model: PretrainedModel): JsonObject {
  if ('speech' in model) {
    const { startTokens, stopTokens, suppressedTokens, suppressedFirstTokens } = model;
    return {
      ...tokenField('decoder_start_token_id', startTokens.slice(0, 1)),
      ...tokenField('eos_token_id', stopTokens),
      ...tokenList('suppress_tokens', suppressedTokens),
      ...tokenList('begin_suppress_tokens', suppressedFirstTokens),
    };
  }
  if ('stopTokens' in model) return tokenField('eos_token_id', model.stopTokens);
  if (!('numClasses' in model)) return {};
  const { numClasses, labels } = model;
  const names = labels ?? Array.from({ length: numClasses }, (_, i) => `LABEL_${i}`);
  return {
    id2label: Object.fromEntries(names.map((name, i) => [i, name])),
    label2id: Object.fromEntries(names.map((name, i) => [name, i])),
  };
}

function tokenList(name: string, tokens: readonly number[]): JsonObject {
  return tokens.length > 0 ? { [name]: [...tokens] } : {};
}

/** A token, or a list of several; nothing if there is none. */
function tokenField(name: string, tokens: readonly number[]): JsonObject {
  const [only] = tokens;
  return only === undefined ? {} : { [name]: tokens.length === 1 ? only : [...tokens] };
}
