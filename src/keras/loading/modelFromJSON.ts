/** @file Models from Keras's JSON. */
import { ValueError } from '../../core/errors.ts';
import type { Pacer } from '../../core/pacer.ts';
import { atOnce, inTurns, type Pieces } from '../../core/pieces.ts';
import { checkOptions } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import { type AnyModel, Model } from '../models/model.ts';
import { withBuiltIns } from '../serialization/layerConfigs.ts';
import { type CustomObjects, withCustomObjects } from '../serialization/registered.ts';
import { builtInClasses } from './builtInClasses.ts';
import { type Json, type JsonObject, readDocument } from '../json/document.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { invalid } from '../json/jsonErrors.ts';
import type { AnyLambdaFunction, Reader } from '../json/reader.ts';
import { readLayer } from './readLayer.ts';
import { sharedIds } from '../json/sharedLayers.ts';

/** Options of `modelFromJSON`. */
export interface FromJSONOptions {
  /** Classes and functions by their names in the document. They take precedence over Keras's. */
  customObjects?: CustomObjects;
  /** Functions instead of the code of Lambda layers, by the layers' names. */
  lambdas?: Readonly<Record<string, AnyLambdaFunction>>;
  /** The file's name, for errors. */
  file?: string;
}

/**
 * Returns the model that Keras's JSON describes (`model.to_json()`, or `config.json` in a `.keras` file), with new weights.
 * Names in the document are looked up among Keras's classes and registered ones; nothing in it is executed. Files are not
 * trusted: an invalid part is rejected with its place, and nothing is left behind.
 * Errors: FormatError; UnsafeModelError for Python code in Lambda layers that `lambdas` doesn't replace.
 */
export function modelFromJSON(json: string | object, options: FromJSONOptions = {}): AnyModel {
  const { reading, free } = startReading(json, options);
  try {
    return atOnce(reading);
  } catch (error) {
    free();
    throw error;
  }
}

/** How a model is read by a program that waits. */
export interface PacedReading {
  /** Called between pieces. */
  readonly pacer: Pacer;
  /** Runs each piece. */
  readonly within: <T>(piece: () => T) => T;
}

/** As `modelFromJSON`, in pieces, between which other tasks may run. Errors: also the reason of the pacer's signal. */
export async function readModel(
  json: string | object,
  options: FromJSONOptions,
  { pacer, within }: PacedReading,
): Promise<AnyModel> {
  const { reading, free } = startReading(json, options);
  try {
    return await inTurns(reading, pacer, within);
  } catch (error) {
    free();
    throw error;
  }
}

/** Returns the layer that an object of Keras's JSON describes. Errors: FormatError. */
export function layerFromDocument(document: JsonObject, source: string): AnyLayer {
  const reader = {
    source,
    lambdas: {},
    ids: sharedIds(document),
    shared: new Map(),
    built: new Map(),
    scopes: [],
    made: [],
  };
  return withBuiltIns(builtInClasses(), () => atOnce(readLayer(reader, document, 'top')));
}

/** Returns the reading of a model, and what frees the layers that it created. */
function startReading(
  json: string | object,
  options: FromJSONOptions,
): { reading: Pieces<AnyModel>; free: () => void } {
  checkOptions('modelFromJSON', options, ['customObjects', 'lambdas', 'file']);
  const { customObjects = {}, lambdas = {}, file = 'modelFromJSON' } = options;
  if (typeof json !== 'string' && (typeof json !== 'object' || json === null)) {
    throw new ValueError({
      op: 'modelFromJSON',
      rule: 'a model is given as JSON, or as the object that JSON gives.',
      received: describe(json),
      hint: 'pass the text of config.json.',
    });
  }
  const document = readDocument(json, file);
  const made: Reader['made'] = [];
  const free = () => {
    for (const layer of made) layer.dispose();
  };
  function* reading(): Pieces<AnyModel> {
    yield;
    const ids = sharedIds(document);
    yield;
    const reader = { source: file, lambdas, ids, shared: new Map(), built: new Map(), scopes: [], made };
    return yield* readTop(reader, document, customObjects);
  }
  return { reading: reading(), free };
}

function* readTop(reader: Reader, document: Json, customObjects: CustomObjects): Pieces<AnyModel> {
  const reading = readLayer(reader, document, 'top');
  // Other tasks may run between two pieces: they have other classes.
  const next = () =>
    withCustomObjects(customObjects, () => withBuiltIns(builtInClasses(), () => reading.next()));
  let piece = next();
  for (; !piece.done; piece = next()) yield;
  const model = piece.value;
  if (model instanceof Model) {
    for (const [layer, shape] of reader.built) keepBuildShape(layer, shape);
    return model as AnyModel;
  }
  throw invalid(reader.source, {
    place: 'the top',
    rule: 'the document describes a model.',
    received: `layer ${model}`,
    hint: 'wrap the layer in a model, and save that.',
  });
}

/** A layer that was built by data keeps the sizes of the data, although the call that builds it here has open sizes. */
function keepBuildShape(layer: AnyLayer, shape: Json): void {
  const { buildShape } = layer;
  if (!Array.isArray(buildShape) || !Array.isArray(shape) || buildShape.length !== shape.length) return;
  const isRefined = buildShape.every((size, i) => size === null || size === shape[i]);
  const areSizes = shape.every((size: Json) => size === null || Number.isInteger(size));
  if (isRefined && areSizes) layer.buildShape = shape as (number | null)[] as never;
}
