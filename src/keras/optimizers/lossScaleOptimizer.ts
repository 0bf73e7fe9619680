/** @file LossScaleOptimizer: wraps an optimizer with a dynamic loss scale, and skips steps that overflow. */
import type { Pieces } from '../../core/pieces.ts';
import { withDevice } from '../../webgpu/current.ts';
import { wholeWords } from '../../webgpu/storage.ts';
import { copyWords } from '../../kernels/copies/copyWords.ts';
import { output } from '../../kernels/launch/output.ts';
import { all } from '../../ops/reductions/anyAll.ts';
import { add, div, mul } from '../../ops/elementwise/arithmetic.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { fill } from '../../ops/creation/creation.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { isFinite as areFinite } from '../../ops/elementwise/predicates.ts';
import { changeSlices } from '../../ops/indexing/slices.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { HostVariable } from './hostVariable.ts';
import { Optimizer, type OptimizerVariable } from './optimizer.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { configOf } from '../namedObjects.ts';
import { checked, factoryOf, integer, optimizer, positive } from './declare.ts';
import type { LearningRate } from './optimizerOptions.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';

interface LossScaleParts {
  readonly name: string;
  readonly variables: readonly Variable[];
  readonly inner: Optimizer;
  readonly initialScale: number;
  readonly dynamicGrowthSteps: number;
}

/** The steps of a LossScaleOptimizer: the inner optimizer's, undone on the device where a gradient isn't finite. */
class LossScaleEngine implements StepEngine {
  /** The inner optimizer packs its variables itself. */
  readonly isPacked = true;
  /** The factor of the next loss, float32 []. */
  readonly scale: Variable;
  /** Finite steps since the scale last changed, int32 []. */
  readonly #counter: Variable;

  private constructor(private readonly parts: LossScaleParts) {
    const { name, variables, initialScale } = parts;
    const { device } = variables[0] as Variable;
    const make = (slot: string, value: number, dtype: 'float32' | 'int32') => {
      const initial = withDevice(device, () => fill([], value, { dtype }));
      const made = new Variable(initial, { name: `${name}/${slot}`, trainable: false });
      initial.dispose();
      return made;
    };
    this.#counter = make('step_counter', 0, 'int32');
    this.scale = make('dynamic_scale', initialScale, 'float32');
  }

  /** Builds the inner optimizer, in pieces. */
  static *create(parts: LossScaleParts): Pieces<LossScaleEngine> {
    yield* parts.inner.buildInPieces(parts.variables);
    return new LossScaleEngine(parts);
  }

  get stateVariables(): (Variable | HostVariable)[] {
    return [this.#counter, this.scale, ...this.parts.inner.variables];
  }

  repack(): void {}

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    const { inner, dynamicGrowthSteps } = this.parts;
    const { scale } = this;
    const counter = this.#counter;
    const finite = [...gradients.values()]
      .map((gradient) => all(areFinite(gradient)))
      .reduce((a, b) => logicalAnd(a, b));
    const unscale = (values: Tensor) => div(values, scale);
    const unscaled = [...gradients.values()].map((gradient) =>
      changeSlices(unscale(gradient), gradient, unscale),
    );
    const before = this.#changing().map((variable) => [variable, copyOf(variable)] as const);
    inner.apply(unscaled, [...gradients.keys()]);
    for (const [variable, old] of before) {
      // Written in place, because the inner optimizer packs small variables.
      copyWords(where(finite, variable, old), variable.writableStorage());
    }
    const isDue = logicalAnd(finite, equal(counter, dynamicGrowthSteps - 1));
    scale.assign(where(finite, where(isDue, mul(scale, 2), scale), mul(scale, 0.5)));
    counter.assign(where(logicalAnd(finite, equal(isDue, false)), add(counter, 1), 0));
  }

  averageOf(): null {
    return null;
  }

  dispose(): void {
    this.#counter.dispose();
    this.scale.dispose();
    this.parts.inner.dispose();
  }

  /** Returns the variables on the device that a step of the inner optimizer changes. */
  #changing(): Variable[] {
    const { inner, variables } = this.parts;
    const slots = inner.variables.filter((variable) => variable instanceof Variable);
    return [...variables, ...slots].filter((variable) => !variable.disposed);
  }
}

function copyOf(variable: Variable): Tensor {
  const { device, storage, bytes } = variable;
  const copy = output(device, variable, 'optimizer');
  device.copy(storage, copy.storage, wholeWords(bytes));
  return copy;
}

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
