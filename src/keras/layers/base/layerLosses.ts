/** @file The losses of a layer: weight penalties, and losses added during its last call. */
import { div } from '../../../ops/arithmetic.ts';
import { tidy } from '../../../tensor/scope.ts';
import { alias, type Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Regularizer } from '../../regularizers/index.ts';

/**
 * The losses that one layer added during one outermost call; a later outermost call replaces them. They are kept by
 * separate handles, so that the scope of the call does not free them.
 */
export class CallLosses {
  #during: object | null = null;
  #losses: Tensor[] = [];

  add(loss: Tensor, outermost: object): void {
    if (this.#during !== outermost) this.clear();
    this.#during = outermost;
    this.#losses.push(alias(loss));
  }

  /** The losses added during the call `outermost`. */
  during(outermost: object | null): readonly Tensor[] {
    return this.#during === outermost ? this.#losses : [];
  }

  clear(): void {
    for (const loss of this.#losses) loss.dispose();
    this.#losses = [];
    this.#during = null;
  }
}

/** The penalties of `weights`, computed now. */
export function weightLosses(weights: readonly Variable[]): Tensor[] {
  return weights.flatMap((weight) => {
    const { regularizer } = weight;
    return regularizer ? [tidy(() => regularizer.call(weight))] : [];
  });
}

/** The penalty on an output, averaged over the batch. */
export function activityLoss(regularizer: Regularizer, output: Tensor): Tensor {
  return tidy(() => {
    const total = regularizer.call(output);
    return output.rank === 0 ? total : div(total, Math.max(1, output.shape[0] as number));
  });
}
