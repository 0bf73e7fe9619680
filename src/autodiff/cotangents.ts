/**
 * @file The cotangents of a backward pass, by tensor id. Tensors are reference-counted, so that each is freed as soon as
 * no id needs it. Gradients of ops that compute those of several calls together are deferred until the cotangent is read.
 */
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { add } from '../ops/elementwise/arithmetic.ts';
import { joinSlices } from '../ops/indexing/slices.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** A call whose gradient is computed later. */
export interface DeferredCall {
  readonly input: TensorSpec;
  readonly cotangents: readonly (Tensor | null)[];
}

/** What is deferred for one id. */
interface Deferred<C> {
  /** By kind: calls of one kind are computed together. */
  readonly groups: Map<unknown, C[]>;
  /** In all of their cotangents. */
  elements: number;
}

export class Cotangents<C extends DeferredCall = DeferredCall> {
  readonly #byId = new Map<number, Tensor>();
  readonly #uses = new Map<Tensor, number>();
  readonly #deferred = new Map<number, Deferred<C>>();
  readonly #compute: (calls: readonly C[]) => void;
  /** Tensors that others use, too: never freed here, nor given to the caller as gradients. */
  readonly borrowed = new Set<Tensor>();

  /** `compute` adds the gradient of the input of calls that were deferred together. */
  constructor(compute: (calls: readonly C[]) => void = () => {}) {
    this.#compute = compute;
  }

  has(id: number): boolean {
    return this.#byId.has(id) || this.#deferred.has(id);
  }

  get(id: number): Tensor | undefined {
    this.#computeDeferred(id);
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

  /** Adds the gradient of `call` to the cotangent of `id` when that is read, together with other calls of the same `kind`. */
  defer(id: number, kind: unknown, call: C): void {
    const deferred = this.#deferred.get(id) ?? { groups: new Map<unknown, C[]>(), elements: 0 };
    this.#deferred.set(id, deferred);
    const calls = deferred.groups.get(kind) ?? [];
    deferred.groups.set(kind, calls);
    calls.push(call);
    for (const cotangent of call.cotangents) {
      if (!cotangent) continue;
      this.#retain(cotangent);
      deferred.elements += cotangent.size;
    }
    // Parts that overlap may have more elements than the input.
    if (deferred.elements > 2 * sizeOf(call.input.shape)) this.#computeDeferred(id);
  }

  /** Removes the cotangent of `id`, and frees it unless another id shares it. */
  drop(id: number): void {
    const known = this.#byId.get(id);
    if (!known) return;
    this.#byId.delete(id);
    this.#release(known);
  }

  #computeDeferred(id: number): void {
    const deferred = this.#deferred.get(id);
    if (!deferred) return;
    this.#deferred.delete(id);
    for (const calls of deferred.groups.values()) {
      this.#compute(calls);
      for (const { cotangents } of calls)
        for (const cotangent of cotangents) if (cotangent) this.#release(cotangent);
    }
  }

  #set(id: number, tensor: Tensor): void {
    this.#byId.set(id, tensor);
    this.#retain(tensor);
  }

  #retain(tensor: Tensor): void {
    this.#uses.set(tensor, (this.#uses.get(tensor) ?? 0) + 1);
  }

  #release(tensor: Tensor): void {
    const uses = (this.#uses.get(tensor) ?? 1) - 1;
    if (uses > 0) this.#uses.set(tensor, uses);
    else {
      this.#uses.delete(tensor);
      if (!this.borrowed.has(tensor)) tensor.dispose();
    }
  }
}
