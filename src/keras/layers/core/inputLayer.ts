/** @file InputLayer: an input of a model. Its only call has no inputs. */
import type { DType } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { GraphNode } from '../../graph/graphNode.ts';
import { setCallOfOpenSizes } from '../../graph/composites.ts';
import { callOfOpenSizes } from '../../graph/openComposites.ts';
import { factoryOf, Layer, layer, own } from '../base/declare.ts';
import { batchShapeOf, inputDTypeOf } from '../base/inputSizes.ts';

export interface InputOptions {
  /** Sizes without the batch; null where one is open. */
  shape?: OpenShape;
  /** @deprecated The name of `shape` in TF.js and Keras 2. */
  inputShape?: OpenShape;
  /** Sizes with the batch, instead of `shape` and `batchSize`. */
  batchShape?: OpenShape;
  /** @deprecated The name of `batchShape` in TF.js and Keras 2. */
  batchInputShape?: OpenShape;
  /** Dtype of the inputs. Default float32. */
  dtype?: DType;
  /**
   * Name of the input in `fit`, in errors, and as a key in a record of inputs. Default `input_layer`, numbered.
   */
  name?: string;
  /** Samples per batch, if that is fixed. Default null: any number. */
  batchSize?: number | null;
}

export class InputLayer extends /* @__PURE__ */ layer<InputOptions, Layer, 'inputShape' | 'batchInputShape'>(
  'InputLayer',
  () => ({
    shape: own,
    batchSize: own,
    batchShape: {
      read: (given, { values }) => batchShapeOf('input', { ...values, batchShape: given }),
    },
  }),
  Layer,
  ['name', 'dtype'],
) {
  readonly tensor: KerasTensor;

  constructor(options: InputOptions) {
    const { inputShape: shape, batchInputShape: batchShape } = options ?? {};
    super({ shape, batchShape, ...options, dtype: inputDTypeOf('input', options?.dtype) });
    const { batchShape: sizes, dtype } = this;
    this.built = true;
    setCallOfOpenSizes(callOfOpenSizes);
    this.tensor = new KerasTensor({ shape: sizes, dtype }, this.name);
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
