/** @file cloneModel: a model of the same layers, with weights of its own. */
import type { CustomObjects } from '../serialization/registered.ts';
import { checkOptions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { Model } from '../models/model.ts';
import { type AnyModel, modelFromJSON } from './read.ts';
import { modelToSharingConfig } from './write.ts';

/** Options of `cloneModel`. */
export interface CloneModelOptions {
  /** Classes and functions of yours, by the names under which the model has them. */
  customObjects?: CustomObjects;
}

/**
 * A model of new layers with the options of `model`'s, and new weights, as in Keras: `clone.setWeights(await
 * model.getWeights())` copies them. It isn't compiled.
 * Errors: ValueError for what is no model; as of `modelFromJSON` for layers that can't be described.
 */
export function cloneModel(model: AnyModel, options: CloneModelOptions = {}): AnyModel {
  checkOptions('cloneModel', options, ['customObjects']);
  if (!(model instanceof Model)) {
    throw new ValueError({
      op: 'cloneModel',
      rule: 'it takes a model.',
      received: describe(model),
      hint: 'a layer is made again of its options: new Dense(layer.getConfig()).',
    });
  }
  // A clone is compiled by its owner, as in Keras.
  const { compile_config: _, ...document } = modelToSharingConfig(model);
  return modelFromJSON(JSON.stringify(document), { ...options, file: 'cloneModel' });
}
