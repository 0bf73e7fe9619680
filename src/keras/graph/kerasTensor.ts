/**
 * @file KerasTensor: a value to come, as layers and ops see it while a model is described. It has a shape with null for
 * open sizes, a dtype, a name and a history; it has no values.
 */
import { SymbolicError } from '../../core/errors.ts';
import type { DType } from '../../core/dtype.ts';
import type { OpenShape } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import type { KerasHistory } from '../../history/node.ts';
import type { OpDefinition } from '../../ops/define.ts';
import { type SymbolicGraph, type SymbolicTensor, symbolicGraph } from '../../ops/recorders.ts';
import { newTensorId } from '../../tensor/tensor.ts';
import { uniqueName } from '../names.ts';
import { inferOpen } from './infer.ts';
import { GraphNode } from './graphNode.ts';
import { heldOperands, OpOperation, specsOf } from './opOperation.ts';
import { isTracing } from './tracing.ts';

export class KerasTensor implements SymbolicTensor {
  readonly id = newTensorId();
  readonly name: string;
  readonly #shape: OpenShape;
  readonly #dtype: DType;
  /** Where it comes from; set by the node that makes it. Null for a KerasTensor made by hand. */
  kerasHistory: KerasHistory | null = null;

  constructor({ shape, dtype }: OpenSpec, name?: string) {
    this.#shape = Object.freeze([...shape]);
    this.#dtype = dtype;
    this.name = name ?? (isTracing() ? 'keras_tensor' : uniqueName('keras_tensor'));
  }

  get [symbolicGraph](): SymbolicGraph {
    return opGraph;
  }

  /** Sizes; null where one is open until values come, as the batch usually is. Frozen. */
  get shape(): OpenShape {
    return this.#shape;
  }

  set shape(_: never) {
    throw this.#fixed('shape', 'reshape(x, { shape })');
  }

  get dtype(): DType {
    return this.#dtype;
  }

  set dtype(_: never) {
    throw this.#fixed('dtype', "cast(x, 'int32')");
  }

  get rank(): number {
    return this.shape.length;
  }

  /** Elements; null where a size is open. */
  get size(): number | null {
    return this.shape.reduce<number | null>(
      (product, n) => (product === null || n === null ? null : product * n),
      1,
    );
  }

  data(): never {
    throw this.#noValues('data()');
  }

  array(): never {
    throw this.#noValues('array()');
  }

  item(): never {
    throw this.#noValues('item()');
  }

  get buffer(): never {
    throw this.#noValues('buffer');
  }

  [Symbol.iterator](): never {
    throw new SymbolicError({
      rule: 'a symbolic tensor has no values to iterate over.',
      received: `iteration of ${this}`,
      hint: 'take parts of it by ops: unstack(x, { axis }), split, slice, gather.',
    });
  }

  /** In text it shows itself; in arithmetic and comparisons it throws, since it has no value. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.toString();
    throw new SymbolicError({
      rule: 'a symbolic tensor is no number, and its values decide nothing while a model is described.',
      received: `${this} as an operand or in a comparison of JavaScript`,
      hint: 'use ops: add(x, 1), greater(x, 0), where(condition, a, b).',
    });
  }

  toString(): string {
    const maker = this.kerasHistory ? `, made by ${this.kerasHistory.operation.name}` : '';
    return `KerasTensor ${formatSpec(this)} '${this.name}'${maker}`;
  }

  /** What the console of Node shows: its history would be the whole graph. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #fixed(what: string, op: string): SymbolicError {
    return new SymbolicError({
      rule: `the ${what} of a symbolic tensor stays as it is.`,
      received: `an assignment to ${what} of ${this}`,
      hint: `make another tensor by an op: ${op}.`,
    });
  }

  #noValues(what: string): SymbolicError {
    return new SymbolicError({
      rule: 'a symbolic tensor has no values: it stands for those that a model will be given.',
      received: `${what} of ${this}`,
      hint: 'make a model of it, model({ inputs, outputs }), and read what model.apply(tensor) gives.',
    });
  }
}

/** Where ops go that are called on symbolic tensors. */
const opGraph: SymbolicGraph = {
  call(op: OpDefinition, operands: readonly unknown[], options: object): KerasTensor | KerasTensor[] {
    const held = heldOperands(op, operands);
    const specs = inferOpen(op, specsOf(op, held), options);
    const operation = new OpOperation(op);
    const outputs = [specs].flat().map((spec) => new KerasTensor(spec));
    const nest = Array.isArray(specs) ? outputs : (outputs[0] as KerasTensor);
    new GraphNode({ operation, argument: held, outputs: nest, options });
    return nest;
  },
};
