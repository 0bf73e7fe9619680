/** @file MeanMetricWrapper: the mean of a function of targets and predictions. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, hintFor } from '../../core/shape.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker, metricOptions, settingsOf } from './classMaker.ts';
import { Averaging } from './mean.ts';
import type { MetricOptions, UpdateOptions } from './metric.ts';
import { weightOf } from './sampleWeights.ts';

/** A function of targets and predictions that returns values of samples, using ops only. */
export type MetricFunction = (yTrue: Tensor, yPred: Tensor) => Tensor;

/** Options of `meanMetricWrapper`. */
export interface WrapperOptions extends MetricOptions {
  /** The values of samples, from targets and predictions; their weighted mean is the metric. */
  fn: MetricFunction;
}

/** The weighted mean of the values of a function. State: total, count. */
export abstract class MeanOfFunction extends Averaging {
  /** The values of samples. */
  protected abstract values(yTrue: Tensor, yPred: Tensor): Tensor;

  /** Returns which values count in a weighted mean. Null: all. */
  protected counts(_values: Tensor, _yTrue: Tensor, _yPred: Tensor): Tensor | null {
    return null;
  }

  /** The dtype that targets are cast to. */
  protected get targetDType(): DType {
    return 'float32';
  }

  /**
   * Adds the values of a batch.
   * Errors: ShapeError where shapes or weights don't fit.
   */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const targets = toTensor(this.name, 'yTrue', yTrue, this.targetDType);
      const predictions = toTensor(this.name, 'yPred', yPred);
      const values = this.values(targets, predictions);
      const weight = weightOf(this.name, options, yPred);
      const counts = weight && this.counts(values, targets, predictions);
      this.accumulate(values, counts ? weightOf(this.name, { sampleWeight: weight, mask: counts }) : weight);
    });
  }
}

/** The mean of a custom function. */
export class MeanMetricWrapper extends MeanOfFunction {
  static override readonly className: string = 'MeanMetricWrapper';
  readonly fn: MetricFunction;

  /** Errors: ValueError where `fn` is no function. */
  constructor(options: WrapperOptions) {
    const { name, ...given } = settingsOf(new.target.className, options ?? {});
    const { fn } = metricOptions<Omit<WrapperOptions, keyof MetricOptions>>(name ?? 'metric', given, {
      fn: null,
    } as never);
    requireFunction(fn);
    super({ name: name ?? (fn.name || 'mean_metric_wrapper') });
    this.fn = fn;
  }

  protected override values(yTrue: Tensor, yPred: Tensor): Tensor {
    const values: unknown = this.fn(yTrue, yPred);
    if (values instanceof Tensor) return values;
    throw new ValueError({
      op: this.name,
      rule: 'the function of a metric returns a tensor, computed with ops from (yTrue, yPred).',
      received: describe(values),
      hint: hintFor(
        values,
        'return the values of samples, such as mean(abs(sub(yTrue, yPred)), { axis: -1 }).',
      ),
    });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), fn: this.fn };
  }
}

/** The mean of a function of targets and predictions over samples. Errors: ValueError without a function. */
export const meanMetricWrapper: ClassMaker<[options: WrapperOptions], MeanMetricWrapper> =
  /* @__PURE__ */ classMaker(MeanMetricWrapper);

function requireFunction(fn: unknown): void {
  if (typeof fn === 'function') return;
  throw new ValueError({
    op: 'meanMetricWrapper',
    rule: '`fn` must be a function of yTrue and yPred that returns one value per sample.',
    received: `fn: ${describe(fn)}`,
    hint: 'pass { fn: (yTrue, yPred) => mean(square(sub(yTrue, yPred)), { axis: -1 }) }.',
  });
}
