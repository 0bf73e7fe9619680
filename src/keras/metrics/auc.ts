/** @file AUC: the area under a curve of a classifier, over thresholds. */
import { isListOf } from '../../core/lists.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { sigmoid } from '../../ops/activations/activations.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { greater } from '../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { mean } from '../../ops/reductions/mean.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { confusionOf, givenThresholds, type Thresholds } from './confusion.ts';
import { checked, flag, integer, metric, oneOf, type Values } from './declare.ts';
import { evenThresholds, FourCells } from './fourCells.ts';
import { divideNoNaN } from './mean.ts';
import type { MetricOptions, UpdateOptions } from './metric.ts';
import { weightOf } from './sampleWeights.ts';

export interface AUCOptions extends MetricOptions {
  /** Number of thresholds, evenly spaced in [0, 1]; at least 2. Default 200. */
  numThresholds?: number;
  /** 'ROC': true positives over false ones. 'PR': precision over recall. Default 'ROC'. */
  curve?: 'ROC' | 'PR' | 'roc' | 'pr';
  /** How the area between two points of the curve is computed. Default 'interpolation'. */
  summationMethod?: 'interpolation' | 'majoring' | 'minoring';
  /** Custom thresholds in [0, 1]; 0 and 1 are added. Default: `numThresholds` evenly spaced ones. */
  thresholds?: readonly number[] | null;
  /** Whether to average the areas of separate curves for each label on the last axis. Default false. */
  multiLabel?: boolean;
  /**
   * Number of labels per sample, if `multiLabel` is set. Default: as many as the first predictions have.
   */
  numLabels?: number | null;
  /** Weights of labels: in the average of the areas, or without `multiLabel` in the counts. Default: all the same. */
  labelWeights?: readonly number[] | null;
  /** Whether predictions are logits. Default false. */
  fromLogits?: boolean;
}

type Options = Values<Omit<AUCOptions, keyof MetricOptions>>;

/** State: true_positives, false_positives, true_negatives, false_negatives, of shape [thresholds, ...labels]. */
export class AUC extends /* @__PURE__ */ metric<AUCOptions, FourCells>('AUC', FourCells, () => ({
  numThresholds: integer({ min: 2, default: 200 }),
  curve: oneOf(['ROC', 'PR'], 'ROC'),
  summationMethod: oneOf(['interpolation', 'majoring', 'minoring'], 'interpolation'),
  thresholds: givenThresholds() as never,
  multiLabel: flag(false),
  numLabels: integer({ default: null }),
  labelWeights: checked(weightsOf, null),
  fromLogits: flag(false),
})) {
  declare protected readonly options: Options;
  readonly #thresholds: Thresholds;
  readonly #labelWeights: Tensor | null;

  /** Errors: ValueError for options. */
  constructor(given: AUCOptions = {}) {
    super(given);
    const { options } = this;
    requireMultiLabel(this.name, options);
    const values = thresholdsOf(options);
    this.#thresholds = { values, onDevice: this.addConstant(values) };
    this.#labelWeights = options.labelWeights && this.addConstant([...options.labelWeights]);
    if (!options.multiLabel) this.addCells([values.length]);
    else if (options.numLabels !== null) this.addCells([values.length, options.numLabels]);
  }

  /** The thresholds, the first a little below 0 and the last a little above 1. */
  get thresholds(): readonly number[] {
    return this.#thresholds.values;
  }

  override build(_yTrue: OpenSpec, yPred: OpenSpec): void {
    if (this.options.multiLabel) requireLabels(this.name, yPred, this.options.numLabels);
    if (!this.hasCells) this.addCells([this.thresholds.length, yPred.shape[1] as number]);
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const { multiLabel, fromLogits } = this.options;
      const [targets, given] = [toTensor(this.name, 'yTrue', yTrue), toTensor(this.name, 'yPred', yPred)];
      this.build(targets, given);
      const settings = {
        thresholds: this.#thresholds,
        multiLabel,
        weight: weightOf(this.name, options),
        labelWeights: multiLabel ? null : this.#labelWeights,
      };
      this.accumulate(confusionOf(this.name, targets, fromLogits ? sigmoid(given) : given, settings));
    });
  }

  /** Returns the area, averaged over labels. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => {
      if (!this.hasCells) throw unbuilt(this.name);
      const { curve, summationMethod } = this.options;
      const isInterpolated = curve === 'PR' && summationMethod === 'interpolation';
      return this.#overLabels(sum(isInterpolated ? this.#interpolated() : this.#rectangles(), { axis: 0 }));
    });
  }

  /** Areas between neighbouring points of the curve. */
  #rectangles(): Tensor {
    const { curve, summationMethod } = this.options;
    const [x, y] = curve === 'ROC' ? [this.#fallOut, this.sensitivity] : [this.sensitivity, this.precision];
    const [left, right] = neighbours(y);
    const heights = {
      interpolation: () => div(add(left, right), 2),
      minoring: () => minimum(left, right),
      majoring: () => maximum(left, right),
    }[summationMethod]();
    const [from, to] = neighbours(x);
    return mul(sub(from, to), heights);
  }

  /**
   * Areas under precision over recall, where true and false positives are linear between thresholds A and B:
   * slope·(ΔTP + intercept·log(P_A / P_B)) / (TP + FN), with P = TP + FP, slope = ΔTP / ΔP and intercept = TP_B - slope·P_B.
   * Source: Davis and Goadrich, The relationship between precision-recall and ROC curves, 2006.
   */
  #interpolated(): Tensor {
    const [truesA, truesB] = neighbours(this.truePositives);
    const [positivesA, positivesB] = neighbours(add(this.truePositives, this.falsePositives));
    const [, missedB] = neighbours(this.falseNegatives);
    const gained = sub(truesA, truesB);
    const slope = divideNoNaN(gained, maximum(sub(positivesA, positivesB), 0));
    const intercept = sub(truesB, mul(slope, positivesB));
    const both = logicalAnd(greater(positivesA, 0), greater(positivesB, 0));
    const ratio = where(both, divideNoNaN(positivesA, positivesB), 1);
    const area = mul(slope, add(gained, mul(intercept, log(ratio))));
    return divideNoNaN(area, maximum(add(truesB, missedB), 0));
  }

  /** FP / (FP + TN): the rate of false positives. */
  get #fallOut(): Tensor {
    return divideNoNaN(this.falsePositives, add(this.falsePositives, this.trueNegatives));
  }

  #overLabels(areas: Tensor): Tensor {
    if (!this.options.multiLabel) return areas;
    const weights = this.#labelWeights;
    return weights ? divideNoNaN(sum(mul(areas, weights)), sum(weights)) : mean(areas);
  }
}

/**
 * The area under the ROC or the precision–recall curve, by thresholds. Targets and predictions of one shape. Errors:
 * ShapeError, ValueError for options.
 */
export const auc: ClassMaker<[options?: AUCOptions], AUC> = /* @__PURE__ */ classMaker(AUC);

/** Returns the values at all thresholds but the last, and at all but the first. */
function neighbours(x: Tensor): [Tensor, Tensor] {
  const count = (x.shape[0] as number) - 1;
  return [slice(x, { begin: 0, size: [count] }), slice(x, { begin: 1, size: [count] })];
}

function requireMultiLabel(op: string, { numLabels, multiLabel }: Options): void {
  if (numLabels === null || multiLabel) return;
  throw new ValueError({
    op,
    rule: '`numLabels` is needed only where `multiLabel` is true.',
    received: `numLabels: ${numLabels}, multiLabel: false`,
    hint: 'leave it out, or pass multiLabel: true.',
  });
}

function weightsOf(op: string, what: string, given: unknown): void {
  if (isListOf(given, (weight) => typeof weight === 'number' && weight >= 0)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a list of numbers of at least 0.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass one number per label.',
  });
}

/** With an end a little below 0 and one a little above 1, so that predictions of exactly 0 and 1 are counted. */
function thresholdsOf({ thresholds, numThresholds }: Options): number[] {
  const inner = thresholds
    ? [...thresholds].sort((a, b) => a - b)
    : evenThresholds(numThresholds).slice(1, -1);
  return [-epsilon, ...inner, 1 + epsilon];
}

function requireLabels(op: string, yPred: OpenSpec, labels: number | null): void {
  const [, found] = yPred.shape;
  if (yPred.shape.length === 2 && found !== null && (labels === null || found === labels)) return;
  throw new ShapeError({
    op,
    rule: `with \`multiLabel\`, predictions are [batch, ${labels ?? 'labels'}].`,
    received: `yPred ${formatSpec(yPred)}`,
    hint: 'pass one score per label, or multiLabel: false.',
  });
}

function unbuilt(op: string): ValueError {
  return new ValueError({
    op,
    rule: 'with `multiLabel`, the first update determines the number of labels.',
    received: 'result() before any update',
    hint: 'update it first, or pass numLabels.',
  });
}
