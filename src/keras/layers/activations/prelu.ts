/** @file PReLU: a rectifier that learns its slopes. */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { add, mul, neg } from '../../../ops/arithmetic.ts';
import { relu } from '../../../ops/rectifiers.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { requireSize } from '../base/inputSpec.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `prelu`. */
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

/** The class of layers created by `prelu`, which documents shapes, weights and errors. */
export class PReLU extends Layer {
  static override readonly className: string = 'PReLU';

  static override get optionNames(): OptionNames<PReLUOptions> {
    return {
      alphaInitializer: false,
      alphaRegularizer: false,
      alphaConstraint: false,
      sharedAxes: false,
      ...layerOptionNames,
    };
  }

  override readonly supportsMasking: boolean = true;
  alpha: Variable | null = null;
  readonly sharedAxes: readonly number[] | null;
  readonly #rules: { readonly alpha: WeightRules };

  constructor(options: PReLUOptions = {}) {
    super(options);
    const { sharedAxes = null } = options;
    const list = sharedAxes === null || Array.isArray(sharedAxes) ? sharedAxes : [sharedAxes];
    if (list?.some((axis: unknown) => !Number.isInteger(axis) || (axis as number) < 1)) {
      throw new ValueError({
        op: this.name,
        rule: '`sharedAxes` are axes of a sample, counted from 1.',
        received: `sharedAxes: ${describe(sharedAxes)}`,
        hint: 'pass [1, 2] to share slopes over the pixels of an image.',
      });
    }
    this.sharedAxes = list as readonly number[] | null;
    this.#rules = { alpha: weightRules(options, 'alpha', 'zeros') };
    this.inputSpec = [{ minRank: 2 }];
  }

  override build(inputShape: OpenShape): void {
    const shared = this.sharedAxes ?? [];
    const shape = inputShape
      .map((_, axis) => (axis === 0 || shared.includes(axis) ? 1 : requireSize(this.name, inputShape, axis)))
      .slice(1);
    this.alpha = this.addWeight('alpha', { shape, ...this.#rules.alpha });
    const own = shape.flatMap((size, i) => (shared.includes(i + 1) ? [] : [[i + 1, size]]));
    this.inputSpec = [{ rank: inputShape.length, axes: Object.fromEntries(own) }];
  }

  override call(x: Tensor): Tensor {
    return add(relu(x), mul(neg(this.alpha as Tensor), relu(neg(x))));
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...rulesConfig(this.#rules), sharedAxes: this.sharedAxes };
  }
}

/**
 * x above 0, alpha · x below. Shape: that of the input. float32. Weights: alpha, of the shape of a sample, with 1 along
 * `sharedAxes`. He et al., Delving deep into rectifiers, ICCV 2015.
 * Errors: ValueError for invalid options; ShapeError for open sizes that aren't shared.
 */
export function prelu(options?: PReLUOptions): PReLU;
export function prelu(...args: unknown[]): PReLU {
  return make(PReLU, args);
}
