/** @file InputLayer: where values enter a model. Its one call has no inputs. */
import { type DType, isDType } from '../../core/dtype.ts';
import { DTypeError, ShapeError } from '../../core/errors.ts';
import { describe, maxRank, type OpenShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { KerasTensor } from '../graph/kerasTensor.ts';
import { GraphNode } from '../graph/node.ts';
import { Layer } from './layer.ts';

export interface InputOptions {
  /** Sizes without the batch; null where one is open. */
  shape: OpenShape;
  /** Default float32. */
  dtype?: DType;
  /** Default `input_layer`, numbered. */
  name?: string;
  /** Default null: any batch. */
  batchSize?: number | null;
}

export class InputLayer extends Layer {
  static override readonly className: string = 'InputLayer';
  readonly batchShape: OpenShape;
  readonly tensor: KerasTensor;

  constructor(options: InputOptions) {
    const { shape, dtype = 'float32', name, batchSize = null } = options;
    checkOptions(shape, dtype, batchSize);
    super({ dtype, ...(name === undefined ? {} : { name }) });
    this.batchShape = [batchSize, ...shape];
    this.built = true;
    this.tensor = new KerasTensor({ shape: this.batchShape, dtype }, this.name);
    new GraphNode({ operation: this, argument: [], outputs: [this.tensor] });
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
    return { ...super.getConfig(), batchShape: [...this.batchShape] };
  }
}

/**
 * A symbolic tensor from which a model is described. Shape: [batchSize, ...shape].
 * Errors: ShapeError for a shape that isn't a list of sizes and nulls; DTypeError.
 */
export function input(options: InputOptions): KerasTensor {
  return new InputLayer(options).tensor;
}

/** The layer of `input(options)`; its `output` is the symbolic tensor. */
export function inputLayer(options: InputOptions): InputLayer {
  return new InputLayer(options);
}

function checkOptions(shape: unknown, dtype: unknown, batchSize: unknown): void {
  const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) >= 0);
  if (!Array.isArray(shape) || !shape.every(isSize) || shape.length >= maxRank) {
    throw new ShapeError({
      op: 'input',
      rule: `\`shape\` is a list of at most ${maxRank - 1} sizes without the batch, null where one is open.`,
      received: `shape: ${describe(shape)}`,
      mend: 'pass sizes such as [64, 64, 3], or [null, 8].',
    });
  }
  if (!isSize(batchSize)) {
    throw new ShapeError({
      op: 'input',
      rule: '`batchSize` is a whole number, or null for any.',
      received: `batchSize: ${describe(batchSize)}`,
      mend: 'leave it out for batches of any size.',
    });
  }
  if (isDType(dtype)) return;
  throw new DTypeError({
    op: 'input',
    rule: 'a dtype is float32, int32, uint32 or bool.',
    received: `dtype: ${describe(dtype)}`,
    mend: "pass one of these names; the default is 'float32'.",
  });
}
