/** @file InputLayer: an input of a model. Its only call has no inputs. */
import { isListOf } from '../../../core/lists.ts';
import { type DType, dtypes, isDType } from '../../../core/dtype.ts';
import { DTypeError, ShapeError } from '../../../core/errors.ts';
import { suggestionFor } from '../../../core/suggest.ts';
import { describe, maxRank, type OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { GraphNode } from '../../graph/graphNode.ts';
import { setCallOfOpenSizes } from '../../graph/composites.ts';
import { callOfOpenSizes } from '../../graph/openComposites.ts';
import { factoryOf, Layer, layer, own } from '../base/declare.ts';

export interface InputOptions {
  /** Sizes without the batch; null where one is open. */
  shape?: OpenShape;
  /** Sizes with the batch, instead of `shape` and `batchSize`. */
  batchShape?: OpenShape;
  /** Dtype of the inputs. Default float32. */
  dtype?: DType;
  /**
   * Name of the input in `fit`, in errors, and as a key in a record of inputs. Default `input_layer`, numbered.
   */
  name?: string;
  /** Samples per batch, if that is fixed. Default null: any number. */
  batchSize?: number | null;
}

export class InputLayer extends /* @__PURE__ */ layer<InputOptions>(
  'InputLayer',
  () => ({
    shape: own,
    batchSize: own,
    batchShape: { read: (given, { values }) => checkedShape({ ...values, batchShape: given as never }) },
  }),
  Layer,
  ['name', 'dtype'],
) {
  readonly tensor: KerasTensor;

  constructor(options: InputOptions) {
    super({ ...options, dtype: checkedDType(options?.dtype) });
    const { batchShape: shape, dtype } = this;
    this.built = true;
    setCallOfOpenSizes(callOfOpenSizes);
    this.tensor = new KerasTensor({ shape, dtype }, this.name);
    new GraphNode({ operation: this, argument: [], outputs: this.tensor });
  }

  override call(inputs: Tensor): Tensor {
    return inputs;
  }

  override get output(): KerasTensor {
    return this.tensor;
  }

  override get input(): KerasTensor {
    return this.tensor;
  }

  override getConfig(): Record<string, unknown> {
    const { name, dtype, batchShape } = this;
    return { name, dtype, batchShape: [...batchShape] };
  }
}

/**
 * A symbolic tensor to build a model from. Shape: [batchSize, ...shape].
 * Errors: ShapeError for a shape that isn't a list of sizes and nulls; DTypeError.
 */
export const input = /* @__PURE__ */ factoryOf(InputLayer, ['shape', 'batchSize', 'dtype'], tensorOf);

function tensorOf({ tensor }: InputLayer): KerasTensor {
  return tensor;
}

/**
 * The layer of `input(options)`; its `output` is the symbolic tensor.
 * Shape: [batchSize, ...shape]. Errors: those of `input`.
 */
export const inputLayer = /* @__PURE__ */ factoryOf(InputLayer, ['shape', 'batchSize', 'dtype']);

function checkedShape({ shape, batchShape, batchSize }: InputOptions): OpenShape {
  const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) >= 0);
  const isShape = (sizes: unknown) => isListOf(sizes, isSize, maxRank);
  if (batchShape !== undefined) {
    const alone = shape === undefined && batchSize === undefined;
    if (alone && isShape(batchShape) && batchShape.length >= 1 && batchShape.length <= maxRank)
      return [...batchShape];
    throw new ShapeError({
      op: 'input',
      rule: `\`batchShape\` is a list of 1 to ${maxRank} sizes, the batch first, and replaces \`shape\` and \`batchSize\`.`,
      received: `batchShape: ${describe(batchShape)}${alone ? '' : ', with `shape` or `batchSize`'}`,
      hint: 'pass batchShape: [null, 64, 64, 3], or shape: [64, 64, 3].',
    });
  }
  if (!isShape(shape) || (shape as OpenShape).length >= maxRank) {
    throw new ShapeError({
      op: 'input',
      rule: `\`shape\` is a list of at most ${maxRank - 1} sizes without the batch, null where one is open.`,
      received: `shape: ${describe(shape)}`,
      hint: 'pass sizes such as [64, 64, 3], or [null, 8].',
    });
  }
  if (!isSize(batchSize ?? null)) {
    throw new ShapeError({
      op: 'input',
      rule: '`batchSize` is an integer, or null for any.',
      received: `batchSize: ${describe(batchSize)}`,
      hint: 'leave it out for batches of any size.',
    });
  }
  return [batchSize ?? null, ...(shape as OpenShape)];
}

function checkedDType(dtype: unknown = 'float32'): DType {
  if (isDType(dtype)) return dtype;
  throw new DTypeError({
    op: 'input',
    rule: 'a dtype is float32, int32, uint32 or bool.',
    received: `dtype: ${describe(dtype)}`,
    hint: suggestionFor(dtype, dtypes, "pass one of these names; the default is 'float32'."),
  });
}
