/** @file LossScaleOptimizer: wraps an optimizer with a dynamic loss scale, and skips steps that overflow. */
import { ValueError } from '../../core/errors.ts';
import type { Pieces } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { configOf } from '../namedObjects.ts';
import { HostVariable } from './hostVariable.ts';
import { LossScaleEngine } from './lossScaleEngine.ts';
import { checked, factoryOf, integer, optimizer, positive } from './declare.ts';
import { Optimizer, type OptimizerVariable } from './optimizer.ts';
import type { LearningRate } from './optimizerOptions.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';

export interface LossScaleOptimizerOptions {
  /** The optimizer that makes the steps, with all other options. */
  innerOptimizer: Optimizer;
  /** The loss scale of the first step. Default 2¹⁵. */
  initialScale?: number;
  /** Steps with finite gradients after which the scale is doubled. Default 2000. */
  dynamicGrowthSteps?: number;
  /** Its name in errors and files. Default: the class's name. */
  name?: string;
}

export class LossScaleOptimizer extends /* @__PURE__ */ optimizer<LossScaleOptimizerOptions, Optimizer>(
  'LossScaleOptimizer',
  Optimizer,
  () => ({
    innerOptimizer: { ...checked(requireInner), write: configOf },
    initialScale: positive(2 ** 15),
    dynamicGrowthSteps: integer({ default: 2000 }),
  }),
  { common: ['name'], hint: 'options of the steps, such as clipnorm, belong to the inner optimizer.' },
) {
  #engine: LossScaleEngine | null = null;

  /** The loss scale of the next step, on the device; null before `build`. */
  get dynamicScale(): Variable | null {
    return this.#engine?.scale ?? null;
  }

  override get readsSlices(): boolean {
    return this.innerOptimizer.readsSlices;
  }

  /** The learning rate of the inner optimizer. */
  override get learningRate(): number {
    return this.innerOptimizer.learningRate;
  }

  override set learningRate(value: LearningRate) {
    this.innerOptimizer.learningRate = value;
  }

  override get schedule(): LearningRateSchedule | null {
    return this.innerOptimizer.schedule;
  }

  /** Number of steps, including skipped ones, which the host doesn't know of. */
  override get iterations(): number {
    return this.innerOptimizer.iterations;
  }

  /** As in Keras: an unused step count and learning rate, the count of finite steps, the scale, the inner state. */
  override get variables(): OptimizerVariable[] {
    const unused = { get: () => 0, set: () => {} };
    return [
      new HostVariable(`${this.name}/iteration`, 'int32', unused),
      new HostVariable(`${this.name}/learning_rate`, 'float32', unused),
      ...(this.#engine ?? { stateVariables: this.innerOptimizer.variables }).stateVariables,
    ];
  }

  /** Returns the loss times the dynamic scale. Take gradients of the result. */
  override scaleLoss(loss: Tensor): Tensor {
    return mul(loss, this.dynamicScale ?? this.initialScale);
  }

  override finalizeVariableValues(variables: readonly Variable[] = this.trainableVariables): void {
    this.innerOptimizer.finalizeVariableValues(variables);
  }

  /** @internal */
  override get holdsAverages(): boolean {
    return this.innerOptimizer.holdsAverages;
  }

  /** @internal */
  override swapAverages(): void {
    this.innerOptimizer.swapAverages();
  }

  override excludeFromWeightDecay(excluded: Parameters<Optimizer['excludeFromWeightDecay']>[0]): void {
    this.innerOptimizer.excludeFromWeightDecay(excluded);
  }

  override dispose(): void {
    super.dispose();
    this.#engine = null;
  }

  protected override *makeEngine({ variables }: EngineParts): Pieces<StepEngine> {
    const { innerOptimizer: inner, initialScale, dynamicGrowthSteps } = this;
    this.#engine = yield* LossScaleEngine.create({
      name: this.name,
      variables,
      inner,
      initialScale,
      dynamicGrowthSteps,
    });
    return this.#engine;
  }

  protected override advance(): void {}
}

function requireInner(op: string, _: string, inner: unknown): Optimizer {
  if (inner instanceof Optimizer && !(inner instanceof LossScaleOptimizer)) {
    const { lossScaleFactor } = inner.options;
    if (lossScaleFactor === null) return inner;
    throw new ValueError({
      op,
      rule: 'gradients are scaled once: the inner optimizer has no `lossScaleFactor`.',
      received: `lossScaleFactor: ${lossScaleFactor}`,
      hint: 'leave it out of the inner optimizer.',
    });
  }
  throw new ValueError({
    op,
    rule: '`innerOptimizer` is an optimizer that scales no losses itself.',
    received: `innerOptimizer: ${inner instanceof Optimizer ? inner.className : describe(inner)}`,
    hint: 'pass { innerOptimizer: optimizers.adam() }.',
  });
}

/**
 * Scales the loss before gradients are taken and unscales them for the inner optimizer. A step whose gradients aren't all
 * finite changes nothing, and the scale is divided by 2; after `dynamicGrowthSteps` finite ones in a row it is doubled. All
 * of it happens on the device, without readback, so unlike in Keras, skipped steps count in `iterations`.
 *
 * Loss scaling is needed for float16 gradients. Here gradients are float32, even with the policy mixed_float16: this
 * optimizer is for models that were compiled with it, and for skipping steps that overflow.
 * Source: Micikevicius et al., Mixed precision training, ICLR 2018. Errors: ValueError for options.
 */
export const lossScaleOptimizer = /* @__PURE__ */ factoryOf(LossScaleOptimizer, [
  'innerOptimizer',
  'initialScale',
  'dynamicGrowthSteps',
]);
