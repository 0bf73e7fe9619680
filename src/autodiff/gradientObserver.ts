/** @file An optional observer of backward passes, for the step inspector. Without one, it costs a comparison per call. */
import type { Node } from '../history/node.ts';
import type { Tensor } from '../tensor/tensor.ts';

export interface GradientObserver {
  /** The gradient of the call `node` is about to be computed. `cotangents` are those of its outputs, complete. */
  cotangents(node: Node, outputIds: readonly number[], cotangents: readonly (Tensor | undefined)[]): void;
  /** A tape computed the gradients of `targets` with respect to `sources`. */
  gradients(
    tape: object,
    targets: readonly Tensor[],
    sources: readonly Tensor[],
    gradients: readonly (Tensor | null)[],
  ): void;
}

let active: GradientObserver | null = null;

export function gradientObserver(): GradientObserver | null {
  return active;
}

export function setGradientObserver(observer: GradientObserver | null): void {
  active = observer;
}
