/** @file The losses of a layer: weight penalties, and losses added during its last call. */
import { ValueError } from '../../../core/errors.ts';
import { describe, hintFor } from '../../../core/shape.ts';
import { div } from '../../../ops/elementwise/arithmetic.ts';
import { tidy } from '../../../tensor/scope.ts';
import { alias, Tensor } from '../../../tensor/tensor.ts';
import type { Variable, WeightFunction } from '../../../tensor/variable.ts';
import { isSymbolic } from '../../../ops/define/recorders.ts';
import type { Regularizer } from '../../regularizers/index.ts';

/**
 * The losses that one layer added during one outermost call; a later outermost call replaces them. They are kept by
 * separate handles, so that the scope of the call does not free them.
 */
export class CallLosses {
  /** How many have losses, of all layers. Most programs add none, and needn't search their models for them after each step. */
  static #holding = 0;

  static get areAny(): boolean {
    return CallLosses.#holding > 0;
  }

  #during: object | null = null;
  #losses: Tensor[] = [];

  add(loss: Tensor, outermost: object): void {
    if (this.#during !== outermost) this.clear();
    this.#during = outermost;
    if (this.#losses.push(alias(loss)) === 1) CallLosses.#holding++;
  }

  /** Returns the losses added during the call `outermost`. */
  during(outermost: object | null): readonly Tensor[] {
    return this.#during === outermost ? this.#losses : [];
  }

  get all(): readonly Tensor[] {
    return this.#losses;
  }

  /** Puts other tensors in their place. */
  replace(by: (loss: Tensor) => Tensor): void {
    this.#losses = this.#losses.map((loss) => {
      const other = by(loss);
      if (other === loss) return loss;
      loss.dispose();
      return alias(other);
    });
  }

  clear(): void {
    if (this.#losses.length > 0) CallLosses.#holding--;
    for (const loss of this.#losses) loss.dispose();
    this.#losses = [];
    this.#during = null;
  }
}

/** The penalties of `weights`, computed now. */
export function weightLosses(weights: readonly Variable[]): Tensor[] {
  return weights.flatMap((weight) => {
    const { regularizer } = weight;
    return regularizer ? [tidy(() => penaltyOf(regularizer, weight))] : [];
  });
}

/** The penalty on an output, averaged over the batch. */
export function activityLoss(regularizer: Regularizer, output: Tensor): Tensor {
  return tidy(() => {
    const total = penaltyOf(regularizer, output);
    return output.rank === 0 ? total : div(total, Math.max(1, output.shape[0] as number));
  });
}

/** Errors: ValueError for a function of the app that returns no tensor. */
function penaltyOf(regularizer: WeightFunction, x: Tensor): Tensor {
  const penalty: unknown = regularizer.call(x);
  if (penalty instanceof Tensor || isSymbolic(penalty)) return penalty as Tensor;
  throw new ValueError({
    op: regularizer.className || 'regularizer',
    rule: 'a regularizer returns a tensor, computed with ops from its argument.',
    received: describe(penalty),
    hint: hintFor(penalty, 'return a scalar such as mul(0.01, sum(square(x))).'),
  });
}
