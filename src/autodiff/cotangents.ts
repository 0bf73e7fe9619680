/**
 * @file The cotangents of a backward pass, by tensor id. Tensors are reference-counted, so that each is freed as soon as
 * no id needs it.
 */
import { add } from '../ops/elementwise/arithmetic.ts';
import { joinSlices } from '../ops/indexing/slices.ts';
import type { Tensor } from '../tensor/tensor.ts';

export class Cotangents {
  readonly #byId = new Map<number, Tensor>();
  readonly #uses = new Map<Tensor, number>();
  /** Tensors that others use, too: never freed here, nor given to the caller as gradients. */
  readonly borrowed = new Set<Tensor>();

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  get(id: number): Tensor | undefined {
    return this.#byId.get(id);
  }

  /** Adds `gradient` to the cotangent of `id`. */
  add(id: number, gradient: Tensor): void {
    const known = this.#byId.get(id);
    if (!known) {
      this.#set(id, gradient);
      return;
    }
    const total = joinSlices(add(known, gradient), [known, gradient]);
    if (!this.#uses.has(gradient) && !this.borrowed.has(gradient)) gradient.dispose();
    this.drop(id);
    this.#set(id, total);
  }

  /** Like `add`, for a tensor that others use, too. */
  addBorrowed(id: number, gradient: Tensor): void {
    this.borrowed.add(gradient);
    this.add(id, gradient);
  }

  /** Removes the cotangent of `id`, and frees it unless another id shares it. */
  drop(id: number): void {
    const known = this.#byId.get(id);
    if (!known) return;
    this.#byId.delete(id);
    const uses = (this.#uses.get(known) ?? 1) - 1;
    if (uses > 0) this.#uses.set(known, uses);
    else {
      this.#uses.delete(known);
      if (!this.borrowed.has(known)) known.dispose();
    }
  }

  #set(id: number, tensor: Tensor): void {
    this.#byId.set(id, tensor);
    this.#uses.set(tensor, (this.#uses.get(tensor) ?? 0) + 1);
  }
}
