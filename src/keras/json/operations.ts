/**
 * @file Ops in a document. Keras keeps every call of an op on symbolic tensors as an operation of its own class, whose
 * options are its configuration and whose operands are the arguments of its one call.
 */
import { describe } from '../../core/shape.ts';
import * as ops from '../../ops/index.ts';
import { isSymbolic } from '../../ops/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import type { GraphNode, GraphOperation } from '../graph/graphNode.ts';
import { classOfCall, kerasClass } from '../graph/opNames.ts';
import { OpOperation, withOpName } from '../graph/opOperation.ts';
import type { Nest } from '../tensorNest.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { refusal } from './jsonErrors.ts';
import type { OperationCall } from './readNode.ts';
import { type Reader, stringOf } from './reader.ts';
import { type Writer, writeValue } from './writeValue.ts';

/** An op here and in Keras. */
interface Entry {
  readonly op: string;
  readonly className: string;
  readonly module: string;
  /** Options here, by the names that Keras gives them. */
  readonly options: Readonly<Record<string, string>>;
  /** Options of Keras that have no name here, with the value that is written for them. */
  readonly constants?: JsonObject;
  /** Whether its operands are one list. */
  readonly list?: boolean;
}

const numpy = 'keras.src.ops.numpy';
const nn = 'keras.src.ops.nn';
const math = 'keras.src.ops.math';

/** Ops of a module, `op` or `op:Class` for another class than the op usually has, separated by spaces. */
function entries(
  module: string,
  names: string,
  options: Entry['options'] = {},
  more?: Partial<Entry>,
): Entry[] {
  return names.split(' ').map((name) => {
    const [op, className = kerasClass(op)] = name.split(':') as [string, string?];
    return { op, className, module, options, ...more };
  });
}

const along = { axis: 'axis', keepdims: 'keepDims' };

/** Of two classes for one op the first is written. */
const table: readonly Entry[] = [
  ...entries(numpy, 'add sub mul div div:TrueDivide pow maximum minimum'),
  ...entries(numpy, 'mod floorDiv equal notEqual greater greaterEqual less lessEqual'),
  ...entries(numpy, 'logicalAnd logicalOr logicalNot logicalXor where neg abs abs:Abs exp'),
  ...entries(numpy, 'expm1 log log1p sqrt square reciprocal sign floor ceil sin cos tan sinh cosh tanh'),
  ...entries(numpy, 'asin acos atan atan2 asinh acosh'),
  ...entries(numpy, 'atanh isNaN isInf isFinite matMul'),
  ...entries(numpy, 'sum mean prod variance std any all', along),
  ...entries(numpy, 'max min', along, { constants: { initial: null } }),
  ...entries(numpy, 'argMax argMin expandDims squeeze flip gather', { axis: 'axis' }),
  ...entries(numpy, 'concat stack', { axis: 'axis' }, { list: true }),
  ...entries(numpy, 'reshape', { newshape: 'shape' }),
  ...entries(numpy, 'transpose', { axes: 'perm' }),
  ...entries(numpy, 'tile', { repeats: 'reps' }),
  ...entries(numpy, 'clip', { x_min: 'min', x_max: 'max' }),
  ...entries(math, 'rsqrt erf'),
  ...entries(math, 'logSumExp', along),
  ...entries(nn, 'relu relu6 sigmoid softplus softsign silu logSigmoid hardSigmoid hardSwish selu'),
  ...entries(nn, 'mish'),
  ...entries(nn, 'leakyRelu', { negative_slope: 'negativeSlope' }),
  ...entries(nn, 'elu', { alpha: 'alpha' }),
  ...entries(nn, 'gelu', { approximate: 'approximate' }),
  ...entries(nn, 'softmax logSoftmax', { axis: 'axis' }),
  ...entries('keras.src.ops.core', 'cast', { dtype: 'dtype' }),
];

type Op = (...args: unknown[]) => unknown;

/** A document may name any op of the table, so that an app that reads documents has them all. */
const opsByName: Readonly<Record<string, unknown>> = ops;

/** Whether `object` is an op rather than a layer. */
export function isOperation(object: Json): object is JsonObject {
  return (
    isObject(object) &&
    typeof object.module === 'string' &&
    /^keras\.src\.(ops|backend)\./.test(object.module)
  );
}

/** The op that `object` describes, to be called as its node says. Errors: FormatError. */
export function readOperation(reader: Reader, object: JsonObject, place: string): OperationCall {
  const className = stringOf(reader, object, 'class_name', place);
  const name = stringOf(reader, object, 'name', place);
  const entry = table.find((known) => known.className === className && known.module === object.module);
  if (!entry) throw refused(reader.source, place, `op ${className}`);
  const config = isObject(object.config) ? object.config : {};
  const given = Object.entries(config).filter(([key, value]) => key !== 'name' && value !== null);
  const unknown = given.find(([key, value]) => !Object.hasOwn(entry.options, key) && !isDefault(key, value));
  if (unknown)
    throw refused(
      reader.source,
      `${place}.config`,
      `op ${className} with ${unknown[0]}: ${describe(unknown[1])}`,
    );
  const known = given.filter(([key]) => Object.hasOwn(entry.options, key));
  const options = Object.fromEntries(known.map(([key, value]) => [entry.options[key], value]));
  return {
    name,
    call: (args) => {
      const [first] = args;
      const op = opsByName[entry.op] as Op;
      // Options by their place among the arguments are Keras's for functions, not for operations.
      const given = entry.list
        ? [first, options]
        : Object.keys(options).length > 0
          ? [...args, options]
          : args;
      return withOpName(name, () => op(...given));
    },
  };
}

/** Options of Keras that have no name here, with the values that they have anyway. */
function isDefault(key: string, value: Json): boolean {
  return (key === 'decimals' && value === 0) || (key === 'keepdims' && value === false);
}

/** An op of a graph as Keras writes it. Errors: FormatError. */
export function writeOperation(writer: Writer, operation: GraphOperation, place: string): JsonObject {
  const entry = entryOf(writer, operation, place);
  const [node] = operation.inboundNodes;
  const given = (node?.options ?? {}) as Readonly<Record<string, unknown>>;
  const options = Object.entries(entry.options).map(([key, option]) => {
    const value = given[option];
    if (value !== undefined) return [key, writeValue(writer, '', value, `${place}.${option}`)];
    return [key, key === 'keepdims' ? false : (defaults[`${entry.op}.${option}`] ?? null)];
  });
  const strange = Object.keys(given).find(
    (option) =>
      !Object.values(entry.options).includes(option) &&
      given[option] !== undefined &&
      option !== 'validateIndices',
  );
  if (strange) throw refused(writer.source, place, `op ${entry.op} with \`${strange}\``);
  return {
    module: entry.module,
    class_name: entry.className,
    config: { name: operation.name, ...Object.fromEntries(options), ...entry.constants },
    registered_name: entry.className,
  };
}

/** What options are that weren't given, where they are not null. */
const defaults: Readonly<Record<string, Json>> = {
  'concat.axis': 0,
  'stack.axis': 0,
  'gather.axis': 0,
  'softmax.axis': -1,
  'logSoftmax.axis': -1,
  'leakyRelu.negativeSlope': 0.2,
  'elu.alpha': 1,
  'gelu.approximate': false,
};

/** The one call of an op; `tensor` writes symbolic operands. Errors: FormatError. */
export function writeOperationCall(
  writer: Writer,
  node: GraphNode,
  tensor: (operand: KerasTensor) => JsonObject,
  place: string,
): JsonObject {
  const { list } = entryOf(writer, node.operation, place);
  const operands = [node.argument as readonly Nest<unknown>[]].flat();
  const args = operands.map((operand) => {
    if (isSymbolic(operand)) return tensor(operand as KerasTensor);
    if (typeof operand === 'number') return operand;
    const what = operand instanceof Tensor ? 'a tensor with values' : String(operand);
    throw refused(writer.source, place, `op ${node.operation.name} with ${what} among its operands`);
  });
  return { args: list ? [args] : args, kwargs: {} };
}

function entryOf({ source }: Writer, operation: GraphOperation, place: string): Entry {
  const op = operation instanceof OpOperation ? operation.definition.name : operation.name;
  const className = classOfCall(op, operation.name);
  const found = table.filter((entry) => entry.op === op);
  const exact = found.find((entry) => entry.className === className) ?? found[0];
  if (exact) return exact;
  throw refused(source, place, `op ${op}`);
}

function refused(source: string, place: string, received: string): Error {
  return refusal(source, {
    place,
    rule: 'the ops of a model are those that this library and Keras have in common.',
    received,
    hint: 'compute it in a layer of your own, and registerClass that.',
  });
}
