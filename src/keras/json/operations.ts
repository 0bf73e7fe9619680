/**
 * @file Ops in a document. Keras records every call of an op on symbolic tensors as an operation with its own class, with
 * the options as its configuration and the operands as the arguments of its only call.
 */
import { DTypeError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import * as ops from '../../ops/index.ts';
import * as kerasOps from '../ops/index.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { FormulaOperation } from '../graph/formulaOperation.ts';
import { type GraphNode, type GraphOperation, nodeOf } from '../graph/graphNode.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { classOfCall } from '../graph/opNames.ts';
import { OpOperation, withOpName } from '../graph/opOperation.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { castFormula, rememberCast } from './casts.ts';
import { constantJson, rememberOperands } from './constants.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { type Formula, formulaOf } from './formulas.ts';
import { invalid } from './jsonErrors.ts';
import { operationDefaults, type OperationEntry, operationTable } from './operationTable.ts';
import { camelKey } from './optionNames.ts';
import type { OperationCall } from './readNode.ts';
import { plainOperand, PythonFloat } from './pythonFloats.ts';
import { type Reader, stringOf } from './reader.ts';
import { type Writer, writeValue } from './writeValue.ts';

type Op = (...args: unknown[]) => unknown;

/** A document may refer to any op of the table, so an app that reads documents bundles all of them. */
const opsByName: Readonly<Record<string, unknown>> = ops;
/** The same ops with Keras's rules for dtypes. */
const kerasOpsByName = kerasOps as unknown as Readonly<Record<string, unknown>>;

/** An operation that is a formula here, with its description in the document. */
interface Described {
  readonly description: JsonObject;
  readonly formula: Formula;
}

/** The descriptions of operations that are formulas. */
const descriptions = new WeakMap<FormulaOperation, JsonObject>();

/** Returns whether `object` is an op rather than a layer. */
export function isOperation(object: Json): object is JsonObject {
  return (
    isObject(object) &&
    typeof object.module === 'string' &&
    /^keras\.src\.(ops|backend)\./.test(object.module)
  );
}

/** Returns the op that `object` describes, to be called as recorded in its node. Errors: FormatError. */
export function readOperation(reader: Reader, object: JsonObject, place: string): OperationCall {
  const className = stringOf(reader, object, 'class_name', place);
  const name = stringOf(reader, object, 'name', place);
  const entry = operationTable.find(
    (known) => known.className === className && known.module === object.module,
  );
  const options = entry ? optionsOf(entry, object) : null;
  const cast = castOf(entry, object);
  const described = cast ?? describedOf(className, object);
  if (!options && !described) throw rejected(reader.source, place, `op ${className}${optionsText(object)}`);
  return {
    name,
    call: (given, kwargs) => {
      const args = given.map(plainOperand);
      if (entry && options && makesFloats(entry, given)) {
        const formula: Formula = (operands) => floatOn(entry, operands, options);
        return callFormula({ description: descriptionOf(object), formula }, name, given, kwargs);
      }
      const isPlain = Object.values(kwargs).every((value) => value === null);
      if (!cast && entry && options && isPlain && !hasNegativeIndices(entry, args))
        return callEntry(entry, object, name, args, options);
      if (described) return callFormula(described, name, args, kwargs);
      throw rejected(reader.source, place, `op ${className} with arguments by name`);
    },
  };
}

/** Ops whose results are floats where an operand is one. */
const promoting: ReadonlySet<string> = new Set(
  'add sub mul pow mod floorDiv maximum minimum where'.split(' '),
);

/** Whether a whole float makes floats of the other operands: `flags * 1.0`. */
function makesFloats({ op }: OperationEntry, operands: readonly unknown[]): boolean {
  const values = op === 'where' ? operands.slice(1) : operands;
  const tensors = values.filter((operand) => isSymbolic(operand) || operand instanceof Tensor);
  return (
    promoting.has(op) &&
    values.some((operand) => operand instanceof PythonFloat) &&
    !tensors.some((operand) => isFloat((operand as Tensor).dtype))
  );
}

const isFloat = (dtype: string) => dtype === 'float32' || dtype === 'float16';

/** The op on operands that are floats, except the condition of `where`. */
function floatOn(entry: OperationEntry, operands: readonly unknown[], options: JsonObject): Tensor {
  const asFloat = (operand: unknown) => ops.cast(operand as Tensor, { dtype: 'float32' });
  const isCondition = (i: number) => entry.op === 'where' && i === 0;
  const floats = operands.map((given, i) => {
    const operand = plainOperand(given);
    return typeof operand === 'number' || isCondition(i) ? operand : asFloat(operand);
  });
  return asFloat(opOn(entry, floats, options, kerasOpsByName));
}

/** Calls an op, or computes it as Keras does if it rejects the dtypes of the operands. */
function callEntry(
  entry: OperationEntry,
  object: JsonObject,
  name: string,
  args: readonly unknown[],
  options: JsonObject,
): unknown {
  try {
    return callOp(entry, name, args, options);
  } catch (error) {
    const config = object.config ?? null;
    if (!(error instanceof DTypeError) || !isObject(config)) throw error;
    const formula: Formula = (operands) => opOn(entry, operands, options, kerasOpsByName) as Nest<Tensor>;
    const described = { description: descriptionOf(object), formula };
    return callFormula(described, name, args, {});
  }
}

/** Indices that count from the last, which `gather` doesn't have. */
function hasNegativeIndices({ className }: OperationEntry, [, indices]: readonly unknown[]): boolean {
  const listed = indices instanceof Tensor ? constantJson(indices) : (indices as Json);
  const values = isObject(listed) && isObject(listed.config) ? listed.config.value : listed;
  const isNegative = (value: Json | undefined): boolean =>
    Array.isArray(value) ? value.some(isNegative) : typeof value === 'number' && value < 0;
  return className === 'Take' && isNegative(values);
}

/** A cast to a dtype that is another one here; null for any other operation. */
function castOf(entry: OperationEntry | undefined, object: JsonObject): Described | null {
  const formula = entry?.op === 'cast' && isObject(object.config) ? castFormula(object.config.dtype) : null;
  return formula && { description: descriptionOf(object), formula };
}

function describedOf(className: string, object: JsonObject): Described | null {
  const formula = formulaOf(className);
  if (!formula || !isObject(object.config)) return null;
  return { description: descriptionOf(object), formula };
}

function descriptionOf({
  module = null,
  class_name: className = null,
  config = null,
  registered_name: registered = null,
}: JsonObject): JsonObject {
  return { module, class_name: className, config, registered_name: registered };
}

/** Returns the options of an operation, for an error. */
function optionsText({ config }: JsonObject): string {
  const given = Object.entries(isObject(config) ? optionsIn(config) : {});
  return given.map(([key, value]) => ` with ${key}: ${describe(value)}`).join();
}

/** Returns the options of an op; null if it has options that the op here doesn't support. */
function optionsOf(
  { op, options, constants = {}, write, isFormula = false }: OperationEntry,
  object: JsonObject,
): JsonObject | null {
  if (write || isFormula) return null;
  const config = isObject(object.config) ? object.config : {};
  const given = Object.entries(config).filter(([key, value]) => key !== 'name' && value !== null);
  // Null means no axis, or all axes, which differs from the default of ops that have one.
  const isOther = Object.entries(options).some(
    ([key, option]) => config[key] === null && Object.hasOwn(operationDefaults, `${op}.${option}`),
  );
  if (isOther) return null;
  const isUnknown = ([key, value]: [string, Json]) =>
    !Object.hasOwn(options, key) && value !== constants[key] && !(key === 'keepdims' && value === false);
  if (given.some(isUnknown)) return null;
  const known = given.filter(([key]) => Object.hasOwn(options, key));
  return Object.fromEntries(known.map(([key, value]) => [options[key] as string, value]));
}

/** Keras's functions take options by position, its operations don't. */
function opOn(
  { op, list = false }: OperationEntry,
  args: readonly unknown[],
  options: JsonObject,
  table = opsByName,
): unknown {
  const operands = list ? [args[0]] : args;
  return (table[op] as Op)(...operands, ...(Object.keys(options).length > 0 ? [options] : []));
}

function callOp(entry: OperationEntry, name: string, args: readonly unknown[], options: JsonObject): unknown {
  const outputs = withOpName(name, () => opOn(entry, args, options)) as Nest<KerasTensor>;
  rememberOperands(
    nodeOf(leavesOf(outputs)[0] as KerasTensor),
    (entry.list ? args[0] : args) as readonly unknown[],
  );
  return outputs;
}

function callFormula(
  { description, formula }: Described,
  name: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): Nest<KerasTensor> {
  const options = optionsIn(description.config as JsonObject);
  const operation = new FormulaOperation(name, description.class_name as string, (argument) => {
    const { args, kwargs } = argument as unknown as { args: unknown[]; kwargs: JsonObject };
    return formula(args, { ...options, ...optionsIn(kwargs) });
  });
  descriptions.set(operation, description);
  if (operation.className === 'Cast') rememberCast(operation, (description.config as JsonObject).dtype);
  return operation.call({ args, kwargs } as Nest<unknown>);
}

/** Returns the options in camel case, without those that are null. */
function optionsIn(config: JsonObject): Record<string, unknown> {
  const given = Object.entries(config).filter(([key, value]) => key !== 'name' && value !== null);
  return Object.fromEntries(given.map(([key, value]) => [camelKey(key), value]));
}

/** Returns an op of a graph as Keras writes it. Errors: FormatError. */
export function writeOperation(writer: Writer, operation: GraphOperation, place: string): JsonObject {
  const read = operation instanceof FormulaOperation ? descriptions.get(operation) : undefined;
  if (read) return read;
  const entry = entryOf(writer, operation, place);
  const given = optionsGiven(operation);
  const options = Object.entries(entry.options).map(([key, option]) => {
    const value = given[option];
    if (value !== undefined) return [key, writeValue(writer, '', value, `${place}.${option}`)];
    return [key, key === 'keepdims' ? false : (operationDefaults[`${entry.op}.${option}`] ?? null)];
  });
  const written = entry.write?.(given);
  if (written === null) throw rejected(writer.source, place, `op ${entry.op} with ${describe(given)}`);
  const strange = Object.keys(given).find(
    (option) =>
      !entry.write &&
      !Object.values(entry.options).includes(option) &&
      given[option] !== undefined &&
      option !== 'validateIndices',
  );
  if (strange) throw rejected(writer.source, place, `op ${entry.op} with \`${strange}\``);
  return {
    module: entry.module,
    class_name: entry.className,
    config: {
      name: operation.name,
      ...Object.fromEntries(options),
      ...entry.constants,
      ...written?.config,
    },
    registered_name: entry.className,
  };
}

/** Returns the only call of an op; `tensor` writes symbolic operands. Errors: FormatError. */
export function writeOperationCall(
  writer: Writer,
  node: GraphNode,
  tensor: (operand: KerasTensor) => JsonObject,
  place: string,
): JsonObject {
  const { operation } = node;
  const write = (operand: unknown): Json => {
    if (isSymbolic(operand)) return tensor(operand as KerasTensor);
    const constant = operand instanceof Tensor ? constantJson(operand) : (operand as Json);
    if (constant !== null || operand === null) return constant;
    throw rejected(writer.source, place, `op ${operation.name} with a tensor with values among its operands`);
  };
  if (operation instanceof FormulaOperation) return mapNest(node.argument, write) as JsonObject;
  const { list, write: writeOptions } = entryOf(writer, operation, place);
  const { args = [], kwargs = {} } = writeOptions?.(optionsGiven(operation)) ?? {};
  const operands = [node.argument as readonly Nest<unknown>[]].flat().map(write);
  return { args: [...(list ? [operands] : operands), ...args], kwargs };
}

function optionsGiven({ inboundNodes: [node] }: GraphOperation): Readonly<Record<string, unknown>> {
  return (node?.options ?? {}) as Readonly<Record<string, unknown>>;
}

function entryOf({ source }: Writer, operation: GraphOperation, place: string): OperationEntry {
  const op = operation instanceof OpOperation ? operation.definition.name : operation.name;
  const className = classOfCall(op, operation.name);
  const found = operationTable.filter((entry) => entry.op === op);
  const exact = found.find((entry) => entry.className === className) ?? found[0];
  if (exact) return exact;
  throw rejected(source, place, `op ${op}`);
}

function rejected(source: string, place: string, received: string): Error {
  return invalid(source, {
    place,
    rule: 'the ops of a model are those that this library and Keras have in common.',
    received,
    hint: 'compute it in a custom layer, and registerClass that.',
  });
}
