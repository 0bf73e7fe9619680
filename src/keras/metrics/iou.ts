/** @file Intersection over union of segmentations, from a confusion of classes. */
import { isListOf } from '../../core/lists.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { argMax } from '../../ops/reductions/argExtrema.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greater, greaterEqual, notEqual } from '../../ops/elementwise/comparison.ts';
import { eye } from '../../ops/creation/eye.ts';
import { ones } from '../../ops/creation/creation.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { scatterNd } from '../../ops/indexing/gatherNd.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import { toIndices } from '../../ops/indexing/toIndices.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { epsilon } from '../epsilon.ts';
import { requireFloat32, requireNumber } from '../losses/lossChecks.ts';
import { toTensor } from '../losses/lossInputs.ts';
import type { Option } from '../options/option.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { checked, flag, integer, metric } from './declare.ts';
import { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { stretched, weightOf } from './sampleWeights.ts';

/** The classes: their number, and how targets and predictions encode them. */
interface Classes {
  numClasses: number;
  targetClassIds: readonly number[];
  ignoreClass: number | null;
  sparseYTrue: boolean;
  sparseYPred: boolean;
  axis: number;
}

/** The dtype that Keras counts in by default: fractions of weights are dropped. */
type CountDType = 'int32' | 'float32';

/** Options of all IoU metrics. */
export interface IoUMetricOptions extends Omit<MetricOptions, 'dtype'> {
  /** What sample weights are counted in. As in Keras, 'int32' drops their fractions. Default 'int32'. */
  dtype?: CountDType | null;
}

/**
 * The mean over classes of TP / (TP + FP + FN). Classes that neither occur nor are predicted don't count.
 * State: total_confusion_matrix [classes, classes], of targets by predictions.
 */
abstract class IntersectionOverUnion extends Metric {
  declare protected readonly options: Partial<Classes> & { readonly dtype: CountDType };
  readonly totalConfusion: Variable;
  readonly #classes: Classes;
  /** The weight of each class in the mean. */
  readonly #chosen: Tensor;

  /** Errors: ValueError for options. */
  constructor(given: IoUMetricOptions) {
    super(given as MetricOptions);
    const { numClasses = 2 } = this.options;
    const all = Array.from({ length: numClasses }, (_, i) => i);
    // What a class has no option for.
    const others = { targetClassIds: all, ignoreClass: null, axis: -1, ...this.encodings };
    this.#classes = { ...others, ...this.options, numClasses };
    this.totalConfusion = this.addVariable('total_confusion_matrix', [numClasses, numClasses]);
    const { targetClassIds } = this.#classes;
    this.#chosen = this.addConstant(all.map((i) => targetClassIds.filter((id) => id === i).length));
  }

  /** Whether targets and predictions are class numbers, where that isn't an option. */
  protected get encodings(): { readonly sparseYTrue: boolean; readonly sparseYPred: boolean } {
    return { sparseYTrue: true, sparseYPred: true };
  }

  override get direction(): Direction {
    return 'up';
  }

  /**
   * Errors: ShapeError where shapes or weights don't fit; IndexOutOfRangeError, raised when the result is read, for a label
   * outside of the classes.
   */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const { numClasses, ignoreClass } = this.#classes;
      const targets = this.targets(toTensor(this.name, 'yTrue', yTrue));
      const predictions = this.predictions(toTensor(this.name, 'yPred', yPred));
      requireSameSize(this.name, targets, predictions);
      const given = weightsOf(this.name, weightOf(this.name, options), targets);
      const weights = this.options.dtype === 'int32' ? cast(cast(given, 'int32'), 'float32') : given;
      const pairs = stack([flat(targets), flat(predictions)], { axis: -1 });
      const counts = ignoreClass === null ? null : notEqual(flat(targets), ignoreClass);
      const confusion = scatterNd(
        counts ? where(reshape(counts, { shape: [targets.size, 1] }), pairs, 0) : pairs,
        counts ? where(counts, weights, 0) : weights,
        { shape: [numClasses, numClasses] },
      );
      this.totalConfusion.assign(add(this.totalConfusion, confusion));
    });
  }

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => {
      const confusion = this.totalConfusion;
      const hits = sum(mul(confusion, eye(this.#classes.numClasses)), { axis: 0 });
      const union = sub(add(sum(confusion, { axis: 0 }), sum(confusion, { axis: 1 })), hits);
      const present = mul(cast(greater(union, 1e-9), 'float32'), this.#chosen);
      const ratios = mul(div(hits, add(union, epsilon)), this.#chosen);
      return div(sum(ratios), add(sum(present), epsilon));
    });
  }

  /** Targets as class numbers. */
  protected targets(yTrue: Tensor): Tensor {
    const { sparseYTrue, axis } = this.#classes;
    return sparseYTrue ? toIndices(yTrue) : argMax(yTrue, { axis });
  }

  /** Predictions as class numbers. */
  protected predictions(yPred: Tensor): Tensor {
    const { sparseYPred, axis } = this.#classes;
    return sparseYPred ? toIndices(yPred) : argMax(yPred, { axis });
  }
}

export interface OneHotMeanIoUOptions extends IoUMetricOptions {
  /** Number of classes. */
  numClasses: number;
  /** A label to ignore, such as 255. Default: none. */
  ignoreClass?: number | null;
  /** Whether predictions are class numbers; otherwise they hold one score per class. Default false. */
  sparseYPred?: boolean;
  /** Axis of the scores. Default -1. */
  axis?: number;
}

export interface OneHotIoUOptions extends OneHotMeanIoUOptions {
  /** The classes over which the mean is taken. */
  targetClassIds: readonly number[];
}

/** `sparseYPred` is true by default. */
export interface MeanIoUOptions extends OneHotMeanIoUOptions {
  /** Whether targets are class numbers; otherwise they hold one score per class. Default true. */
  sparseYTrue?: boolean;
}

export interface IoUOptions extends MeanIoUOptions {
  /** The classes over which the mean is taken. */
  targetClassIds: readonly number[];
}

const classesTable = (sparseYPred: boolean) => ({
  numClasses: integer(),
  ignoreClass: integer({ min: Number.NEGATIVE_INFINITY, default: null }),
  sparseYPred: flag(sparseYPred),
  axis: integer({ min: Number.NEGATIVE_INFINITY, default: -1 }),
  dtype: counting(),
});

/** The mean of TP / (TP + FP + FN) over `targetClassIds`. State: total_confusion_matrix. */
export class IoU extends /* @__PURE__ */ metric<IoUOptions, IntersectionOverUnion>(
  'IoU',
  IntersectionOverUnion,
  () => ({ ...classesTable(true), sparseYTrue: flag(true), targetClassIds: classIds() }),
) {}

/** The mean of TP / (TP + FP + FN) over all classes that occur. State: total_confusion_matrix. */
export class MeanIoU extends /* @__PURE__ */ metric<MeanIoUOptions, IntersectionOverUnion>(
  'MeanIoU',
  IntersectionOverUnion,
  () => ({ ...classesTable(true), sparseYTrue: flag(true) }),
) {}

abstract class OneHot extends IntersectionOverUnion {
  protected override get encodings() {
    return { sparseYTrue: false, sparseYPred: false };
  }
}

/** IoU of targets that are one-hot, and of predictions with one score per class. State: total_confusion_matrix. */
export class OneHotIoU extends /* @__PURE__ */ metric<OneHotIoUOptions, OneHot>('OneHotIoU', OneHot, () => ({
  ...classesTable(false),
  targetClassIds: classIds(),
})) {}

/** MeanIoU of targets that are one-hot, and of predictions with one score per class. State: total_confusion_matrix. */
export class OneHotMeanIoU extends /* @__PURE__ */ metric<OneHotMeanIoUOptions, OneHot>(
  'OneHotMeanIoU',
  OneHot,
  () => classesTable(false),
) {}

export interface BinaryIoUOptions extends IoUMetricOptions {
  /** The classes over which the mean is taken: [0], [1] or [0, 1]. Default [0, 1]. */
  targetClassIds?: readonly number[];
  /** Predictions from this value on are class 1. Default 0.5. */
  threshold?: number;
}

/** IoU of two classes, predicted by one score. State: total_confusion_matrix. */
export class BinaryIoU extends /* @__PURE__ */ metric<BinaryIoUOptions, IntersectionOverUnion>(
  'BinaryIoU',
  IntersectionOverUnion,
  () => ({
    targetClassIds: classIds([0, 1]),
    threshold: checked((op, what, value) => requireNumber(op, what, value), 0.5),
    dtype: counting(),
  }),
) {
  /** Predictions from this value on are class 1. */
  get threshold(): number {
    return (this.options as { threshold?: number }).threshold as number;
  }

  protected override predictions(yPred: Tensor): Tensor {
    return cast(greaterEqual(yPred, this.threshold), 'int32');
  }
}

type Maker<O, M> = ClassMaker<[options: O], M>;

/**
 * Intersection over union of the given classes, averaged. Labels in any shape. Errors: ShapeError, ValueError for
 * options, IndexOutOfRangeError for a label outside of the classes.
 */
export const iou: Maker<IoUOptions, IoU> = /* @__PURE__ */ classMaker(IoU, { aliases: ['iou'] });
/**
 * Intersection over union of all classes, averaged. Labels in any shape. Errors: ShapeError, ValueError for options,
 * IndexOutOfRangeError for a label outside of the classes.
 */
export const meanIoU: Maker<MeanIoUOptions, MeanIoU> = /* @__PURE__ */ classMaker(MeanIoU, {
  aliases: ['mean_iou'],
});
/** `iou` for targets and predictions with an axis of classes. Errors: those of `iou`. */
export const oneHotIoU: Maker<OneHotIoUOptions, OneHotIoU> = /* @__PURE__ */ classMaker(OneHotIoU, {
  aliases: ['one_hot_iou'],
});
/** `meanIoU` for targets and predictions with an axis of classes. Errors: those of `meanIoU`. */
export const oneHotMeanIoU: Maker<OneHotMeanIoUOptions, OneHotMeanIoU> = /* @__PURE__ */ classMaker(
  OneHotMeanIoU,
  { aliases: ['one_hot_mean_iou'] },
);
/**
 * Intersection over union of two classes, separated by a threshold. Targets and predictions of one shape. Errors:
 * ShapeError, ValueError for options.
 */
export const binaryIoU: ClassMaker<[options?: BinaryIoUOptions], BinaryIoU> = /* @__PURE__ */ classMaker(
  BinaryIoU,
  { aliases: ['binary_iou'] },
);

/** The kind of `dtype`, which configurations have where it isn't the default. */
const counting = (): Option<CountDType> => ({
  read: (given, { op }) => {
    requireFloat32(op, given, ['float32', 'int32']);
    return (given ?? 'int32') as CountDType;
  },
  write: (dtype) => (dtype === 'float32' ? dtype : undefined),
});

/** The kind of classes in a mean, of `numClasses`, or of two. */
const classIds = (fallback?: readonly number[]): Option<readonly number[]> => ({
  read: (given = fallback, { op, what, values: { numClasses = 2 } }) => {
    const isClass = (id: unknown): id is number =>
      Number.isInteger(id) && (id as number) >= 0 && (id as number) < (numClasses as number);
    if (isListOf(given, isClass) && given.length > 0) return given;
    throw new ValueError({
      op,
      rule: `\`${what}\` is a list of classes from 0 to ${(numClasses as number) - 1}.`,
      received: `${what}: ${describe(given)}`,
      hint: 'pass [0], or metrics.meanIoU({ numClasses }) for the mean over all.',
    });
  },
});

function requireSameSize(op: string, targets: Tensor, predictions: Tensor): void {
  if (targets.size === predictions.size) return;
  throw new ShapeError({
    op,
    rule: 'there are as many predictions as targets.',
    received: `targets ${formatSpec(targets)}, predictions ${formatSpec(predictions)}`,
    hint: 'pass scores with sparseYPred: false, and one-hot targets with sparseYTrue: false.',
  });
}

/** One weight per target, flat. */
function weightsOf(op: string, weight: Tensor | null, targets: Tensor): Tensor {
  if (!weight) return ones([targets.size]);
  return flat(weight.size === targets.size ? weight : stretched(op, weight, targets));
}

function flat(x: Tensor): Tensor {
  return reshape(x, { shape: [x.size] });
}
