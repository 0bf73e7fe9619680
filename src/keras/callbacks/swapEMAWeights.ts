/** @file SwapEMAWeights: evaluates a model with the moving averages of its weights. */
import { byPosition, checkOptions } from '../../core/options.ts';
import { requireBoolean } from '../../core/shape.ts';
import { Callback, type CallbackOptimizer } from './callback.ts';
import { invalid } from './callbackOptions.ts';

export interface SwapEMAWeightsOptions {
  /**
   * Whether weights are also swapped between epochs, so that callbacks after this one, such as modelCheckpoint, see the
   * averages. Default false.
   */
  swapOnEpoch?: boolean;
}

export class SwapEMAWeights extends Callback {
  readonly #swapOnEpoch: boolean;

  /** Errors: ValueError for options. */
  constructor(options: SwapEMAWeightsOptions = {}) {
    super();
    checkOptions('swapEMAWeights', options, ['swapOnEpoch']);
    const { swapOnEpoch = false } = options;
    requireBoolean('swapEMAWeights', 'swapOnEpoch', swapOnEpoch);
    this.#swapOnEpoch = swapOnEpoch;
  }

  override onEpochBegin(): void {
    if (this.#swapOnEpoch) this.#hold(false);
  }

  override onEpochEnd(): void {
    if (this.#swapOnEpoch) this.#hold(true);
  }

  override onTestBegin(): void {
    this.#hold(true);
  }

  override onTestEnd(): void {
    this.#hold(false);
  }

  override onPredictBegin(): void {
    this.#hold(true);
  }

  override onPredictEnd(): void {
    this.#hold(false);
  }

  /** A failed run may have left the averages in the model. */
  override release(): void {
    if (this.model.optimizer?.holdsAverages) this.#hold(false);
  }

  /** Puts the averages, or the weights themselves, into the model. */
  #hold(averages: boolean): void {
    const optimizer = this.#optimizer();
    if (optimizer.holdsAverages !== averages) optimizer.swapAverages?.();
  }

  /** Errors: ValueError for a model whose optimizer keeps no averages. */
  #optimizer(): CallbackOptimizer {
    const { name, optimizer } = this.model;
    if (optimizer) return optimizer;
    throw invalid(
      'swapEMAWeights',
      'it swaps weights with the averages that the optimizer keeps.',
      `'${name}', which has no optimizer`,
      'call compile({ optimizer: optimizers.sgd({ useEma: true }), … }) first.',
    );
  }
}

/**
 * Evaluates and predicts with the moving averages of the weights, which an optimizer keeps with `useEma: true`; training goes
 * on with the weights themselves. Errors: ValueError for options, and where the optimizer keeps no averages.
 */
export function swapEMAWeights(options?: SwapEMAWeightsOptions | boolean): SwapEMAWeights;
export function swapEMAWeights(...args: unknown[]): SwapEMAWeights {
  return new SwapEMAWeights(byPosition('swapEMAWeights', args, ['swapOnEpoch']));
}
