/**
 * @file Options that describe the input of a model's first layer, as in TF.js and Keras 2: `dense({ units: 8, inputShape: [4] })`. In
 * Keras 3 the input is a layer of its own, which a Sequential makes of them.
 */
import type { DType } from '../../../core/dtype.ts';
import { isPlainObject } from '../../../core/options.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { warnOnce } from '../../../core/warn.ts';
import { knownOptionsOf } from '../../options/declaration.ts';

/** Options of a layer that have an effect where it is the first of a Sequential. */
export interface DescribedInputOptions {
  /** @deprecated Sizes of the input without the batch. Begin the model with `input({ shape })`. */
  inputShape?: OpenShape;
  /** @deprecated Sizes of the input with the batch. Begin the model with `input({ batchShape })`. */
  batchInputShape?: OpenShape;
  /** @deprecated Samples per batch, with `inputShape`. Begin the model with `input({ shape, batchSize })`. */
  batchSize?: number | null;
  /** @deprecated Dtype of the input, if the layer has no `dtype`. Begin the model with `input({ shape, dtype })`. */
  inputDType?: DType;
}

/** Further ones of layers of sequences. */
export interface DescribedSequenceOptions {
  /** @deprecated Number of features of the input. Begin the model with `input({ shape })`. */
  inputDim?: number;
  /** @deprecated Number of steps of the input. Begin the model with `input({ shape })`. */
  inputLength?: number;
}

/** The options that describe an input, as they were given, and the layer's `dtype`. */
export type DescribedInput = Readonly<Record<string, unknown>>;

const ofSequences = ['inputDim', 'inputLength'];
const names = ['inputShape', 'batchInputShape', 'batchSize', 'inputDType', ...ofSequences];

/**
 * Returns the options of a layer of the class `type` without those that describe an input, and these, or null. Each gets a note. Options of
 * an app's class may have such names and mean something else, but for `inputShape` and `batchInputShape`. Models have none.
 */
export function separateInput<O>(
  type: { readonly prototype: object },
  options: O,
): readonly [rest: O, described: DescribedInput | null] {
  if (!isPlainObject(options) || 'compile' in type.prototype) return [options, null];
  let described: Record<string, unknown> | null = null;
  const hasShape = options.inputShape ?? options.batchInputShape;
  const own = knownOptionsOf(type) ?? (hasShape ? ofSequences : names);
  const rest: Record<string, unknown> = { ...options };
  for (const name of names) {
    if (own.includes(name)) continue;
    if ((rest[name] ?? null) !== null) {
      described ??= { dtype: options.dtype };
      described[name] = rest[name];
      warnOnce(
        `\`${name}\` of a first layer is now an option of input({ shape, batchSize, dtype }); of other layers it has no effect.`,
      );
    }
    delete rest[name];
  }
  return [rest as O, described];
}
