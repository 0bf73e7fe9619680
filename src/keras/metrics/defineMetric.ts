/** @file defineMetric: defines metrics that are means of a function of targets and predictions over batches. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { byPosition, isPlainObject, rejectExtraArguments } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Loss } from '../losses/loss.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { labelOf } from '../makers.ts';
import { ownObjects } from '../options/declaration.ts';
import { type ClassMaker, type MetricNames, metricOptions, settingsOf } from './classMaker.ts';
import { MeanOfFunction, type MetricFunction } from './meanMetricWrapper.ts';
import type { Direction, Metric, MetricOptions } from './metric.ts';

export interface MetricDefinition<O extends object> extends MetricNames {
  /** Its options with their defaults. */
  defaults: Required<O>;
  direction: Direction;
  /** Dtype of targets; int32 for labels. Default: that of the loss that `prepare` returns, or float32. */
  targets?: DType;
  /** Checks the options, and returns the function of samples. Errors: ValueError. */
  prepare: (options: Required<O>, op: string) => MetricFunction | Loss;
  /** Computes the result from the mean. Default: the mean itself. */
  finish?: (mean: Tensor) => Tensor;
}

/**
 * Call it as a function, `binaryAccuracy(yTrue, yPred, { threshold })`, for the values of samples; or create an object,
 * `binaryAccuracy({ threshold, name })`, which averages them over batches.
 */
export interface MetricMaker<O extends object = object> extends ClassMaker<[options?: O & MetricOptions]> {
  (options?: O & MetricOptions): Metric;
  (yTrue: TensorLike, yPred: TensorLike, options?: O): Tensor;
}

/** Creates a metric from a definition. */
/* @__NO_SIDE_EFFECTS__ */
export function defineMetric<O extends object = object>(definition: MetricDefinition<O>): MetricMaker<O> {
  const op = labelOf(definition);
  const make = (...args: [(O & MetricOptions)?] | [TensorLike, TensorLike, O?]): unknown => {
    if (args.length < 2) return new DefinedMetric(definition, optionsOf(op, args[0]));
    const [yTrue, yPred, ...settings] = args as [TensorLike, TensorLike, ...unknown[]];
    const accepted = { known: Object.keys(definition.defaults), before: ['yTrue', 'yPred'] };
    const { values, targetDType } = prepared(definition, op, byPosition(op, settings, [], accepted) as O);
    return tidy(() => values(toTensor(op, 'yTrue', yTrue, targetDType), toTensor(op, 'yPred', yPred)));
  };
  return Object.assign(make, { names: definition }) as unknown as MetricMaker<O>;
}

/** Defines the mean of a loss over batches: the smaller, the better. */
/* @__NO_SIDE_EFFECTS__ */
export function meanOfLoss<O extends object = object>(
  names: MetricNames,
  loss: (options: NoInfer<Required<O>>) => Loss,
  defaults = {} as Required<O>,
): MetricMaker<O> {
  return defineMetric<O>({ ...names, defaults, direction: 'down', prepare: (options) => loss(options) });
}

/** A metric object of `defineMetric`. */
class DefinedMetric<O extends object = object> extends MeanOfFunction {
  readonly definition: MetricDefinition<O>;
  override readonly options: Required<O>;
  readonly #fn: MetricFunction;
  readonly #loss: Loss | null;
  readonly #targets: DType;

  constructor(definition: MetricDefinition<O>, { name = labelOf(definition), ...given }: O & MetricOptions) {
    // Options are checked before there is any state to free.
    const { values, loss, targetDType, options } = prepared(definition, name, given as unknown as O);
    super({ name });
    ownObjects.add(this);
    this.definition = definition;
    this.options = options;
    this.#fn = values;
    this.#loss = loss;
    this.#targets = targetDType;
  }

  override get className(): string {
    return this.definition.className;
  }

  override get direction(): Direction {
    return this.definition.direction;
  }

  override result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    const { finish } = this.definition;
    return finish ? this.compute(() => finish(super.result())) : super.result();
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.options };
  }

  protected override values(yTrue: Tensor, yPred: Tensor): Tensor {
    return this.#fn(yTrue, yPred);
  }

  protected override counts(values: Tensor, yTrue: Tensor, yPred: Tensor): Tensor | null {
    return this.#loss?.maskOf(values, yTrue, yPred) ?? null;
  }

  protected override get targetDType(): DType {
    return this.#targets;
  }
}

interface Prepared<O> {
  values: MetricFunction;
  /** The loss whose values are averaged. Null for another function. */
  loss: Loss | null;
  targetDType: DType;
  options: Required<O>;
}

/** Returns the function of samples for the options, with defaults for missing ones. */
function prepared<O extends object>(definition: MetricDefinition<O>, op: string, given: O): Prepared<O> {
  const options = metricOptions(op, given, definition.defaults);
  const made = definition.prepare(options, op);
  if (typeof made === 'function')
    return { values: made, loss: null, targetDType: definition.targets ?? 'float32', options };
  const values: MetricFunction = (yTrue, yPred) => made.values(yTrue, yPred);
  return { values, loss: made, targetDType: made.targetDType, options };
}

function optionsOf<O extends object>(op: string, given: unknown = {}): O & MetricOptions {
  if (isPlainObject(given)) return settingsOf(op, given as O & MetricOptions) as O & MetricOptions;
  throw new ValueError({
    op,
    rule: 'a metric takes targets and predictions, or one object of options.',
    received: describe(given),
    hint: `call it with (yTrue, yPred), or create an object: metrics.binaryAccuracy({ threshold: 0.5 }).`,
  });
}
