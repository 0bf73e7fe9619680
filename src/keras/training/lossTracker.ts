/** @file The mean of a loss over an epoch. */
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { isFinite as areFinite } from '../../ops/elementwise/predicates.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Mean } from '../metrics/mean.ts';

export class LossTracker extends Mean {
  /** How often its state was changed by JavaScript: a replay counts nothing. */
  changes = 0;

  /**
   * Adds the loss of a batch of `samples` samples. After the first batch whose loss isn't finite, samples don't count any more:
   * the mean stays NaN or infinite, and the count says which batch it was.
   */
  track(loss: Tensor, samples: number): void {
    this.change(() => {
      this.count.assign(add(this.count, where(areFinite(this.total), samples, 0)));
      this.total.assign(add(this.total, mul(loss, samples)));
    });
  }

  protected override change(body: () => void): void {
    this.changes++;
    super.change(body);
  }
}
