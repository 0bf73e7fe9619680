/** @file Values between the nodes of a graph: tensors, and small arrays that the host knows. */
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import { tensor } from '../tensor/create.ts';
import { outsideScopes } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { identity } from '../ops/index.ts';
import type { HostValues } from './hostValues.ts';

/** What a node makes: a tensor, or values of the host. */
export type Made = Tensor | HostValues;

/** An output of a node. */
export class Value {
  #tensor: Tensor | null = null;
  /** The values, if the host knows them. */
  host: HostValues | null = null;
  /** Readers that haven't run yet. */
  #readers = 0;

  /** `isOwned`: whether the tensor is freed after its last reader; weights and the inputs of a run aren't. */
  constructor(
    made: Made,
    private readonly isOwned: boolean,
  ) {
    if ('values' in made) this.host = made;
    else this.#tensor = made;
  }

  get shape(): Shape {
    return (this.host ?? (this.#tensor as Tensor)).shape;
  }

  get dtype(): DType {
    return (this.host ?? (this.#tensor as Tensor)).dtype;
  }

  /** The tensor; values of the host are uploaded once. */
  get tensor(): Tensor {
    this.#tensor ??= uploaded(this.host as HostValues);
    return this.#tensor;
  }

  holds(made: Made): boolean {
    return made === this.#tensor || made === this.host;
  }

  await(readers: number): void {
    this.#readers += readers;
  }

  /** Call it when `readers` have run. */
  release(readers = 1): void {
    this.#readers -= readers;
    if (this.#readers <= 0) this.end();
  }

  /** Frees the tensor, if it is owned. */
  end(): void {
    if (!this.isOwned) return;
    this.#tensor?.dispose();
    this.#tensor = null;
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
