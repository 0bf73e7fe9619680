/** @file The input layer that the options of a first layer describe, as in TF.js and Keras 2. */
import { isDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { describe, maxRank, type OpenShape, requireInteger } from '../../core/shape.ts';
import type { DescribedInput } from '../layers/base/describedInput.ts';
import { batchShapeOf, inputDTypeOf } from '../layers/base/inputSizes.ts';
import type { AnyLayer, Layer } from '../layers/base/layer.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import { knownOptionsOf } from '../options/declaration.ts';

/**
 * Returns the layer of the input that `layer` describes; null if it describes none. The input's dtype is that of the layer if its
 * options have one, then `inputDType`, then what the layer reads.
 * Errors: ShapeError, ValueError, DTypeError for values that describe none.
 */
export function inputLayerFor(layer: AnyLayer): InputLayer | null {
  const { describedInput: given, name } = layer;
  if (!given || (layer as unknown) instanceof InputLayer) return null;
  const { inputDType, dtype } = given;
  const own = inputDType === undefined ? layer.inputDType : inputDTypeOf(name, inputDType, 'inputDType');
  return new InputLayer({ batchShape: shapeOf(layer, given), dtype: isDType(dtype) ? dtype : own });
}

function shapeOf(layer: AnyLayer, given: DescribedInput): OpenShape {
  const { name: op } = layer;
  const { inputShape, batchInputShape: batchShape, batchSize } = given;
  const sizes = sizesOf(layer, given);
  const shape = inputShape ?? (batchShape ? undefined : sizes);
  const batched = batchShapeOf(op, { shape, batchShape, batchSize }, ['inputShape', 'batchInputShape']);
  if (!sizes || String(sizes) === String(batched.slice(1))) return batched;
  throw new ShapeError({
    op,
    rule: '`inputDim` and `inputLength` are sizes of `inputShape`.',
    received: `${describe(sizes)}, and ${describe(batched)}`,
    hint: 'leave them out.',
  });
}

/** Sizes by `inputDim` and `inputLength`: those of a sequence, or features alone. An embedding's `inputDim` is no size of its input. */
function sizesOf(layer: AnyLayer, { inputDim, inputLength }: DescribedInput): OpenShape | undefined {
  if (inputDim === undefined && inputLength === undefined) return undefined;
  if (inputDim !== undefined) requireInteger(layer.name, 'inputDim', inputDim, 1);
  const type = layer.constructor as typeof Layer;
  const isRecurrent = type.callOptionNames.includes('initialState');
  const given = inputLength ?? (isRecurrent ? [null] : []);
  // Checks the number of sizes before the others: a list may be of any length.
  const steps: readonly unknown[] = Array.isArray(given) && given.length <= maxRank ? given : [given];
  for (const size of steps) if (size !== null) requireInteger(layer.name, 'inputLength', size, 1);
  const features = knownOptionsOf(type)?.includes('inputDim') ? [] : [inputDim ?? null];
  return [...steps, ...features] as OpenShape;
}
