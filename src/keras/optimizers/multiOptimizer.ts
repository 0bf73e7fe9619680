/** @file MultiOptimizer: different optimizers for different variables of a model. */
import type { Pieces } from '../../core/pieces.ts';
import { div } from '../../ops/elementwise/arithmetic.ts';
import { changeSlices } from '../../ops/indexing/slices.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { Optimizer, type OptimizerVariable } from './optimizer.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checked, factoryOf, optimizer } from './declare.ts';
import { HostVariable } from './hostVariable.ts';
import { LossScaleOptimizer } from './lossScaleOptimizer.ts';
import { OptimizerMap } from './optimizerMap.ts';
import type { LearningRate } from './optimizerOptions.ts';

/** The optimizers, each with its variables. */
type VariablesOf = ReadonlyMap<Optimizer, readonly Variable[]>;

/** The steps of a MultiOptimizer: each variable's optimizer makes them. */
class MultiEngine implements StepEngine {
  /** The optimizers pack their variables themselves. */
  readonly isPacked = true;

  private constructor(
    private readonly variablesOf: VariablesOf,
    private readonly lossScaleFactor: number | null,
  ) {}

  /** Builds the optimizers, in pieces. */
  static *create(variablesOf: VariablesOf, lossScaleFactor: number | null): Pieces<MultiEngine> {
    for (const [optimizer, variables] of variablesOf) {
      if (variables.length > 0) yield* optimizer.buildInPieces(variables);
    }
    return new MultiEngine(variablesOf, lossScaleFactor);
  }

  get stateVariables() {
    return [...this.variablesOf.keys()].flatMap(({ variables }) => variables);
  }

  repack(): void {
    for (const [optimizer, variables] of this.variablesOf) {
      if (variables.length > 0) optimizer.build(variables);
    }
  }

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    for (const [optimizer, variables] of this.variablesOf) {
      const updated = variables.filter((variable) => gradients.has(variable));
      if (updated.length === 0) continue;
      const scaled = updated.map((variable) => gradients.get(variable) as Tensor);
      optimizer.apply(this.#unscaled(scaled), updated);
    }
  }

  averageOf(): null {
    return null;
  }

  dispose(): void {
    for (const optimizer of this.variablesOf.keys()) optimizer.dispose();
  }

  #unscaled(gradients: readonly Tensor[]): readonly Tensor[] {
    const factor = this.lossScaleFactor;
    if (factor === null) return gradients;
    const unscaled = (values: Tensor) => div(values, factor);
    return gradients.map((gradient) => changeSlices(unscaled(gradient), gradient, unscaled));
  }
}

/** The optimizer of a variable. */
export type OptimizerSelector = (variable: Variable) => Optimizer;

export interface MultiOptimizerOptions {
  /** An `optimizerMap`, or a function from a variable to its optimizer, which is created outside of it. */
  optimizerMap: OptimizerMap | OptimizerSelector;
  /** Multiplies the loss before gradients are taken, and divides the gradients. Default: none. */
  lossScaleFactor?: number | null;
  /** Its name in errors and files. Default: the class's name. */
  name?: string;
}

const perOptimizer = 'set it on each of `optimizers`.';

export class MultiOptimizer extends /* @__PURE__ */ optimizer<MultiOptimizerOptions, Optimizer>(
  'MultiOptimizer',
  Optimizer,
  () => ({ optimizerMap: { ...checked(mapOf), write: mapConfig } }),
  {
    common: ['lossScaleFactor', 'name'],
    hint: 'options of the steps, such as clipnorm, belong to the optimizers of the map.',
  },
) {
  /** Those of the map and, once built, those that a function selected. */
  #optimizers: readonly Optimizer[] = [];

  constructor(options: MultiOptimizerOptions) {
    super(options);
    for (const optimizer of this.optimizers) this.#requireInner(optimizer, '`optimizerMap`');
  }

  /** The optimizers, each once. Those that a function selects are known after `build`. */
  get optimizers(): readonly Optimizer[] {
    const { optimizerMap: map } = this;
    return this.built || !(map instanceof OptimizerMap) ? this.#optimizers : map.optimizers;
  }

  override get readsSlices(): boolean {
    return this.optimizers.some((optimizer) => optimizer.readsSlices);
  }

  /** As in Keras, there is none. Errors: ValueError. */
  override get learningRate(): number {
    throw this.#noRate('read');
  }

  override set learningRate(_: LearningRate) {
    throw this.#noRate('set');
  }

  /** As in Keras: the step count, an unused learning rate, and the variables of each optimizer. */
  override get variables(): OptimizerVariable[] {
    const [iteration] = super.variables as [OptimizerVariable];
    const unused = { get: () => 0, set: () => {} };
    return [
      iteration,
      new HostVariable(`${this.name}/learning_rate`, 'float32', unused),
      ...this.optimizers.flatMap(({ variables }) => variables),
    ];
  }

  /** Calls it on each optimizer, for its variables. */
  override finalizeVariableValues(variables: readonly Variable[] = this.trainableVariables): void {
    for (const optimizer of this.optimizers) {
      const own = new Set(optimizer.trainableVariables);
      optimizer.finalizeVariableValues(variables.filter((variable) => own.has(variable)));
    }
  }

  /** @internal */
  override get holdsAverages(): boolean {
    return this.optimizers.some(({ holdsAverages }) => holdsAverages);
  }

  /**
   * Swaps those of the optimizers with `useEma`. Errors: ValueError if there is none.
   * @internal
   */
  override swapAverages(): void {
    const averaging = this.optimizers.filter(({ options }) => options.useEma);
    if (averaging.length === 0) super.swapAverages();
    for (const optimizer of averaging) optimizer.swapAverages();
  }

  /** Calls it on each optimizer that is known before `build`. */
  override excludeFromWeightDecay(excluded: Parameters<Optimizer['excludeFromWeightDecay']>[0]): void {
    for (const optimizer of this.optimizers) optimizer.excludeFromWeightDecay(excluded);
  }

  protected override *makeEngine({ variables }: EngineParts): Pieces<StepEngine> {
    const map = this.optimizerMap;
    const initial = map instanceof OptimizerMap ? map.optimizers : [];
    const variablesOf = new Map(initial.map((optimizer): [Optimizer, Variable[]] => [optimizer, []]));
    for (const variable of variables) {
      const optimizer = map instanceof OptimizerMap ? map.get(variable.path) : map(variable);
      this.#requireInner(optimizer, `variable '${variable.path}'`);
      const own = variablesOf.get(optimizer);
      if (own) own.push(variable);
      else variablesOf.set(optimizer, [variable]);
    }
    this.#optimizers = [...variablesOf.keys()];
    return yield* MultiEngine.create(variablesOf, this.options.lossScaleFactor);
  }

  protected override advance(): void {}

  #requireInner(optimizer: unknown, place: string): void {
    const isInner =
      optimizer instanceof Optimizer &&
      !(optimizer instanceof LossScaleOptimizer || optimizer instanceof MultiOptimizer);
    if (isInner && optimizer.options.lossScaleFactor === null) return;
    const received = optimizer instanceof Optimizer ? optimizer.className : describe(optimizer);
    throw new ValueError({
      op: this.name,
      rule: isInner
        ? 'gradients are scaled once: the optimizers of the map have no `lossScaleFactor`.'
        : 'each variable has an optimizer, which is neither a LossScaleOptimizer nor a MultiOptimizer.',
      received: isInner
        ? `lossScaleFactor: ${optimizer.options.lossScaleFactor} of ${received} in ${place}`
        : `${received} for ${place} in \`optimizerMap\``,
      hint: isInner
        ? 'give lossScaleFactor to multiOptimizer.'
        : 'give optimizers.adam(), for example; wrap the whole in a LossScaleOptimizer.',
    });
  }

  #noRate(action: string): ValueError {
    return new ValueError({
      op: this.name,
      rule: 'each optimizer of a MultiOptimizer has its own learning rate.',
      received: `\`learningRate\` to ${action}`,
      hint: perOptimizer,
    });
  }
}

function mapOf(op: string, what: string, map: unknown): OptimizerMap | OptimizerSelector {
  if (map instanceof OptimizerMap || typeof map === 'function')
    return map as OptimizerMap | OptimizerSelector;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an optimizerMap, or a function from a variable to its optimizer.`,
    received: `${what}: ${describe(map)}`,
    hint: 'pass { optimizerMap: optimizers.optimizerMap({ defaultOptimizer, optimizerMap: { … } }) }.',
  });
}

/** A function stays a function, so files don't have it. */
function mapConfig(map: OptimizerMap | OptimizerSelector): unknown {
  return map instanceof OptimizerMap ? { className: map.className, config: map.getConfig() } : map;
}

/**
 * Updates variables by different optimizers, for example the layers of an encoder by a smaller learning rate than its head.
 * Each optimizer has its own learning rate, step count and options; a norm over all gradients (`globalClipnorm`) is one over
 * the variables of its optimizer. Callbacks that set a learning rate can't be used with it. Unlike in Keras, an optimizer of
 * which all gradients are null is left out of the step, and one with a `lossScaleFactor` of its own is rejected.
 * Errors: ValueError for options, and if a variable's optimizer is none, wraps another one, or isn't unique.
 */
export const multiOptimizer = /* @__PURE__ */ factoryOf(MultiOptimizer, [
  'optimizerMap',
  'lossScaleFactor',
  'name',
]);
