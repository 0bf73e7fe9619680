/** @file TimeDistributed: applies one layer at every time step. */
import { declarationOf } from '../../options/declaration.ts';
import type { DType } from '../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { stack } from '../../../ops/arrangement/stack.ts';
import { unstack } from '../../../ops/arrangement/unstack.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { AnyLayer } from '../base/layer.ts';
import type { Option } from '../../options/option.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import type { Nest } from '../../tensorNest.ts';
import { deserializeLayer, serializeLayer } from '../../serialization/index.ts';
import {
  type CallOptions,
  factoryOf,
  type InputSpec,
  Layer,
  layer,
  type LayerOptions,
} from '../base/declare.ts';

export interface TimeDistributedOptions extends LayerOptions {
  /** A layer from one tensor to one tensor. */
  layer: Layer | ClassConfig;
}

export class TimeDistributed extends /* @__PURE__ */ layer<TimeDistributedOptions>('TimeDistributed', () => ({
  layer: inner(),
})) {
  override readonly supportsMasking: boolean = true;
  override readonly takesMask: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 3 }];

  override build(inputShape: OpenShape): void {
    this.layer.ensureBuilt(atOneTime(inputShape));
  }

  override call(x: Tensor, { training, mask }: CallOptions): Tensor {
    const steps = this.#stepMask(mask, x);
    const isOneBatch = [this.layer as unknown as AnyLayer, ...this.layer.layersInside].every((layer) =>
      isPerSample(layer, training),
    );
    return isOneBatch ? this.#atOnce(x, training, steps) : this.#oneByOne(x, training, steps);
  }

  /** All times as one batch. */
  #atOnce(x: Tensor, training: boolean | undefined, mask: Tensor | null): Tensor {
    const [batch, time, ...rest] = x.shape as [number, number, ...number[]];
    const outputs = this.layer.apply(reshape(x, { shape: [batch * time, ...rest] }), {
      training,
      mask: mask && reshape(mask, { shape: [batch * time, ...mask.shape.slice(2)] }),
    });
    if (outputs instanceof Tensor && outputs.shape[0] === batch * time)
      return reshape(outputs, { shape: [batch, time, ...outputs.shape.slice(1)] });
    throw this.#unfit(outputs);
  }

  /** One time after the other, as Keras does: each has its own statistics, and adds its own losses. */
  #oneByOne(x: Tensor, training: boolean | undefined, mask: Tensor | null): Tensor {
    const masks = mask && unstack(mask, { axis: 1 });
    const outputs = unstack(x, { axis: 1 }).map((step, i) => {
      const output = this.layer.apply(step, { training, mask: masks?.[i] ?? null });
      if (output instanceof Tensor && output.shape[0] === x.shape[0]) return output;
      throw this.#unfit(output);
    });
    return stack(outputs, { axis: 1 });
  }

  #unfit(outputs: unknown): ShapeError {
    return new ShapeError({
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

  #stepMask(mask: Nest<Tensor | null> | undefined, x: Tensor): Tensor | null {
    if (!(mask instanceof Tensor)) return null;
    const [batch, time] = x.shape;
    if (mask.shape[0] === batch && mask.shape[1] === time) return mask;
    throw new ShapeError({
      op: this.name,
      rule: `the first axes of \`mask\` must be batch and time, [${batch}, ${time}].`,
      received: formatSpec(mask),
      hint: 'pass one value for each step of each sample.',
    });
  }
}

/** Layers of the library that look at the whole batch in training, or change their state. */
const batchLayers: ReadonlySet<string> = new Set([
  'ActivityRegularization',
  'BatchNormalization',
  'CutMix',
  'MixUp',
  'SpectralNormalization',
]);

/**
 * Whether what `layer` computes for a sample depends on that sample alone. Unknown of an app's own classes, which may add losses
 * or change variables.
 */
function isPerSample(layer: AnyLayer, training: boolean | undefined): boolean {
  if (!declarationOf(layer.constructor)) return false;
  if ((layer as { stateful?: boolean }).stateful || layer.activityRegularizer) return false;
  return !(training || layer.className === 'ActivityRegularization') || !batchLayers.has(layer.className);
}

/** Returns the input shape of the layer inside. */
function atOneTime(inputShape: OpenShape): OpenShape {
  const [batch = null, , ...rest] = inputShape;
  return [batch, ...rest];
}

/** The layer of a wrapper, which takes and returns one tensor. */
export const inner = (): Option<Layer> => ({
  read: (given, { op }) => wrapped(op, given) as unknown as Layer,
  write: (layer: AnyLayer) => serializeLayer(layer),
});

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
 * the layer's result for [batch, …]. As in Keras, a layer that looks at the whole batch (the statistics of a
 * batchNormalization), keeps states, adds losses or is an app's own is called once for each time. Others compute all times as
 * one batch. A mask [batch, time, …] is passed on in the same way.
 * Errors: ValueError for anything but a layer; ShapeError for inputs without a time axis.
 */
export const timeDistributed = /* @__PURE__ */ factoryOf(TimeDistributed, ['layer']);
