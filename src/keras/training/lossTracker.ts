/** @file The mean of a loss over an epoch. */
import { add, mul } from '../../ops/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Mean } from '../metrics/mean.ts';

export class LossTracker extends Mean {
  /** How often its state was changed by JavaScript: a replay counts nothing. */
  changes = 0;

  /** Adds the loss of a batch of `samples` samples. */
  track(loss: Tensor, samples: number): void {
    this.change(() => {
      this.total.assign(add(this.total, mul(loss, samples)));
      this.count.assign(add(this.count, samples));
    });
  }

  protected override change(body: () => void): void {
    this.changes++;
    super.change(body);
  }
}
