/** @file Pipeline: applies layers one after the other, without a model. */
import { ValueError } from '../../../core/errors.ts';
import { isListOf } from '../../../core/lists.ts';
import type { OptionNames } from '../../../core/options.ts';
import { describe } from '../../../core/shape.ts';
import type { SymbolicTensor } from '../../../ops/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { KerasTensor } from '../../graph/kerasTensor.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { serializeLayer } from '../../serialization/index.ts';
import type { Nest } from '../../tensorNest.ts';
import { type AnyLayer, type ApplyOptions, type CallOptions, Layer, type Shapes } from '../base/layer.ts';
import { wrapped } from '../recurrent/timeDistributed.ts';
import { factoryOf } from '../../options/factory.ts';

/** Options of `pipeline`. */
export interface PipelineOptions {
  /** The layers in their order. */
  layers: readonly (AnyLayer | Layer | ClassConfig)[];
  /** Its name in histories, errors, summaries and files. Default: `pipeline` with a number. */
  name?: string;
}

/** The class of layers created by `pipeline`, which documents shapes, weights and errors. */
export class Pipeline extends Layer<Nest<Tensor>, Nest<Tensor>> {
  static override readonly className: string = 'Pipeline';

  static get knownOptions(): readonly string[] {
    return Object.keys({ layers: true, name: true } satisfies OptionNames<PipelineOptions>);
  }

  readonly layers: readonly AnyLayer[];

  constructor(options: PipelineOptions) {
    super(options);
    const { layers } = options;
    if (!isListOf(layers, () => true) || layers.length === 0) throw noLayers(this.name, layers);
    // Unlike `map`, `from` doesn't skip holes.
    this.layers = Array.from(layers, (layer, i) => wrapped(this.name, layer, `layers[${i}]`));
  }

  override build(inputShape: Shapes<Nest<Tensor>>): void {
    let shape = inputShape;
    for (const layer of this.layers) {
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
    return { name: this.name, layers: this.layers.map((layer) => serializeLayer(layer)) };
  }
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
