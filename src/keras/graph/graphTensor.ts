/**
 * @file GraphTensor: a symbolic tensor as the graph sees it. It has a shape (null for unknown sizes), a dtype, a name
 * and a history, but no values. How ops join the graph is left to KerasTensor, so that nodes need not import it.
 */
import type { DType } from '../../core/dtype.ts';
import { SymbolicError } from '../../core/errors.ts';
import type { OpenShape } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import type { KerasHistory } from '../../history/node.ts';
import { type SymbolicGraph, type SymbolicTensor, symbolicGraph } from '../../ops/define/recorders.ts';
import { propertyGuard } from '../../tensor/propertyGuard.ts';
import { newTensorId } from '../../tensor/tensor.ts';
import { uniqueName } from '../names.ts';
import { isTracing, noteOpenShape } from './tracing.ts';

export abstract class GraphTensor implements SymbolicTensor {
  readonly id = newTensorId();
  readonly name: string;
  /**
   * Whether it only stands for shapes, while a layer's call is traced.
   * @internal
   */
  readonly isTraced: boolean = isTracing();
  readonly #shape: OpenShape;
  readonly #isOpen: boolean;
  readonly #dtype: DType;
  /** Where it comes from. Set by the node that makes it; null for a tensor made by hand. */
  kerasHistory: KerasHistory | null = null;

  constructor({ shape, dtype }: OpenSpec, name?: string) {
    propertyGuard.guard?.(GraphTensor.prototype);
    this.#shape = Object.freeze([...shape]);
    this.#isOpen = shape.includes(null);
    this.#dtype = dtype;
    this.name = name ?? (this.isTraced ? 'keras_tensor' : uniqueName('keras_tensor'));
  }

  /** The graph to which ops on this tensor are added. */
  abstract get [symbolicGraph](): SymbolicGraph;

  /** Sizes, with null for an unknown size, such as the batch. Frozen. */
  get shape(): OpenShape {
    if (this.#isOpen) noteOpenShape();
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
    return this.#shape.length;
  }

  /** Number of elements; null if a size is unknown. */
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
      hint: 'use ops to take parts of it: unstack(x, { axis }), split, slice, gather.',
    });
  }

  /** Converts to a string, but throws in arithmetic and comparisons: there is no value. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.toString();
    throw new SymbolicError({
      rule: 'a symbolic tensor has no values for arithmetic or comparisons in JavaScript.',
      received: `${this}`,
      hint: 'use ops: add(x, 1), greater(x, 0), where(condition, a, b).',
    });
  }

  toString(): string {
    const maker = this.kerasHistory ? `, made by ${this.kerasHistory.operation.name}` : '';
    return `KerasTensor ${formatSpec(this)} '${this.name}'${maker}`;
  }

  /** Returns what `JSON.stringify` writes. */
  toJSON(): string {
    return this.toString();
  }

  /** Keeps Node's console from printing the whole graph through `kerasHistory`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #fixed(what: string, op: string): SymbolicError {
    return new SymbolicError({
      rule: `the ${what} of a symbolic tensor cannot change.`,
      received: `an assignment to ${what} of ${this}`,
      hint: `create a new tensor with an op: ${op}.`,
    });
  }

  #noValues(what: string): SymbolicError {
    return new SymbolicError({
      rule: 'a symbolic tensor has no values until the model is called.',
      received: `${what} of ${this}`,
      hint: 'create a model with model({ inputs, outputs }), and read the result of model.apply(tensor).',
    });
  }
}
