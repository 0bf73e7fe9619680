/** @file TextModel: a backbone with a head. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import type { AnyLayer, LayerOptions } from '../../keras/layers/base/layer.ts';
import { Model } from '../../keras/models/model.ts';
import type { ClassConfig } from '../../keras/namedObjects.ts';
import type { Option } from '../../keras/options/option.ts';
import { deserializeLayer, serializeLayer } from '../../keras/serialization/layerConfigs.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ensureBuilt } from '../layers/building.ts';
import { TextBackbone, type TextInputs } from './backbone.ts';

/** Options of every model with a backbone. */
export interface TextModelOptions extends LayerOptions {
  /** The transformer below the head, such as a `GPT2Backbone`. */
  backbone: TextBackbone | ClassConfig;
}

/** The kind of a backbone, or of its configuration. */
export const backboneKind: Option<never> = {
  read: (given, { op }) => {
    const { className } = (given ?? {}) as Partial<ClassConfig>;
    const isConfig = typeof className === 'string' && !(given instanceof TextBackbone);
    const found = isConfig ? deserializeLayer(given as ClassConfig) : given;
    if (found instanceof TextBackbone) return found as never;
    throw new ValueError({
      op,
      rule: '`backbone` is a transformer without a head.',
      received: `backbone: ${describe(given)}`,
      hint: 'make one, such as new GPT2Backbone({ … }), or load it: fromPretrained(source, { task: "backbone" }).',
    });
  },
  write: (backbone: AnyLayer) => serializeLayer(backbone),
};

/** A backbone with a head. Its weights exist once it is created. */
export abstract class TextModel extends Model<TextInputs, Tensor> {
  declare readonly backbone: TextBackbone;

  /** Builds the head. A subclass calls it at the end of its constructor. */
  protected buildLayers(): void {
    this.ensureBuilt([null, null]);
  }

  override build(): void {
    const features = [null, null, this.backbone.hiddenDim];
    for (const layer of this.sublayers) if (!layer.built) ensureBuilt(layer as never, features);
  }
}
