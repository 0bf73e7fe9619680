/** @file The shape and the dtype of a model's input, as options give them. */
import { isListOf } from '../../../core/lists.ts';
import { type DType, dtypes, isDType } from '../../../core/dtype.ts';
import { DTypeError, ShapeError } from '../../../core/errors.ts';
import { suggestionFor } from '../../../core/suggest.ts';
import { describe, maxRank, type OpenShape } from '../../../core/shape.ts';

/** Sizes with the batch, or without it and with a fixed batch size. */
export interface InputSizes {
  readonly shape?: unknown;
  readonly batchShape?: unknown;
  readonly batchSize?: unknown;
}

/** Returns the sizes, the batch included. `names` are those of `shape` and `batchShape` in errors. Errors: ShapeError. */
export function batchShapeOf(
  op: string,
  { shape, batchShape, batchSize }: InputSizes,
  [name, batchName]: readonly [string, string] = ['shape', 'batchShape'],
): OpenShape {
  const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) >= 0);
  const isShape = (sizes: unknown): sizes is OpenShape => isListOf(sizes, isSize, maxRank);
  if (batchShape !== undefined) {
    const alone = shape === undefined && batchSize === undefined;
    if (alone && isShape(batchShape) && batchShape.length >= 1 && batchShape.length <= maxRank)
      return [...batchShape];
    throw new ShapeError({
      op,
      rule: `\`${batchName}\` is a list of 1 to ${maxRank} sizes, the batch first, and replaces \`${name}\` and \`batchSize\`.`,
      received: `${batchName}: ${describe(batchShape)}${alone ? '' : `, with \`${name}\` or \`batchSize\``}`,
      hint: `pass ${batchName}: [null, 64, 64, 3], or ${name}: [64, 64, 3].`,
    });
  }
  if (!isShape(shape) || shape.length >= maxRank) {
    throw new ShapeError({
      op,
      rule: `\`${name}\` is a list of at most ${maxRank - 1} sizes without the batch, null where one is open.`,
      received: `${name}: ${describe(shape)}`,
      hint: 'pass sizes such as [64, 64, 3], or [null, 8].',
    });
  }
  if (!isSize(batchSize ?? null)) {
    throw new ShapeError({
      op,
      rule: '`batchSize` is an integer, or null for any.',
      received: `batchSize: ${describe(batchSize)}`,
      hint: 'leave it out for batches of any size.',
    });
  }
  return [(batchSize as number | null) ?? null, ...shape];
}

/** Returns the dtype of an input. Errors: DTypeError. */
export function inputDTypeOf(op: string, dtype: unknown = 'float32', name = 'dtype'): DType {
  if (isDType(dtype)) return dtype;
  throw new DTypeError({
    op,
    rule: 'a dtype is float32, int32, uint32 or bool.',
    received: `${name}: ${describe(dtype)}`,
    hint: suggestionFor(dtype, dtypes, "pass one of these names; the default is 'float32'."),
  });
}
