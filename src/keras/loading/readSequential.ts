/** @file Reads a Sequential. */
import type { Pieces } from '../../core/pieces.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { Sequential } from '../models/sequential.ts';
import type { Registrable } from '../serialization/registered.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { invalid } from '../json/jsonErrors.ts';
import type { Reader } from '../json/reader.ts';

export type LayerReader = (reader: Reader, object: Json | undefined, place: string) => Pieces<AnyLayer>;

interface SequentialClass {
  new (options: { name?: Json; trainable?: Json; layers: AnyLayer[] }): Sequential;
}

export function* readSequential(
  reader: Reader,
  found: Registrable,
  object: JsonObject,
  place: string,
  readLayer: LayerReader,
): Pieces<AnyLayer> {
  const { name, trainable, layers, build_input_shape: buildShape } = object.config as JsonObject;
  if (!Array.isArray(layers)) throw notAList(reader, layers ?? null, `${place}.config.layers`);
  const made: AnyLayer[] = [];
  reader.scopes.push(String(name));
  for (const [i, layer] of layers.entries())
    made.push(yield* readLayer(reader, layer as Json, `${place}.config.layers[${i}]`));
  reader.scopes.pop();
  const model = yield* create(found as unknown as SequentialClass, made, {
    ...(name === undefined ? {} : { name }),
    ...(trainable === undefined || trainable === null ? {} : { trainable }),
  });
  const shape = buildShape ?? (isObject(object.build_config) ? object.build_config.input_shape : null);
  if (!model.built && Array.isArray(shape)) model.build(shape as (number | null)[]);
  return model as unknown as AnyLayer;
}

/** A class of an app gets all layers at once: its constructor may look at them. */
function* create(
  found: SequentialClass,
  layers: AnyLayer[],
  options: { name?: Json; trainable?: Json },
): Pieces<Sequential> {
  if (found !== (Sequential as unknown)) return new found({ ...options, layers });
  const model = new found({ ...options, layers: [] });
  yield* Sequential.extend(model, layers);
  if (options.trainable === false) model.trainable = false;
  return model;
}

export function notAList({ source }: Reader, received: Json, place: string): Error {
  return invalid(source, {
    place,
    rule: '`layers` is a list of layers.',
    received,
  });
}
