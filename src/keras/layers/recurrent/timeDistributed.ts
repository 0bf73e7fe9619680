/** @file TimeDistributed: applies one layer at every time step. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import type { DType } from '../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';
import { reshape } from '../../../ops/reshape.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import type { Nest } from '../../tensorNest.ts';
import { deserializeLayer, serializeLayer } from '../../serialization/index.ts';
import { type AnyLayer, type CallOptions, Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `timeDistributed`. */
export interface TimeDistributedOptions extends LayerOptions {
  /** A layer from one tensor to one tensor. */
  layer: Layer | ClassConfig;
}

/** The class of layers created by `timeDistributed`, which documents shapes, weights and errors. */
export class TimeDistributed extends Layer {
  static override readonly className: string = 'TimeDistributed';

  static override get optionNames(): OptionNames<TimeDistributedOptions> {
    return { layer: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  override readonly takesMask: boolean = true;
  readonly layer: Layer;

  constructor(options: TimeDistributedOptions) {
    super(options);
    this.layer = wrapped(this.name, options.layer) as unknown as Layer;
    this.inputSpec = [{ minRank: 3 }];
  }

  override build(inputShape: OpenShape): void {
    this.layer.ensureBuilt(atOneTime(inputShape));
  }

  override call(x: Tensor, { training, mask }: CallOptions): Tensor {
    const [batch, time, ...rest] = x.shape as [number, number, ...number[]];
    const outputs = this.layer.apply(reshape(x, { shape: [batch * time, ...rest] }), {
      training,
      mask: this.#maskAtAllTimes(mask, batch, time),
    });
    if (outputs instanceof Tensor && outputs.shape[0] === batch * time)
      return reshape(outputs, { shape: [batch, time, ...outputs.shape.slice(1)] });
    throw new ShapeError({
      op: this.name,
      rule: 'the inner layer must return one tensor with the batch as its first axis.',
      received: outputs instanceof Tensor ? formatSpec(outputs) : describe(outputs),
      hint: `check what ${this.layer} returns.`,
    });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    const [batch, ...rest] = this.layer.computeOutputShape(atOneTime(inputShape)) as OpenShape;
    return [batch ?? null, inputShape[1] ?? null, ...rest];
  }

  protected override outputDType(inputs: readonly OpenSpec[]): DType {
    // The cast is needed to access a protected method of another instance of the base class.
    return (this.layer as unknown as TimeDistributed).outputDType(inputs);
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), layer: serializeLayer(this.layer as unknown as AnyLayer) };
  }

  #maskAtAllTimes(mask: Nest<Tensor | null> | undefined, batch: number, time: number): Tensor | null {
    if (!(mask instanceof Tensor)) return null;
    const [first, second, ...rest] = mask.shape;
    if (first === batch && second === time) return reshape(mask, { shape: [batch * time, ...rest] });
    throw new ShapeError({
      op: this.name,
      rule: `the first axes of \`mask\` must be batch and time, [${batch}, ${time}].`,
      received: formatSpec(mask),
      hint: 'pass one value for each step of each sample.',
    });
  }
}

/** Returns the input shape of the layer inside. */
function atOneTime(inputShape: OpenShape): OpenShape {
  const [batch = null, , ...rest] = inputShape;
  return [batch, ...rest];
}

/** The layer of a wrapper. Errors: ValueError for anything but a layer. */
export function wrapped(op: string, given: unknown, what = 'layer'): AnyLayer {
  if (given instanceof Layer) return given;
  const { className } = (given ?? {}) as Partial<ClassConfig>;
  if (typeof className === 'string') return deserializeLayer(given as ClassConfig);
  throw new ValueError({
    op,
    rule: `\`${what}\` is a layer.`,
    received: `${what}: ${describe(given)}`,
    hint: `pass one, such as ${what}: layers.dense({ units: 8 }).`,
  });
}

/**
 * Applies one layer at every time step, with the same weights. Shapes: [batch, time, …] → [batch, time, …], where the rest is
 * the layer's result for [batch, …]. All times are computed as one batch: what a layer does over its batch (the statistics of
 * a batchNormalization) it does over samples and times. A mask [batch, time, …] is passed on in the same way.
 * Errors: ValueError for anything but a layer; ShapeError for inputs without a time axis.
 */
export function timeDistributed(options: TimeDistributedOptions): TimeDistributed;
export function timeDistributed(...settings: Positions<TimeDistributedOptions, ['layer']>): TimeDistributed;
export function timeDistributed(...args: unknown[]): TimeDistributed {
  return make(TimeDistributed, args);
}
