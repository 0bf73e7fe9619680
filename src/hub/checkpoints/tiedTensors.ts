/** @file Copies of the vectors of tokens, for logits, in checkpoints that tie both: where they differ, transformers doesn't tie them. */
import { FormatError } from '../../core/errors.ts';
import { sameShape, sizeOf } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';

/** Values that are compared at a time. */
const part = 2 ** 20;

/** Errors: FormatError unless a copy has the values of the vectors. */
export async function requireCopy(file: string, copy: StoredTensor, vectors: StoredTensor): Promise<void> {
  if (await isEqual(copy, vectors)) return;
  throw new FormatError({
    op: `fromPretrained ${file}`,
    rule: 'logits that are tied to the vectors of tokens have the same values.',
    received: `${copy.place} with others than ${vectors.place}`,
    hint: 'set `tie_word_embeddings` of config.json to false, or remove the copy.',
  });
}

async function isEqual(a: StoredTensor, b: StoredTensor): Promise<boolean> {
  if (!sameShape(a.shape, b.shape)) return false;
  const size = sizeOf(a.shape);
  for (let begin = 0; begin < size; begin += part) {
    const end = Math.min(begin + part, size);
    const [one, other] = [await a.read(begin, end), await b.read(begin, end)];
    if (one.some((value, i) => !Object.is(value, other[i]))) return false;
  }
  return true;
}
