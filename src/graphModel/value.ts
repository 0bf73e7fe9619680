/** @file Values between the nodes of a graph: tensors, small arrays that the host knows, and lists. */
import { FormatError } from '../core/errors.ts';
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import { identity } from '../ops/index.ts';
import { tensor } from '../tensor/create.ts';
import { outsideScopes } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { HostValues } from './hostValues.ts';
import { TensorList } from './tensorList.ts';

/** What a node makes. */
export type Made = Tensor | HostValues | TensorList;

/** An output of a node. */
export class Value {
  #tensor: Tensor | null = null;
  readonly #list: TensorList | null = null;
  /** The values, if the host knows them. */
  host: HostValues | null = null;
  /** Readers that haven't run yet. */
  #readers = 0;

  /** `isOwned`: whether it is freed after its last reader; weights and the inputs of a run aren't. */
  constructor(
    made: Made,
    private readonly isOwned: boolean,
  ) {
    if (made instanceof TensorList) this.#list = made;
    else if ('values' in made) this.host = made;
    else this.#tensor = made;
  }

  get shape(): Shape {
    return (this.host ?? this.tensor).shape;
  }

  get dtype(): DType {
    return (this.host ?? this.tensor).dtype;
  }

  /** The tensor; values of the host are uploaded once. Errors: FormatError for a list. */
  get tensor(): Tensor {
    this.#tensor ??= this.host && uploaded(this.host);
    return this.#tensor ?? mismatch('a tensor', 'a list of tensors');
  }

  /** Errors: FormatError for a tensor. */
  get list(): TensorList {
    return this.#list ?? mismatch('a list of tensors', 'a tensor');
  }

  /** What it is, without a copy to the device. */
  get made(): Made {
    return this.#list ?? this.host ?? this.tensor;
  }

  holds(made: Made): boolean {
    return made === this.#tensor || made === this.host || made === this.#list;
  }

  await(readers: number): void {
    this.#readers += readers;
  }

  /** Call it when `readers` have run. */
  release(readers = 1): void {
    this.#readers -= readers;
    if (this.#readers <= 0) this.end();
  }

  /** Takes a reader back, who hands the value to others. */
  handOver(): void {
    this.#readers--;
  }

  /** Frees it, if it is owned. */
  end(): void {
    if (!this.isOwned) return;
    this.#tensor?.dispose();
    this.#tensor = null;
    this.#list?.dispose();
  }

  /** Returns the tensor for the caller of the run, in the caller's scope. A value may leave several times. */
  leave(): Tensor {
    return identity(this.tensor);
  }
}

function uploaded({ values, shape, dtype }: HostValues): Tensor {
  const data = dtype === 'float32' ? Float32Array.from(values) : Int32Array.from(values);
  return outsideScopes(() => tensor(data, { shape, dtype }));
}

function mismatch(expected: string, received: string): never {
  throw new FormatError({
    op: 'graph',
    rule: `a node reads ${expected} where its operation takes one.`,
    received,
    hint: 'the file is damaged or not of TF.js: convert the model again.',
  });
}
