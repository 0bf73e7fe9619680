/** @file Constant tensors in documents: operands of a graph that have values. */
import type { DType } from '../../core/dtype.ts';
import { tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { GraphNode } from '../graph/graphNode.ts';
import type { GraphProgram } from '../graph/program.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { leavesOf } from '../tensorNest.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { invalid } from './jsonErrors.ts';
import type { Reader } from './reader.ts';

/** Descriptions of constants whose values are known. Reading them back takes time, and writing is synchronous. */
const described = new WeakMap<Tensor, Json>();

/** Keras's dtypes that tensors don't have here, and the dtypes that replace them. */
const narrowed: Readonly<Record<string, DType>> = {
  float64: 'float32',
  bfloat16: 'float32',
  int64: 'int32',
  uint8: 'int32',
  int8: 'int32',
  int16: 'int32',
  uint16: 'int32',
};
const own: ReadonlySet<string> = new Set<DType>(['float32', 'float16', 'int32', 'uint32', 'bool']);

/** Returns the dtype here of what has a dtype of Keras; undefined for an unknown one. */
export function dtypeHere(name: string): DType | undefined {
  if (own.has(name)) return name as DType;
  return Object.hasOwn(narrowed, name) ? narrowed[name] : undefined;
}

export function isConstant(value: Json): value is JsonObject {
  return isObject(value) && (value.class_name === '__tensor__' || value.class_name === '__numpy__');
}

/** Returns the tensor that `value` describes. Errors: FormatError. */
export function readConstant({ source }: Reader, value: JsonObject, place: string): Tensor {
  const { value: values, dtype } = isObject(value.config) ? value.config : {};
  const name = typeof dtype === 'string' ? dtype : 'float32';
  const made = dtypeHere(name);
  const isListed = Array.isArray(values) || typeof values === 'number' || typeof values === 'boolean';
  if (made === undefined || !isListed) {
    throw invalid(source, {
      place,
      rule: 'a constant has a value and a dtype.',
      received: value.config ?? null,
      hint: 'the graph is damaged: save the model again.',
    });
  }
  const constant = keep(tensor(values as never, { dtype: made }));
  described.set(constant, value);
  return constant;
}

/** Remembers the document's descriptions of a call's constant operands, which the call holds as its own tensors. */
export function rememberOperands(node: GraphNode | null, operands: readonly unknown[]): void {
  const given = operands.filter((operand) => operand instanceof Tensor || isList(operand));
  const held = node ? constantsOf(node) : [];
  for (const [i, constant] of held.entries()) {
    const operand = given[i];
    const description = operand instanceof Tensor ? constantJson(operand) : (operand as Json);
    if (description !== null && description !== undefined) described.set(constant, description);
    if (operand instanceof Tensor) operand.dispose();
  }
}

/** Returns whether an op would convert the operand to a tensor. */
function isList(operand: unknown): boolean {
  return Array.isArray(operand) || typeof operand === 'boolean';
}

/** Returns the description of `constant` in a document; null if its values have not been read. */
export function constantJson(constant: Tensor): Json {
  return described.get(constant) ?? null;
}

/** Reads the constants of the graphs of `model`, so that it can be written. */
export async function readConstants(model: AnyLayer): Promise<void> {
  const graphs = [model, ...model.layersInside] as readonly { program?: GraphProgram | null }[];
  const constants = graphs.flatMap(({ program }) => program?.nodes ?? []).flatMap(constantsOf);
  const open = constants.filter((constant) => !described.has(constant));
  await Promise.all(
    open.map(async (constant) => {
      const value = (await constant.array()) as Json;
      described.set(constant, { class_name: '__numpy__', config: { value, dtype: constant.dtype } });
    }),
  );
}

/** Returns the constants among the operands of a call. Variables don't count: they are weights that no layer has. */
function constantsOf({ argument }: GraphNode): Tensor[] {
  return leavesOf(argument).filter(
    (leaf): leaf is Tensor => leaf instanceof Tensor && !(leaf instanceof Variable),
  );
}
