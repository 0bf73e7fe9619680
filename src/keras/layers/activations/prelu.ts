/** @file PReLU: a rectifier that learns its slopes. */
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { add, mul, neg } from '../../../ops/elementwise/arithmetic.ts';
import { relu } from '../../../ops/activations/rectifiers.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { requireSize } from '../base/inputSpec.ts';
import { checked, factoryOf, type InputSpec, layer, type LayerOptions, weights } from '../base/declare.ts';

export interface PReLUOptions extends LayerOptions {
  /** Initial slopes below 0. Default 'zeros'. */
  alphaInitializer?: InitializerLike;
  /** Penalty on the slopes, added to the loss. Default: none. */
  alphaRegularizer?: RegularizerLike | null;
  /** Applied to the slopes after each step. Default: none. */
  alphaConstraint?: ConstraintLike | null;
  /** Axes that share one slope, such as [1, 2] for images. Default: none. */
  sharedAxes?: number | readonly number[] | null;
}

export class PReLU extends /* @__PURE__ */ layer<PReLUOptions>('PReLU', () => ({
  ...weights({ alpha: 'zeros' }),
  sharedAxes: checked(sampleAxes, null),
})) {
  override readonly supportsMasking: boolean = true;
  alpha: Variable | null = null;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];
  declare readonly sharedAxes: readonly number[] | null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override build(inputShape: OpenShape): void {
    const shared = this.sharedAxes ?? [];
    const shape = inputShape
      .map((_, axis) => (axis === 0 || shared.includes(axis) ? 1 : requireSize(this.name, inputShape, axis)))
      .slice(1);
    this.alpha = this.addWeight('alpha', { shape, ...this.weightRules('alpha') });
    const own = shape.flatMap((size, i) => (shared.includes(i + 1) ? [] : [[i + 1, size]]));
    this.inputSpec = [{ rank: inputShape.length, axes: Object.fromEntries(own) }];
  }

  override call(x: Tensor): Tensor {
    return add(relu(x), mul(neg(this.alpha as Tensor), relu(neg(x))));
  }
}

function sampleAxes(op: string, what: string, axes: number | readonly number[]): readonly number[] {
  const list = typeof axes === 'object' ? axes : [axes];
  if (Array.isArray(list) && list.every((axis) => Number.isInteger(axis) && axis >= 1)) return list;
  throw new ValueError({
    op,
    rule: `\`${what}\` are axes of a sample, counted from 1.`,
    received: `${what}: ${describe(axes)}`,
    hint: 'pass [1, 2] to share slopes over the pixels of an image.',
  });
}

/**
 * x above 0, alpha · x below. Shape: that of the input. float32. Weights: alpha, of the shape of a sample, with 1 along
 * `sharedAxes`. He et al., Delving deep into rectifiers, ICCV 2015.
 * Errors: ValueError for invalid options; ShapeError for open sizes that aren't shared.
 */
export const prelu = /* @__PURE__ */ factoryOf(PReLU);
