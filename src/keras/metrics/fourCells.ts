/** @file Common code of metrics of curves: the four cells of a confusion at many thresholds. */
import type { Shape } from '../../core/shape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { Confusion } from './confusion.ts';
import { divideNoNaN } from './mean.ts';
import { type Direction, Metric } from './metric.ts';

/** State: true_positives, false_positives, true_negatives, false_negatives. */
export abstract class FourCells extends Metric {
  override get direction(): Direction {
    return 'up';
  }

  get truePositives(): Tensor {
    return this.#cell(0);
  }

  get falsePositives(): Tensor {
    return this.#cell(1);
  }

  get trueNegatives(): Tensor {
    return this.#cell(2);
  }

  get falseNegatives(): Tensor {
    return this.#cell(3);
  }

  /** Whether there is state. */
  protected get hasCells(): boolean {
    return this.variables.length > 0;
  }

  protected addCells(shape: Shape): void {
    for (const name of ['true_positives', 'false_positives', 'true_negatives', 'false_negatives']) {
      this.addVariable(name, shape);
    }
  }

  /** For use within `change`. */
  protected accumulate(confusion: Confusion): void {
    const added = [
      confusion.truePositives,
      confusion.falsePositives,
      confusion.trueNegatives,
      confusion.falseNegatives,
    ];
    for (const [i, variable] of this.variables.entries()) variable.assign(add(variable, added[i] as Tensor));
  }

  /** TP / (TP + FN): recall, and the rate of true positives. */
  protected get sensitivity(): Tensor {
    return divideNoNaN(this.truePositives, add(this.truePositives, this.falseNegatives));
  }

  /** TN / (TN + FP). */
  protected get specificity(): Tensor {
    return divideNoNaN(this.trueNegatives, add(this.trueNegatives, this.falsePositives));
  }

  /** TP / (TP + FP). */
  protected get precision(): Tensor {
    return divideNoNaN(this.truePositives, add(this.truePositives, this.falsePositives));
  }

  #cell(i: number): Variable {
    return this.variables[i] as Variable;
  }
}

/** Thresholds i / (n - 1), for n of at least 2. */
export function evenThresholds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i / (count - 1));
}
