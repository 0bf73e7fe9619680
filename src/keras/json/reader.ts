/** @file Reader: the state shared while a document is read. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { LambdaFunction } from '../layers/core/lambda.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { Nest } from '../tensorNest.ts';
import type { Json, JsonObject } from './document.ts';
import { invalid } from './jsonErrors.ts';

/** A function instead of the code of a Lambda layer, from nests of any form to nests of any form. */
export type AnyLambdaFunction = LambdaFunction<never, Nest<Tensor>>;

export interface Reader {
  /** The name of the document in errors. */
  readonly source: string;
  /** Functions for Lambda layers, by the layers' names. */
  readonly lambdas: Readonly<Record<string, AnyLambdaFunction>>;
  /** Ids of layers that the document describes in several places, by description. */
  readonly ids: ReadonlyMap<JsonObject, number>;
  /** The shared layers created so far, by id. */
  readonly shared: Map<number, AnyLayer>;
  /** The shapes for which layers were built when the document was written. */
  readonly built: Map<AnyLayer, Json>;
  /** Names of the models around that name their layers after themselves: those with a stack of layers. */
  readonly scopes: string[];
  /** All layers created so far, to be freed if reading fails. */
  readonly made: AnyLayer[];
}

/** Returns the layer that `object` describes if it was created before, otherwise undefined. */
export function sharedLayer({ ids, shared }: Reader, object: JsonObject): AnyLayer | undefined {
  const id = ids.get(object);
  return id === undefined ? undefined : shared.get(id);
}

/** Returns the string under `key`. Errors: FormatError. */
export function stringOf({ source }: Reader, object: JsonObject, key: string, place: string): string {
  const value = object[key];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(source, {
    place: `${place}.${key}`,
    rule: `\`${key}\` is a name.`,
    received: value,
  });
}
