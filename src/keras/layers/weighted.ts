/**
 * @file Weighted: what a layer has. Its weights and those of the layers inside it, whether they are trained, and their
 * values.
 */
import { type DType, isDType } from '../../core/dtype.ts';
import { DTypeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { identity } from '../../ops/identity.ts';
import type { TensorLike } from '../../ops/operands.ts';
import { withRecorders } from '../../ops/recording.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { SymbolicOperation } from '../graph/operation.ts';
import { snakeCase, uniqueName } from '../names.ts';
import type { Nest } from '../nest.ts';
import type { RegularizerLike } from '../regularizers/index.ts';
import type { AnyLayer } from './layer.ts';
import { membersOf } from './members.ts';
import { setWeights, inKerasOrder, makeWeight, type OwnWeight, type WeightOptions } from './weights.ts';

export interface LayerOptions {
  /** Default: the class's name with a number, such as `conv2d_1`. */
  name?: string;
  /** Whether its weights are trained. Default true. */
  trainable?: boolean;
  /** Dtype of the weights. Default float32. */
  dtype?: DType;
  /** What its outputs cost; training adds it to the loss. Default null. */
  activityRegularizer?: RegularizerLike | null;
}

export abstract class Weighted<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends SymbolicOperation<In, Out> {
  readonly name: string;
  readonly dtype: DType;
  readonly #weights: OwnWeight[] = [];
  /** Variables that are properties, and whether they are trained where the layer is. */
  readonly #adopted = new Map<Variable, boolean>();
  #trainable: boolean;

  constructor({ name, trainable = true, dtype = 'float32' }: LayerOptions) {
    super();
    checkOptions(this.className, name, trainable, dtype);
    this.name = name ?? uniqueName(snakeCase(this.className));
    this.dtype = dtype;
    this.#trainable = trainable;
  }

  /** Makes a weight, named `layer/name` within the layers around it. For `build`. */
  protected addWeight(name: string, options: WeightOptions): Variable {
    const made = makeWeight(name, { ...options, dtype: options.dtype ?? this.dtype }, this.#trainable);
    this.#weights.push(made);
    return made.variable;
  }

  /** Layers inside this one: those that it has as properties, in arrays, records and maps, too. */
  get sublayers(): AnyLayer[] {
    return membersOf(this, (value) => value instanceof Weighted) as AnyLayer[];
  }

  /** Layers inside this one at any depth, each once. */
  get layersInside(): AnyLayer[] {
    const found = new Set<AnyLayer>();
    const visit = ({ sublayers }: { sublayers: AnyLayer[] }) => {
      for (const inner of sublayers) {
        if (found.has(inner)) continue;
        found.add(inner);
        visit(inner);
      }
    };
    visit(this);
    return [...found];
  }

  /** All weights, with those of the layers inside: this layer's first, trained before others. */
  get weights(): Variable[] {
    const inside = this.sublayers.flatMap((layer) => layer.weights);
    return [...new Set([...inKerasOrder(this.#weights), ...this.#properVariables(), ...inside])];
  }

  /** Variables that are properties and weren't made by `addWeight`. */
  #properVariables(): Variable[] {
    const made = new Set(this.#weights.map(({ variable }) => variable));
    return membersOf(this, (value) => value instanceof Variable).filter((found) => !made.has(found));
  }

  get trainableWeights(): Variable[] {
    return this.#trainable ? this.weights.filter((weight) => weight.trainable) : [];
  }

  get nonTrainableWeights(): Variable[] {
    return this.#trainable ? this.weights.filter((weight) => !weight.trainable) : this.weights;
  }

  /** Number of values in the weights. */
  countParams(): number {
    return this.weights.reduce((total, { size }) => total + size, 0);
  }

  /**
   * Whether the weights are trained; setting it holds for layers inside, too, until it is set on them. A frozen layer
   * has no trainable weights, whatever those inside say. Tapes watch trainable weights only.
   */
  get trainable(): boolean {
    return this.#trainable;
  }

  set trainable(value: boolean) {
    requireBoolean(this.name, value);
    this.#trainable = value;
    for (const { variable, trainable } of this.#weights) variable.trainable = value && trainable;
    for (const variable of this.#properVariables()) {
      const own = this.#adopted.get(variable) ?? variable.trainable;
      this.#adopted.set(variable, own);
      variable.trainable = value && own;
    }
    for (const layer of this.sublayers) layer.trainable = value;
  }

  /** The values of `weights`, in tensors of their own, which later steps leave as they are. */
  getWeights(): Tensor[] {
    return withRecorders([], () => this.weights.map((weight) => identity(weight)));
  }

  /**
   * Takes the values of `values`, tensors or host values, in the order of `weights`.
   * Errors: ShapeError, DTypeError where count, shape or dtype differ; nothing is changed then.
   */
  setWeights(values: readonly TensorLike[]): void {
    setWeights(this.name, this.weights, values);
  }

  /** Frees the weights, with those of the layers inside. The layer can't be called any more. */
  dispose(): void {
    for (const weight of this.weights) weight.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function checkOptions(className: string, name: unknown, trainable: unknown, dtype: unknown): void {
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.includes('/'))) {
    throw new ValueError({
      op: className,
      rule: '`name` is a string without a slash: weights are named `layer/weight`.',
      received: `name: ${describe(name)}`,
      hint: 'choose another name, or leave it out.',
    });
  }
  requireBoolean(className, trainable);
  if (isDType(dtype)) return;
  throw new DTypeError({
    op: className,
    rule: 'a dtype is float32, int32, uint32 or bool.',
    received: `dtype: ${describe(dtype)}`,
    hint: "pass one of these names; the default is 'float32'.",
  });
}

function requireBoolean(op: string, trainable: unknown): void {
  if (typeof trainable === 'boolean') return;
  throw new ValueError({
    op,
    rule: '`trainable` is true or false.',
    received: `trainable: ${describe(trainable)}`,
    hint: 'pass false to freeze the weights.',
  });
}
