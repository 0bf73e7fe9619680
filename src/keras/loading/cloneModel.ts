/** @file cloneModel: a model with the same layers and its own weights. */
import type { CustomObjects } from '../serialization/registered.ts';
import { checkOptions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { atOnce } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type AnyModel, Model } from '../models/model.ts';
import type { Nest } from '../tensorNest.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import { textWithFloats } from '../json/pythonFloats.ts';
import { writeSharingConfig } from '../json/write.ts';

export interface CloneModelOptions {
  /** Custom classes and functions, by their names in the model. */
  customObjects?: CustomObjects;
}

/**
 * Returns a model of new layers with the same options as those of `model`, and new weights, as in Keras: `clone.setWeights(await
 * model.getWeights())` copies them. It isn't compiled.
 * Errors: ValueError for anything but a model; those of `modelFromJSON` for layers that can't be described.
 */
export function cloneModel<In extends Nest<Tensor>, Out extends Nest<Tensor>>(
  model: Model<In, Out>,
  options: CloneModelOptions = {},
): Model<In, Out> {
  checkOptions('cloneModel', options, ['customObjects']);
  if (!(model instanceof Model)) {
    throw new ValueError({
      op: 'cloneModel',
      rule: 'it takes a model.',
      received: describe(model),
      hint: 'create a layer again from its options: new Dense(layer.getConfig()).',
    });
  }
  // As in Keras, a clone isn't compiled.
  const { compile_config: _, ...document } = atOnce(writeSharingConfig(model as unknown as AnyModel));
  const clone = modelFromJSON(textWithFloats(document), { ...options, file: 'cloneModel' });
  return clone as unknown as Model<In, Out>;
}
