/** @file A call of a node: what an operation reads, and how operations are declared. */
import { FormatError } from '../core/errors.ts';
import type { DType } from '../core/dtype.ts';
import { formatShape, type Shape } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Attributes } from './attributes.ts';
import type { GraphNode } from './graphDef.ts';
import { type HostValues, maxHostValues } from './hostValues.ts';
import type { TensorList } from './tensorList.ts';
import type { Made, Value } from './value.ts';

/** What an operation makes: its first output, or all of them. */
export type Outputs = Made | readonly Made[];

/** An operation of TensorFlow. */
export interface GraphOp {
  /** Inputs whose values the host needs, such as axes and sizes: their positions; negative ones count from the last. */
  readonly host?: readonly number[];
  /** Computes small scalars and vectors on the host, if it can. Null where it can't. */
  readonly onHost?: (call: HostCall) => Outputs | null;
  readonly run: (call: Call) => Outputs;
  /** In place of `run`, for outputs whose shapes depend on values of the device. */
  readonly runAsync?: (call: Call) => Promise<Outputs>;
}

/** An operation whose outputs have shapes that depend on values of the device. */
export const waiting = (
  runAsync: (call: Call) => Promise<Outputs>,
  host: readonly number[] = [],
): GraphOp => ({
  host,
  runAsync,
  run: (call) => {
    throw call.unsupported('an operation that waits', 'call executeAsync.');
  },
});

/** Operations by their names in TensorFlow. */
export type GraphOps = Readonly<Record<string, GraphOp>>;

/** What scalars and vectors of the host a node reads. */
export interface HostCall {
  readonly inputs: readonly HostValues[];
  readonly attributes: Attributes;
}

export class Call {
  constructor(
    private readonly node: GraphNode,
    private readonly values: readonly Value[],
  ) {}

  get attributes(): Attributes {
    return this.node.attributes;
  }

  /** The number of inputs. */
  get count(): number {
    return this.values.length;
  }

  tensor(i: number): Tensor {
    return this.#value(i).tensor;
  }

  /** The tensors of inputs `from` to `to`, which counts from the last if it is negative. */
  tensors(from = 0, to?: number): Tensor[] {
    return this.values.slice(from, to).map((value) => value.tensor);
  }

  shape(i: number): Shape {
    return this.#value(i).shape;
  }

  dtype(i: number): DType {
    return this.#value(i).dtype;
  }

  /** What an input is, without a copy to the device. */
  made(i: number): Made {
    return this.#value(i).made;
  }

  list(i: number): TensorList {
    return this.#value(i).list;
  }

  /** The values of an input that `GraphOp.host` names. */
  numbers(i: number): readonly number[] {
    const { host } = this.#value(i);
    if (host) return host.values;
    throw this.#wrongCount();
  }

  /** The value of a scalar that `GraphOp.host` names. */
  number(i: number): number {
    const [number] = this.numbers(i);
    if (number !== undefined) return number;
    throw new FormatError({
      op: this.attributes.place,
      rule: `input ${i < 0 ? this.count + i : i} is a number.`,
      received: `a tensor of shape ${formatShape(this.shape(i))}`,
      hint: damaged,
    });
  }

  /** The inputs on the host, if all of them are small scalars and vectors. */
  onHost(): HostCall | null {
    const inputs = this.values.map(({ host }) => host);
    const isSmall = (host: HostValues | null) =>
      host !== null && host.shape.length <= 1 && host.values.length <= maxHostValues;
    return inputs.length > 0 && inputs.every(isSmall)
      ? { inputs: inputs as HostValues[], attributes: this.attributes }
      : null;
  }

  /** An error of this node. */
  unsupported(what: string, hint: string): FormatError {
    const { place } = this.attributes;
    return new FormatError({
      op: place,
      rule: 'a graph uses what Retrograd computes.',
      received: what,
      hint,
    });
  }

  #value(i: number): Value {
    const value = this.values.at(i);
    if (value) return value;
    throw this.#wrongCount();
  }

  #wrongCount(): FormatError {
    return new FormatError({
      op: this.attributes.place,
      rule: 'a node reads as many tensors as its operation takes.',
      received: `${this.count}`,
      hint: damaged,
    });
  }
}

const damaged = 'the file is damaged or not of TF.js: convert the model again.';
