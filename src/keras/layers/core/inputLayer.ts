/** @file InputLayer: an input of a model. Its only call has no inputs. */
import type { OptionNames, Positions } from '../../../core/options.ts';
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
import { checkedOptions, make } from '../base/layerOptions.ts';
import { Layer } from '../base/layer.ts';

/** Options of `input`. */
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

/** The class of layers created by `inputLayer`, which documents shapes, weights and errors. */
export class InputLayer extends Layer {
  static override readonly className: string = 'InputLayer';

  static override get optionNames(): OptionNames<InputOptions> {
    return { shape: true, batchSize: true, dtype: true, name: false, batchShape: false };
  }

  readonly batchShape: OpenShape;
  readonly tensor: KerasTensor;

  constructor(options: InputOptions) {
    checkedOptions(new.target, options);
    const { dtype = 'float32', name } = options;
    const batchShape = checkedShape(options);
    checkDType(dtype);
    super({ dtype, ...(name === undefined ? {} : { name }) });
    this.batchShape = batchShape;
    this.built = true;
    setCallOfOpenSizes(callOfOpenSizes);
    this.tensor = new KerasTensor({ shape: this.batchShape, dtype }, this.name);
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
export function input(options: InputOptions): KerasTensor;
export function input(...settings: Positions<InputOptions, ['shape', 'batchSize', 'dtype']>): KerasTensor;
export function input(...args: unknown[]): KerasTensor {
  return make(InputLayer, args).tensor;
}

/**
 * The layer of `input(options)`; its `output` is the symbolic tensor.
 * Shape: [batchSize, ...shape]. Errors: those of `input`.
 */
export function inputLayer(options: InputOptions): InputLayer;
export function inputLayer(...settings: Positions<InputOptions, ['shape', 'batchSize', 'dtype']>): InputLayer;
export function inputLayer(...args: unknown[]): InputLayer {
  return make(InputLayer, args);
}

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

function checkDType(dtype: unknown): void {
  if (isDType(dtype)) return;
  throw new DTypeError({
    op: 'input',
    rule: 'a dtype is float32, int32, uint32 or bool.',
    received: `dtype: ${describe(dtype)}`,
    hint: suggestionFor(dtype, dtypes, "pass one of these names; the default is 'float32'."),
  });
}
