/**
 * @file WeightedOperation: the weights of a layer and of the layers inside it, whether they are trainable, and their
 * values. The base of Layer.
 */
import type { Constraint } from '../../constraints/index.ts';
import type { Initializer } from '../../initializers/index.ts';
import type { Regularizer } from '../../regularizers/index.ts';
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../../core/options.ts';
import { noteTrainableRead, noteTrainableSet } from '../../../core/trainableReads.ts';
import { describe, requireBoolean } from '../../../core/shape.ts';
import { identity } from '../../../ops/arrangement/identity.ts';
import type { TensorLike } from '../../../ops/define/operands.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { SymbolicOperation } from '../../graph/operation.ts';
import { kerasClassName, snakeCase, uniqueName } from '../../names.ts';
import { inheritedDeclaration } from '../../options/declaration.ts';
import { defineFields, type Options, readOptions, writeOptions } from '../../options/option.ts';
import type { Nest } from '../../tensorNest.ts';
import { type DTypePolicy, getDTypePolicy, requirePolicy, usePolicy, variableDType } from './dtypePolicy.ts';
import { findInProperties } from './findInProperties.ts';
import { checkedOptions, type LayerOptions } from './layerOptions.ts';
import { inKerasOrder, makeWeight, type OwnWeight, setWeights, type WeightOptions } from './layerWeights.ts';
import { weightsIn } from '../quantized/narrowMatrix.ts';

/**
 * Initializer, regularizer and constraint of a weight. Options and configurations name them after the weight:
 * `kernelInitializer`, `kernelRegularizer`, `kernelConstraint`.
 */
interface WeightRules {
  readonly initializer: Initializer;
  readonly regularizer: Regularizer | null;
  readonly constraint: Constraint | null;
}

/** The part of the inner layers that an operation uses. */
export interface Sublayer {
  readonly weights: Variable[];
  trainable: boolean;
}

export abstract class WeightedOperation<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends SymbolicOperation<In, Out> {
  readonly name: string;
  /** Dtype of the weights. */
  readonly dtype: DType;
  /** The policy it was created with: that dtype, or 'mixedFloat16'. */
  readonly dtypePolicy: DTypePolicy;
  readonly #weights: OwnWeight[] = [];
  /** Variables that are properties, and whether they are trainable if the layer is. */
  readonly #adopted = new Map<Variable, boolean>();
  /** Weights that stay as they are, although the layer is trainable. */
  readonly #frozen = new Set<Variable>();
  readonly #options: { readonly table: Options; readonly values: Readonly<Record<string, unknown>> };
  #trainable: boolean;

  constructor(options?: LayerOptions) {
    super();
    const given = checkedOptions(new.target, options);
    const { name, trainable = true, dtype = getDTypePolicy() } = given;
    checkLayer(this.className, name, trainable, dtype);
    this.name = name ?? uniqueName(snakeCase(kerasClassName(this.className)));
    this.dtype = variableDType(dtype);
    this.dtypePolicy = dtype;
    usePolicy(dtype);
    this.#trainable = trainable;
    const table = inheritedDeclaration(new.target)?.table ?? {};
    this.#options = { table, values: readOptions(this.name, table, given) };
    defineFields(this, table, this.#options.values);
  }

  /** Initializer, regularizer and constraint of `weight`, which options are named after. */
  protected weightRules(weight: string): WeightRules {
    const { values } = this.#options;
    const optionOf = (kind: string) => (values[`${weight}${kind}`] ?? null) as never;
    return {
      initializer: optionOf('Initializer'),
      regularizer: optionOf('Regularizer'),
      constraint: optionOf('Constraint'),
    };
  }

  /** The options that the class declares, as a configuration holds them. */
  protected declaredConfig(): Record<string, unknown> {
    return writeOptions(this, this.#options.table, this.#options.values);
  }

  /** Creates a weight named `layer/name`, prefixed by the surrounding layers. Call it in `build`. */
  protected addWeight(name: string, options: WeightOptions, ...extra: never[]): Variable {
    rejectExtraArguments('addWeight', extra, ['name', '{ shape }']);
    checkWeight(this.name, name, options);
    const made = makeWeight(name, { ...options, dtype: options.dtype ?? this.dtype }, this.#trainable);
    this.#weights.push(made);
    return made.variable;
  }

  /** Leaves a weight as it is from now on, also when the layer becomes trainable; with false, trains it again. */
  protected freeze(weight: Variable, isFrozen = true): void {
    if (isFrozen) this.#frozen.add(weight);
    else this.#frozen.delete(weight);
    const own = this.#weights.find(({ variable }) => variable === weight);
    weight.trainable = !isFrozen && this.#trainable && (own?.trainable ?? true);
  }

  /**
   * Frees its own weights, before it is built in another way.
   * @internal
   */
  releaseWeights(): void {
    const released = this.#weights.map(({ variable }) => variable);
    const fields = this as Record<string, unknown>;
    for (const field of Object.keys(fields))
      if (released.includes(fields[field] as Variable)) fields[field] = null;
    this.removeWeights(released);
  }

  /** Frees weights that the layer no longer has. */
  protected removeWeights(removed: readonly Variable[]): void {
    const kept = this.#weights.filter(({ variable }) => !removed.includes(variable));
    this.#weights.splice(0, this.#weights.length, ...kept);
    for (const weight of removed) {
      this.#frozen.delete(weight);
      weight.dispose();
    }
  }

  /** Runs `build`. If it fails, the weights that it added are freed: another call adds its own. */
  protected addingWeights(build: () => void): void {
    const count = this.#weights.length;
    try {
      build();
    } catch (error) {
      for (const { variable } of this.#weights.splice(count)) variable.dispose();
      throw error;
    }
  }

  /**
   * Layers inside this one.
   * @internal
   */
  abstract get sublayers(): readonly Sublayer[];

  /** All weights: this layer's own first, trainable ones before others, then those of layers inside. */
  get weights(): Variable[] {
    const found = new Set<Variable>();
    this.#collectWeights(found, new Set());
    return [...found];
  }

  /** Adds the weights to `found`. Each layer is visited once: it may be in many others. */
  #collectWeights(found: Set<Variable>, visited: Set<Sublayer>): void {
    for (const weight of this.ownWeights) found.add(weight);
    for (const layer of this.sublayers) {
      if (visited.has(layer)) continue;
      visited.add(layer);
      if (layer instanceof WeightedOperation && !hasOwnWeightsGetter(layer))
        layer.#collectWeights(found, visited);
      else for (const weight of layer.weights) found.add(weight);
    }
  }

  /**
   * The weights outside of layers inside.
   * @internal
   */
  get ownWeights(): Variable[] {
    return [...inKerasOrder(this.#weights), ...this.#properVariables()];
  }

  /** Returns the variables that are properties but were not created by `addWeight`. */
  #properVariables(): Variable[] {
    const made = new Set(this.#weights.map(({ variable }) => variable));
    return findInProperties(this, (value) => value instanceof Variable).filter((found) => !made.has(found));
  }

  /** The weights that training changes; none if the layer is frozen. */
  get trainableWeights(): Variable[] {
    return this.trainable ? this.weights.filter((weight) => weight.trainable) : [];
  }

  /** The weights that training leaves as they are: moving averages, seeds, and those of frozen layers. */
  get nonTrainableWeights(): Variable[] {
    return this.trainable ? this.weights.filter((weight) => !weight.trainable) : this.weights;
  }

  /** Returns the number of values in the weights. */
  countParams(): number {
    return this.weights.reduce((total, weight) => total + weightsIn(weight), 0);
  }

  /**
   * Whether the weights are trainable. Setting it also sets it on the layers inside. A frozen layer has no trainable
   * weights, regardless of the layers inside. Tapes watch trainable weights only.
   */
  get trainable(): boolean {
    noteTrainableRead(this, this.#trainable);
    return this.#trainable;
  }

  set trainable(value: boolean) {
    requireBoolean(this.name, 'trainable', value);
    // Layers of an app may set others to another value meanwhile.
    eachOnce(value ? thawing : freezing, this, () => this.#setTrainable(value));
  }

  #setTrainable(value: boolean): void {
    noteTrainableSet(this);
    this.#trainable = value;
    for (const { variable, trainable } of this.#weights)
      variable.trainable = value && trainable && !this.#frozen.has(variable);
    for (const variable of this.#properVariables()) {
      const own = this.#adopted.get(variable) ?? variable.trainable;
      this.#adopted.set(variable, own);
      variable.trainable = value && own;
    }
    for (const layer of this.sublayers) layer.trainable = value;
  }

  /** Returns copies of the values of `weights`, which later steps do not change. */
  getWeights(...extra: never[]): Tensor[] {
    rejectExtraArguments('getWeights', extra, []);
    return unrecorded(() => this.weights.map((weight) => identity(weight)));
  }

  /**
   * Assigns `values`, tensors or host values, to `weights` in order.
   * Errors: ShapeError, DTypeError if count, shape or dtype differ; then nothing changes.
   */
  setWeights(values: readonly TensorLike[], ...extra: never[]): void {
    rejectExtraArguments('setWeights', extra, ['values']);
    setWeights(this.name, this.weights, values);
  }

  /** Frees the weights, including those of layers inside. The layer cannot be called afterwards. */
  dispose(): void {
    eachOnce(disposing, this, (isOutermost) => this.disposeParts(isOutermost));
  }

  /** Frees what the layer has; `isOutermost` unless a layer around it frees the weights of all layers inside. */
  protected disposeParts(isOutermost: boolean): void {
    for (const weight of isOutermost ? this.weights : this.ownWeights) weight.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

const freezing = new Set<object>();
const thawing = new Set<object>();
const disposing = new Set<object>();

/**
 * Runs `body` for `layer`, which runs it for the layers inside. One that is inside of several others takes part once. `visited` is
 * empty before and afterwards.
 */
function eachOnce(visited: Set<object>, layer: object, body: (isOutermost: boolean) => void): void {
  if (visited.has(layer)) return;
  const isOutermost = visited.size === 0;
  visited.add(layer);
  try {
    body(isOutermost);
  } finally {
    if (isOutermost) visited.clear();
  }
}

/** Whether the class of `layer` overrides `weights`. */
function hasOwnWeightsGetter(layer: object): boolean {
  for (
    let at: object | null = layer;
    at && at !== WeightedOperation.prototype;
    at = Object.getPrototypeOf(at)
  )
    if (Object.hasOwn(at, 'weights')) return true;
  return false;
}

function checkLayer(className: string, name: unknown, trainable: unknown, dtype: unknown): void {
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.includes('/'))) {
    throw new ValueError({
      op: className,
      rule: '`name` must be a non-empty string without a slash: weights are named `layer/weight`.',
      received: `name: ${describe(name)}`,
      hint: 'choose another name, or omit it.',
    });
  }
  requireBoolean(className, 'trainable', trainable);
  requirePolicy(className, dtype);
}

const weightOptionNames: OptionNames<WeightOptions> = {
  shape: false,
  initializer: false,
  trainable: false,
  dtype: false,
  regularizer: false,
  constraint: false,
};

function checkWeight(layer: string, name: unknown, options: unknown): void {
  const op = `${layer}.addWeight`;
  if (typeof name === 'string') {
    checkOptions(op, options, weightOptionNames);
    return;
  }
  throw new ValueError({
    op,
    rule: 'it takes the name of the weight, then an object with its shape.',
    received: describe(name),
    hint: "call this.addWeight('kernel', { shape: [4, 2] }).",
  });
}
