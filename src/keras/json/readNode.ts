/** @file One call in a document: its arguments, with references to the outputs of other calls. */
import { nodeOf } from '../graph/graphNode.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { type ApplyOptions, Layer } from '../layers/base/layer.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import { isConstant, readConstant } from './constants.ts';
import { dialectOf } from './dialect.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { invalid } from './jsonErrors.ts';
import { camelKey } from './optionNames.ts';
import { pythonFloat } from './pythonFloats.ts';
import type { Reader } from './reader.ts';

/** A layer, or an op, that nodes call. */
export interface Callable {
  readonly name: string;
}

/** An op, which has its own way of passing arguments. */
export interface OperationCall extends Callable {
  call(args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown;
}

/** Resolves references to tensors. */
export interface TensorSource {
  tensor(layer: string, node: number, index: number, place: string): KerasTensor;
}

export interface Reference {
  readonly layer: string;
  readonly node: number;
  readonly index: number;
  readonly place: string;
}

export interface NodeCall {
  readonly needs: readonly Reference[];
  /** Makes the call, and returns its outputs in a list. */
  run(callable: Callable, tensors: TensorSource): readonly KerasTensor[];
}

export function readNode(reader: Reader, node: Json, place: string): NodeCall {
  const { args, kwargs } = isObject(node) ? node : ({} as JsonObject);
  if (!Array.isArray(args) || !isObject(kwargs)) {
    throw invalid(reader.source, {
      place,
      rule: 'a call is an object with args and kwargs.',
      received: node,
      hint: "pass the output of Keras 3's to_json(); files of older versions are converted by loading and saving them in Keras.",
    });
  }
  const needs: Reference[] = [];
  collect(reader, args, `${place}.args`, needs);
  collect(reader, kwargs, `${place}.kwargs`, needs);
  return {
    needs,
    run: (callable, tensors) => {
      const given = args.map((arg: Json) => filled(reader, arg, place, tensors));
      const named = filled(reader, kwargs, place, tensors) as Record<string, unknown>;
      const outputs =
        callable instanceof Layer
          ? callLayer(reader, callable as never, given, named, place)
          : (callable as OperationCall).call(given, named);
      return leavesOf(outputs as Nest<KerasTensor>);
    },
  };
}

/** Arguments of attention layers, in their order. */
const attended = ['query', 'value', 'key'];
/** Names of the first argument, by the layer. */
const firstArguments = ['inputs', 'sequences', 'sequence', 'x'];

function callLayer(
  reader: Reader,
  layer: Layer,
  args: readonly unknown[],
  kwargs: Record<string, unknown>,
  place: string,
): unknown {
  const { recordsTraining, spreads = false } = dialectOf(layer.className);
  // Skips values that Keras records even if they weren't given: it does so in calls on one tensor and nothing else.
  const isAlone = Object.entries(kwargs).every(
    ([key, value]) => key === 'training' || key === 'mask' || value === null,
  );
  const options = Object.entries(kwargs).filter(
    ([key, value]) => value !== null && !(isAlone && key === 'training' && value === recordsTraining),
  );
  const names = spreads ? attended : args.length === 0 ? firstArguments : [];
  const keywords = names.filter((name) => options.some(([key]) => key === name));
  const named = keywords.map((name) => kwargs[name]);
  const rest = Object.fromEntries(
    options.filter(([key]) => !keywords.includes(key)).map(([key, value]) => [camelKey(key), value]),
  ) as ApplyOptions;
  const inputs = [...args, ...named];
  if (spreads || inputs.length === 1) {
    const outputs = layer.apply((spreads ? inputs : inputs[0]) as never, rest) as unknown;
    if (keywords.length > 0)
      nodeOf(leavesOf(outputs as Nest<KerasTensor>)[0] as KerasTensor)?.passByName(keywords);
    return outputs;
  }
  throw invalid(reader.source, {
    place,
    rule: `${layer} is called on one argument.`,
    received: `${args.length} arguments`,
    hint: 'pass tensors in a list or by name, and save the model again.',
  });
}

function collect(reader: Reader, value: Json, place: string, needs: Reference[]): void {
  if (isTensor(value)) needs.push(referenceOf(reader, value, place));
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) collect(reader, item, `${place}.${key}`, needs);
}

function filled(reader: Reader, value: Json, place: string, tensors: TensorSource): unknown {
  if (Array.isArray(value)) return value.map((item: Json) => filled(reader, item, place, tensors));
  if (isTensor(value)) {
    const { layer, node, index } = referenceOf(reader, value, place);
    return tensors.tensor(layer, node, index, place);
  }
  if (!isObject(value)) return value;
  if (isConstant(value)) return readConstant(reader, value, place);
  const float = pythonFloat(value);
  if (float) return float;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [key, filled(reader, item, place, tensors)]),
  );
}

function isTensor(value: Json): value is JsonObject {
  return isObject(value) && value.class_name === '__keras_tensor__';
}

function referenceOf({ source }: Reader, value: JsonObject, place: string): Reference {
  const history = isObject(value.config) ? value.config.keras_history : null;
  if (Array.isArray(history) && history.length === 3) {
    const [layer, node, index] = history as unknown as [unknown, unknown, unknown];
    const isCount = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 0;
    if (typeof layer === 'string' && isCount(node) && isCount(index)) return { layer, node, index, place };
  }
  throw invalid(source, {
    place,
    rule: 'a symbolic tensor has a keras_history: [layer, call, output].',
    received: history ?? null,
  });
}
