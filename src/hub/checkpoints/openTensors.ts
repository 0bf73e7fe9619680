/** @file Opens the weights in a folder of Hugging Face: one safetensors file, or shards with an index. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { openSafetensors } from '../../formats/safetensors/open.ts';
import { readJson } from '../../keras/saving/jsonFile.ts';
import { openTensorShards, type TensorShards } from '../../keras/saving/weightShards.ts';
import type { Folder } from './folder.ts';
import { onlyIfMissing } from './readFile.ts';

const single = 'model.safetensors';
const index = 'model.safetensors.index.json';

/** Opens the tensors of a folder. Errors: FormatError for files that are missing or damaged. */
export async function openTensors(folder: Folder): Promise<TensorShards> {
  const known = folder.names;
  if (known?.includes(index) || (known && !known.includes(single))) return openIndex(folder);
  const file = await folder.open(single).catch(onlyIfMissing);
  if (!file) return openIndex(folder);
  const close = async () => file.close?.();
  try {
    return { tensors: (await openSafetensors(file)).tensors, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openIndex(folder: Folder): Promise<TensorShards> {
  const file = await folder.open(index).catch(onlyIfMissing);
  if (!file) throw withoutWeights(folder);
  const sibling = (name: string): Promise<ByteSource> => folder.open(name);
  try {
    return await openTensorShards({ ...file, sibling }, await readJson(file), {});
  } finally {
    await file.close?.();
  }
}

function withoutWeights({ name, names }: Folder): FormatError {
  return new FormatError({
    op: `fromPretrained ${name}`,
    rule: `the weights are in ${single}, or in shards that ${index} lists.`,
    received: names?.join(', ') ?? 'neither of them',
    hint: 'older checkpoints (pytorch_model.bin) are saved by transformers in this form: model.save_pretrained(folder).',
  });
}
