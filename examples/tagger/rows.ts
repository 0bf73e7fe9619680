/** @file Sentences as the rows that the network takes: tokens, and the label of each. */
import { type Tensor, tensor } from 'retrograd';
import type { Coder } from './network.ts';

/** Tokens in a row; what is longer is cut. */
const length = 32;
/** The tokens around each text, and in a gap, as the encoder has learned them. */
const [start, end, gap] = [2, 3, 4];

export interface Rows {
  readonly x: { readonly tokenIds: Tensor; readonly paddingMask: Tensor };
  /** int32 [rows, length]: the labels of tokens. */
  readonly y: Tensor;
  /** float32 [rows, length]: 1 where a token is a word's, 0 for padding and the marks of the start and the end. */
  readonly weights: Tensor;
  /** Where the words of each row begin. */
  readonly begins: readonly (readonly number[])[];
  dispose(): void;
}

/**
 * `labels` are those of the words, if they are known. With `withGaps`, every second name is a gap, so that the network looks at the words
 * around names, too.
 */
export function rowsOf(
  coder: Coder,
  sentences: readonly { readonly words: readonly string[]; readonly labels?: readonly number[] }[],
  { withGaps = false } = {},
): Rows {
  const count = sentences.length * length;
  const [ids, labelled] = [new Int32Array(count), new Int32Array(count)];
  const [shown, weighed] = [new Int32Array(count), new Float32Array(count)];
  const begins = sentences.map(({ words, labels = [] }, row) => {
    const tokens = [start];
    const positions = words.map((word, i) => {
      const begin = tokens.length;
      const isGap = withGaps && (labels[i] ?? 0) > 0 && (row + i) % 2 === 0;
      tokens.push(...(isGap ? [gap] : coder.encode(word, { add_special_tokens: false }).ids));
      const place = row * length + begin;
      labelled.fill(labels[i] ?? 0, place, row * length + Math.min(length, tokens.length));
      return begin;
    });
    tokens.push(end);
    const kept = tokens.slice(0, length);
    ids.set(kept, row * length);
    shown.fill(1, row * length, row * length + kept.length);
    weighed.fill(1, row * length + 1, row * length + Math.min(length, tokens.length - 1));
    return positions.filter((begin) => begin < length);
  });
  const shape = [sentences.length, length];
  const of = (values: Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) => tensor(values, { shape });
  const x = { tokenIds: of(ids), paddingMask: of(shown) };
  const [y, weights] = [of(labelled), of(weighed)];
  const all = [...Object.values(x), y, weights];
  return {
    x,
    y,
    weights,
    begins,
    dispose: () => {
      for (const each of all) each.dispose();
    },
  };
}
