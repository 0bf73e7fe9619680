/**
 * @file Metric: a value measured over many batches. Its state is variables on the device, its updates are ops and `assign`:
 * nothing is read back until the result is read, and an update can be captured and replayed.
 */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { addMethodHints } from '../../core/methodHints.ts';
import { describe, type Shape } from '../../core/shape.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { untraced } from '../../execution/currentExecutor.ts';
import { zeros } from '../../ops/creation/creation.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { type HostValues, tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { isTracing } from '../graph/tracing.ts';
import { requireFloat32 } from '../losses/lossChecks.ts';
import { snakeCase, uniqueName } from '../names.ts';
import { inheritedDeclaration, namesOf } from '../options/declaration.ts';
import { type Options, readOptions, writeOptions } from '../options/option.ts';

/** Options of every metric. */
export interface MetricOptions {
  /**
   * Its name in logs. Default: the class's name in snake case, such as 'mean_squared_error'; numbered for classes that Keras
   * numbers.
   */
  name?: string;
  /** As in Keras; metrics compute in float32. */
  dtype?: 'float32' | null;
}

/** Options of an update. */
export interface UpdateOptions {
  /** Sample weights, in the shape of the values or of their first axes. Default: all 1. */
  sampleWeight?: TensorLike | null;
  /** Mask of the values that count. Default: the mask of the predictions, if they have one. */
  mask?: TensorLike | null;
}

/** Whether a metric is better when it is higher or when it is lower; null if unspecified. */
export type Direction = 'up' | 'down' | null;

/** Methods of earlier Keras versions and of libraries for PyTorch. */
const methodHints = {
  update: 'metric.updateState(yTrue, yPred).',
  'resetStates reset': 'metric.resetState().',
  compute: 'metric.result().',
};

/**
 * Base class of metrics. A subclass names its class (`static className`), adds variables in its constructor, changes
 * them in `updateState`, and computes from them in `result`.
 *
 *     class Largest extends Metric {
 *       static override readonly className: string = 'Largest';
 *       readonly largest = this.addVariable('largest');
 *       updateState(yTrue, yPred) { this.change(() => { this.largest.assign(maximum(this.largest, max(yPred))); }); }
 *       result() { return this.compute(() => identity(this.largest)); }
 *     }
 */
export abstract class Metric<Inputs extends readonly unknown[] = [yTrue: TensorLike, yPred: TensorLike]> {
  static readonly className: string = 'Metric';

  /** Its name in logs and in `History`. */
  name: string;
  /** The options of its class, with defaults. */
  protected readonly options: object;
  readonly #table: Options;
  readonly #variables: Variable[] = [];
  readonly #constants: Tensor[] = [];

  constructor(given: MetricOptions = {}) {
    addMethodHints(Metric.prototype, 'a metric', methodHints);
    const { className } = new.target as unknown as typeof Metric;
    const declaration = inheritedDeclaration(new.target);
    if (declaration) checkOptions(className, given, namesOf(declaration));
    const { name, dtype } = { ...declaration?.defaults, ...given };
    this.#table = declaration?.table ?? {};
    if (declaration && !('dtype' in this.#table)) requireFloat32(className, dtype);
    this.options = readOptions(name ?? snakeCase(className), this.#table, given);
    this.name = name ?? uniqueName(snakeCase(className));
    requireName(this.name);
  }

  /** Creates a metric from the result of `getConfig`. */
  static fromConfig(this: new (config: never) => Metric, config: Record<string, unknown>): Metric {
    return new this(config as never);
  }

  /** The class by its Keras name, which survives minification. */
  get className(): string {
    return (this.constructor as unknown as typeof Metric).className;
  }

  /** Which way is better. */
  get direction(): Direction {
    return null;
  }

  /** The state, in the order in which it was added. */
  get variables(): readonly Variable[] {
    return this.#variables;
  }

  /**
   * Creates the state whose shape depends on the predictions. `updateState` calls it if needed; call it before capturing
   * updates.
   */
  build(_yTrue: OpenSpec, _yPred: OpenSpec): void {}

  /** Updates the state with another batch. */
  abstract updateState(...args: [...inputs: Inputs, options?: UpdateOptions]): void;

  /** The value over all batches since the last reset: a new tensor. */
  abstract result(): Tensor;

  /** Resets the state. */
  resetState(): void {
    this.change(() => {
      for (const variable of this.#variables)
        variable.assign(zeros(variable.shape, { dtype: variable.dtype }));
    });
  }

  /** Returns the configuration, from which an equal metric can be created. */
  getConfig(): Record<string, unknown> {
    return { name: this.name, ...writeOptions(this.options, this.#table) };
  }

  /** Frees the state. */
  dispose(): void {
    for (const variable of this.#variables.splice(0)) variable.dispose();
    for (const constant of this.#constants.splice(0)) constant.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  toString(): string {
    return `${this.className} '${this.name}'`;
  }

  /** Adds a variable of zeros to the state. */
  protected addVariable(name: string, shape: Shape = [], dtype: DType = 'float32'): Variable {
    const variable = untraced(() => {
      const initial = zeros(shape, { dtype });
      const made = new Variable(initial, { name, trainable: false });
      initial.dispose();
      return made;
    });
    this.#variables.push(variable);
    return variable;
  }

  /** Uploads constant values that updates use. */
  protected addConstant(values: HostValues): Tensor {
    const constant = keep(tensor(values));
    this.#constants.push(constant);
    return constant;
  }

  /**
   * Runs an update of the state. It is not recorded by tapes, and temporaries are freed. Symbolic calls of the layer that a metric
   * is in have no values, and change nothing.
   */
  protected change(body: () => void): void {
    if (isTracing()) return;
    unrecorded(() => tidy(body));
  }

  /** Runs a computation from the state: no tape records it, and all but its result is freed. */
  protected compute(body: () => Tensor): Tensor {
    return unrecorded(() => tidy(body));
  }
}

function requireName(name: unknown): void {
  if (typeof name === 'string' && name.length > 0) return;
  throw new ValueError({
    op: 'metric',
    rule: 'the name of a metric is a text that is not empty.',
    received: `name: ${describe(name)}`,
    hint: "pass { name: 'accuracy' }, or leave it out.",
  });
}
