/**
 * @file How times follow each other in what is said: a text begins with one, they come in pairs with the end of one part and the
 * beginning of the next, and never go back. As transformers' WhisperTimeStampLogitsProcessor.
 */
import { slice } from '../../ops/arrangement/slice.ts';
import { greater, greaterEqual, less, lessEqual } from '../../ops/elementwise/comparison.ts';
import { logicalAnd, logicalOr } from '../../ops/elementwise/logical.ts';
import { where } from '../../ops/elementwise/where.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { logSumExp } from '../../ops/reductions/logSumExp.ts';
import { tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { never } from './adjustments.ts';

/** Which tokens are which. */
export interface TimestampTokens {
  /** The number of all tokens. */
  readonly count: number;
  /** The token of 0 s; the one before it stands for none, and isn't made. */
  readonly begin: number;
  /** The first token that isn't of a text: those from it on may follow a time. */
  readonly end: number;
  /** The largest time that a text begins with, in steps; null for any. */
  readonly maxInitial: number | null;
}

export class TimestampRules {
  readonly #ids: Tensor;

  constructor(private readonly tokens: TimestampTokens) {
    this.#ids = keep(tensor(Int32Array.from({ length: tokens.count }, (_, id) => id)));
  }

  /** The first text token, and the first and last time that may follow each text: int32 [batch, 1] each. */
  tensors(made: readonly (readonly number[])[]): Tensor[] {
    const bounds = made.map((text) => this.#bounds(text));
    return [0, 1, 2].map((i) =>
      tensor(
        bounds.map((each) => each[i] as number),
        { shape: [made.length, 1], dtype: 'int32' },
      ),
    );
  }

  #bounds(text: readonly number[]): readonly [number, number, number] {
    const { begin, end, count, maxInitial } = this.tokens;
    const isTime = (token: number | undefined) => token !== undefined && token >= begin;
    if (text.length === 0) return [begin, begin, Math.min(begin + (maxInitial ?? count), count - 1)];
    const [isLast, isBefore] = [isTime(text.at(-1)), text.length < 2 || isTime(text.at(-2))];
    // After a pair, a text; after its end, another time or the end of all.
    if (isLast && isBefore) return [0, count, count - 1];
    const last = text.findLast(isTime);
    const from = last === undefined ? begin : last + (isLast ? 0 : 1);
    return [isLast ? end : 0, from, count - 1];
  }

  /** Excludes what may not follow, and texts where a time is more probable than each token of a text. */
  apply(logits: Tensor, [textFrom, timeFrom, timeTo]: readonly Tensor[]): Tensor {
    const { begin, count } = this.tokens;
    const ids = this.#ids;
    const isText = logicalAnd(greaterEqual(ids, textFrom as Tensor), less(ids, begin - 1));
    const isTime = logicalAnd(greaterEqual(ids, timeFrom as Tensor), lessEqual(ids, timeTo as Tensor));
    const allowed = where(logicalOr(isText, isTime), logits, never);
    const [batch] = logits.shape as [number, number];
    const texts = max(slice(allowed, { begin: [0, 0], size: [batch, begin] }), { axis: -1, keepDims: true });
    const times = logSumExp(slice(allowed, { begin: [0, begin], size: [batch, count - begin] }), {
      axis: -1,
      keepDims: true,
    });
    return where(logicalAnd(greater(times, texts), less(ids, begin)), never, allowed);
  }

  dispose(): void {
    this.#ids.dispose();
  }
}
