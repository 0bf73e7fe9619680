/** @file HeadModel: a backbone with a head. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import type { OpenShape } from '../../core/shape.ts';
import type { AnyLayer, LayerOptions } from '../../keras/layers/base/layer.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import type { Option } from '../../keras/options/option.ts';
import type { Nest } from '../../keras/tensorNest.ts';
import { deserializeLayer, serializeLayer } from '../../keras/serialization/layerConfigs.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ensureBuilt } from '../layers/building.ts';
import type { Backbone } from './backbone.ts';

/** Options of every model with a backbone. */
export interface HeadModelOptions<Net> extends LayerOptions {
  /** The transformer below the head, such as a `GPT2Backbone`. */
  backbone: Net | ClassConfig;
}

/** The kind of a backbone of the class `type`, or of its configuration. `example` is the name of one. */
export function backboneKind(
  type: abstract new (...options: never[]) => AnyLayer,
  example: string,
): Option<never> {
  return {
    read: (given, { op }) => {
      const { className } = (given ?? {}) as Partial<ClassConfig>;
      const isConfig = typeof className === 'string' && !(given instanceof type);
      const found = isConfig ? deserializeLayer(given as ClassConfig) : given;
      if (found instanceof type) return found as never;
      throw new ValueError({
        op,
        rule: '`backbone` is a transformer without a head, for the same inputs.',
        received: `backbone: ${describe(given)}`,
        hint: `make one, such as new ${example}({ … }), or load it with fromPretrained.`,
      });
    },
    write: (backbone: AnyLayer) => serializeLayer(backbone),
  };
}

/** A backbone with a head. Its weights exist once it is created. */
export abstract class HeadModel<Inputs extends Nest<Tensor>, Net extends Backbone<Inputs>> extends Model<
  Inputs,
  Tensor
> {
  declare readonly backbone: Net;

  /** Builds the head. A subclass calls it at the end of its constructor. */
  protected buildLayers(inputShape: OpenShape): void {
    this.ensureBuilt(inputShape as never);
  }

  override build(): void {
    const features = [null, null, this.backbone.hiddenDim];
    for (const layer of this.sublayers) if (!layer.built) ensureBuilt(layer as never, features);
  }
}
