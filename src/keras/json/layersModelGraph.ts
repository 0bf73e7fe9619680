/** @file Calls of a graph as TF.js describes them: tensors as [layer, call, output, options]. */
import { isObject, type Json, type JsonObject } from './document.ts';
import { isModel, isOp, makesMask, nameOf, type InvalidLayer } from './layersModelParts.ts';

type Reference = readonly [layer: string, call: number, output: number];

/** Returns the calls of each layer. */
export function layersCalls(layers: readonly JsonObject[], invalid: InvalidLayer): ReadonlyMap<string, Json> {
  return new Map(
    layers
      .filter((layer) => !isOp(layer))
      .map((layer) => {
        const nodes = (layer.inbound_nodes ?? []) as readonly JsonObject[];
        return [nameOf(layer), nodes.map((node) => writeCall(layer, node, layers, invalid))];
      }),
  );
}

/** Returns the inputs or outputs of a model, which are always a list in TF.js. */
export function layersEdges(nest: Json, layers: readonly JsonObject[], invalid: InvalidLayer): Json {
  if (isReference(nest)) {
    requireLayer(nest, layers, invalid);
    // The description of a Functional already counts as a call.
    const isStack = layers.some((layer) => nameOf(layer) === nest[0] && layer.class_name === 'Sequential');
    return [[nest[0], nest[1] + Number(isStack), nest[2]]];
  }
  if (Array.isArray(nest)) return nest.flatMap((item: Json) => layersEdges(item, layers, invalid) as Json[]);
  throw invalid(
    'model',
    "inputs and outputs of TF.js's models are lists.",
    'inputs or outputs by name',
    'describe the model by a tensor, or a list of them.',
  );
}

function writeCall(
  layer: JsonObject,
  { args, kwargs }: JsonObject,
  layers: readonly JsonObject[],
  invalid: InvalidLayer,
): Json {
  const { mask = null, initial_state: states = null, training = null, ...rest } = kwargs as JsonObject;
  const strange = Object.entries(rest).find(([, value]) => value !== null);
  if (strange || training === true) {
    throw invalid(
      nameOf(layer),
      'calls in TF.js have tensors alone.',
      `a call with \`${strange ? strange[0] : 'training: true'}\``,
      'call the layer without it, or save the model for Keras.',
    );
  }
  if (layer.class_name === 'ConvLSTM2D' && states !== null) {
    throw invalid(
      nameOf(layer),
      "TF.js's ConvLSTM2D starts from zeros.",
      'a call with initial states',
      'call the layer without them, or save the model for Keras.',
    );
  }
  requireImplicitMask(layer, mask, layers, invalid);
  const inputs = [...tensorsIn(args as Json), ...tensorsIn(states)];
  const options: JsonObject = training === null ? {} : { training };
  return inputs.map((tensor): Json => {
    requireLayer(tensor, layers, invalid);
    const [name, call, output] = tensor;
    // The first call of a model is the one that defines it.
    const isOfModel = layers.some((other) => nameOf(other) === name && isModel(other));
    return [name, call + Number(isOfModel), output, options];
  });
}

/** TF.js computes masks at run time, so they aren't written; a mask that the app passed would be lost. */
function requireImplicitMask(
  layer: JsonObject,
  mask: Json,
  layers: readonly JsonObject[],
  invalid: InvalidLayer,
): void {
  const isComputed = ([name]: Reference) => layers.some((other) => nameOf(other) === name && isOp(other));
  const tensors = tensorsIn(mask);
  if (tensors.length === 0 || (layers.some(makesMask) && tensors.every(isComputed))) return;
  throw invalid(
    nameOf(layer),
    'masks in TF.js are those of Embedding and Masking.',
    'a mask that was given to the call',
    'use maskZero or layers.masking, or save the model for Keras.',
  );
}

function requireLayer([name]: Reference, layers: readonly JsonObject[], invalid: InvalidLayer): void {
  const found = layers.find((layer) => nameOf(layer) === name);
  if (!found || !isOp(found)) return;
  throw invalid(
    name,
    "TF.js's models are made of layers.",
    `op ${String(found.class_name)}`,
    'use a layer for it, such as layers.add().',
  );
}

/** Returns the tensors of an argument, in their order. */
function tensorsIn(value: Json): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => tensorsIn(item));
  if (!isObject(value)) return [];
  if (value.class_name !== '__keras_tensor__') return Object.values(value).flatMap(tensorsIn);
  return [(value.config as JsonObject).keras_history as unknown as Reference];
}

function isReference(nest: Json): nest is Reference & Json {
  return Array.isArray(nest) && nest.length === 3 && typeof nest[0] === 'string';
}
