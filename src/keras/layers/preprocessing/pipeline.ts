/** @file Pipeline: applies layers one after the other, without a model. */
import { ValueError } from '../../../core/errors.ts';
import { isListOf } from '../../../core/lists.ts';
import { describe } from '../../../core/shape.ts';
import type { SymbolicTensor } from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { KerasTensor } from '../../graph/kerasTensor.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { serializeLayer } from '../../serialization/index.ts';
import type { Nest } from '../../tensorNest.ts';
import type { ApplyOptions } from '../base/layer.ts';
import { wrapped } from '../recurrent/timeDistributed.ts';
import { type AnyLayer, type CallOptions, factoryOf, Layer, layer, type Shapes } from '../base/declare.ts';

export interface PipelineOptions {
  /** The layers in their order. */
  layers: readonly (AnyLayer | Layer | ClassConfig)[];
  /** Its name in histories, errors, summaries and files. Default: `pipeline` with a number. */
  name?: string;
}

export class Pipeline extends /* @__PURE__ */ layer<PipelineOptions, Layer<Nest<Tensor>, Nest<Tensor>>>(
  'Pipeline',
  () => ({
    layers: {
      read: (given, { op }) => layersOf(op, given),
      write: (all: readonly AnyLayer[]) => all.map(serializeLayer),
    },
  }),
  Layer,
  ['name'],
) {
  override build(inputShape: Shapes<Nest<Tensor>>): void {
    let shape = inputShape;
    for (const layer of this.layers as readonly AnyLayer[]) {
      layer.ensureBuilt(shape);
      shape = layer.computeOutputShape(shape);
    }
  }

  override apply(inputs: SymbolicTensor, options?: ApplyOptions): KerasTensor;
  override apply(inputs: Tensor, options?: ApplyOptions): Tensor;
  override apply(inputs: Nest<SymbolicTensor>, options?: ApplyOptions): Nest<KerasTensor>;
  override apply(inputs: Nest<Tensor>, options?: ApplyOptions): Nest<Tensor>;
  override apply(inputs: unknown, options?: ApplyOptions): unknown {
    return super.apply(inputs as Nest<Tensor>, options);
  }

  /** As in Keras, the layers are called as in training unless `training` is false. */
  override call(inputs: Nest<Tensor>, { training = true, mask }: CallOptions): Nest<Tensor> {
    const [first, ...others] = this.layers as [AnyLayer, ...AnyLayer[]];
    const start = first.apply(inputs, { training, mask });
    return others.reduce((x, layer) => layer.apply(x, { training }), start);
  }

  override getConfig(): Record<string, unknown> {
    const { name, layers } = super.getConfig();
    return { name, layers };
  }
}

function layersOf(op: string, given: unknown): readonly AnyLayer[] {
  if (!isListOf(given, (_): _ is unknown => true) || given.length === 0) throw noLayers(op, given);
  // Unlike `map`, `from` doesn't skip holes.
  return Array.from(given, (layer, i) => wrapped(op, layer, `layers[${i}]`));
}

function noLayers(op: string, given: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`layers` is a list of one layer or more.',
    received: `layers: ${describe(given)}`,
    hint: 'pass them: pipeline({ layers: [layers.randomFlip(), layers.rescaling({ scale: 1 / 255 })] }).',
  });
}

/**
 * Applies layers one after the other, as one layer: for augmenting images in a dataset, or records of images and labels for
 * `mixUp`. Shapes: those of the layers. As in Keras, they are called as in training unless `training` is false.
 * Errors: ValueError for anything but layers, and those of the layers.
 */
export const pipeline = /* @__PURE__ */ factoryOf(Pipeline, ['layers', 'name']);
