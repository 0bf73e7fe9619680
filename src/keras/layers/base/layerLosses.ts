/** @file What a layer adds to the loss: penalties of its weights, and what its last call added. */
import { div } from '../../../ops/arithmetic.ts';
import { tidy } from '../../../tensor/scope.ts';
import { alias, type Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Regularizer } from '../../regularizers/index.ts';

/**
 * What the calls of one layer added during one outermost call. A later outermost call begins anew. The losses are held
 * by handles of their own, so that the scope of the call doesn't end their life.
 */
export class CallLosses {
  #during: object | null = null;
  #losses: Tensor[] = [];

  add(loss: Tensor, outermost: object): void {
    if (this.#during !== outermost) this.clear();
    this.#during = outermost;
    this.#losses.push(alias(loss));
  }

  /** What was added during the call `outermost`. */
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

/** What an output costs: the penalty of its values, for each sample of the batch. */
export function activityLoss(regularizer: Regularizer, output: Tensor): Tensor {
  return tidy(() => {
    const total = regularizer.call(output);
    return output.rank === 0 ? total : div(total, Math.max(1, output.shape[0] as number));
  });
}
