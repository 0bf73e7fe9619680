/** @file Ftrl. */
import { byPosition, type Settings } from '../../core/options.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { ftrlStep } from '../../kernels/optimizerRules.ts';
import { requireNotNegative, requireNumber } from './optionChecks.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `ftrl`. */
export interface FtrlOptions extends OptimizerOptions {
  /** Power of the accumulated squared gradients in the rate, at most 0. Default -0.5. */
  learningRatePower?: number;
  /** Initial value of the sums of squared gradients. Default 0.1. */
  initialAccumulatorValue?: number;
  /** Factor of the sum of absolute weights; it drives weights to exactly 0. Default 0. */
  l1RegularizationStrength?: number;
  /** Factor of the sum of squared weights. Default 0. */
  l2RegularizationStrength?: number;
  /** L2 penalty on the gradients, in contrast to `l2RegularizationStrength`, which only damps the update. Default 0. */
  l2ShrinkageRegularizationStrength?: number;
  /** Added to the root of the accumulator, which makes early steps smaller. Default 0. */
  beta?: number;
}

const ownOptions = [
  'learningRatePower',
  'initialAccumulatorValue',
  'l1RegularizationStrength',
  'l2RegularizationStrength',
  'l2ShrinkageRegularizationStrength',
  'beta',
] as const;

type Own = Required<Pick<FtrlOptions, (typeof ownOptions)[number]>>;

/** The class of optimizers created by `ftrl`, which documents options and errors. */
export class Ftrl extends FusedOptimizer {
  static override readonly className: string = 'Ftrl';
  readonly own: Readonly<Own>;
  readonly #rate = new DynamicScalar(0);
  readonly #twiceL2 = new DynamicScalar(0);

  constructor(options: FtrlOptions = {}) {
    super(options, ownOptions);
    const {
      learningRatePower = -0.5,
      initialAccumulatorValue = 0.1,
      l1RegularizationStrength = 0,
      l2RegularizationStrength = 0,
      l2ShrinkageRegularizationStrength = 0,
      beta = 0,
    } = options;
    this.own = {
      learningRatePower,
      initialAccumulatorValue,
      l1RegularizationStrength,
      l2RegularizationStrength,
      l2ShrinkageRegularizationStrength,
      beta,
    };
    const { learningRatePower: power, ...others } = this.own;
    requireNumber(this.name, 'learningRatePower', power, 'a number of at most 0', (n) => n <= 0);
    for (const [what, value] of Object.entries(others)) requireNotNegative(this.name, what, value);
  }

  override get readsSlices(): boolean {
    return true;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.own };
  }

  protected override get states() {
    return [[{ name: 'accumulator', initial: this.own.initialAccumulatorValue }, { name: 'linear' }]];
  }

  protected override get settings() {
    const { learningRatePower, l1RegularizationStrength, l2ShrinkageRegularizationStrength } = this.own;
    const params = {
      rate: this.#rate,
      power: -learningRatePower,
      l1: l1RegularizationStrength,
      twice_l2: this.#twiceL2,
      shrinkage: 2 * l2ShrinkageRegularizationStrength,
    };
    return { kernel: ftrlStep, variant: learningRatePower === -0.5 ? 'root' : 'power', params };
  }

  protected override advance(_step: number, rate: number): void {
    const { l2RegularizationStrength, beta } = this.own;
    this.#rate.value = rate;
    this.#twiceL2.value = 2 * l2RegularizationStrength + beta / rate;
  }
}

/**
 * Follow the regularized leader: sparse weights for large, sparse models. Default learning rate 0.001.
 * Source: McMahan et al., Ad click prediction: a view from the trenches, KDD 2013. Errors: ValueError for options.
 */
export function ftrl(...settings: Settings<FtrlOptions, ['learningRate']>): Ftrl;
export function ftrl(...args: unknown[]): Ftrl {
  return new Ftrl(byPosition('ftrl', args, ['learningRate']));
}
