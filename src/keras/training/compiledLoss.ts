/**
 * @file CompiledLoss: applies `compile({ loss, lossWeights })` to the outputs of a model.
 *
 * With several losses, each has its own mean over batches, `<output>_loss`, without its weight, as in Keras on TensorFlow. (On
 * JAX, a batch counts by its samples, whose number TensorFlow's graphs don't know.)
 */
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { isFinite as areFinite } from '../../ops/elementwise/predicates.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Mean } from '../metrics/mean.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { addN } from '../../ops/elementwise/addN.ts';
import { get, type LossConfig, type LossLike } from '../losses/get.ts';
import { Loss } from '../losses/loss.ts';
import { maskOf } from '../masks.ts';
import type { MeasuredSpecs } from '../metrics/get.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import type { Predicted } from './batch.ts';
import { inOutputOrder, isRecord, outputNamesOf } from './perOutput.ts';

export class LossTracker extends Mean {
  /** How often its state was changed by JavaScript: a replay counts nothing. */
  changes = 0;

  /**
   * Adds the loss of a batch of `samples` samples. After the first batch whose loss isn't finite, samples don't count any more:
   * the mean stays NaN or infinite, and the count says which batch it was.
   */
  track(loss: Tensor, samples: number): void {
    this.change(() => {
      this.count.assign(add(this.count, where(areFinite(this.total), samples, 0)));
      this.total.assign(add(this.total, mul(loss, samples)));
    });
  }

  protected override change(body: () => void): void {
    this.changes++;
    super.change(body);
  }
}

/** The loss of an output; 'crossentropy' is selected by the shapes of targets and predictions, like 'accuracy'. */
export type OutputLoss = LossLike | 'crossentropy' | 'ce';

/** A loss for all outputs, or one per output, by position or by name; null for an output without a loss. */
export type LossArgument = OutputLoss | readonly (OutputLoss | null)[] | LossRecord;

/** Losses by output; those of outputs inside a record are nested as they are. */
export interface LossRecord {
  readonly [output: string]: OutputLoss | null | readonly (OutputLoss | null)[] | LossRecord;
}

/** Weight of the loss of each output. Default 1. */
export type LossWeights = number | readonly number[] | LossWeightRecord;

export interface LossWeightRecord {
  readonly [output: string]: number | readonly number[] | LossWeightRecord;
}

/** The loss of one output. */
interface Part {
  /** Index of the output. */
  readonly index: number;
  readonly loss: Loss;
  readonly weight: number | null;
  /** Null if this is the only loss: the loss of the model is the same. */
  readonly tracker: LossTracker | null;
}

export class CompiledLoss {
  #parts: Part[] | null = null;

  constructor(
    private readonly given: LossArgument,
    private readonly weights: LossWeights | null,
    /** Names of the outputs; null if they are unknown before the first call. */
    private readonly known: readonly string[] | null,
  ) {
    requireWeights(weights);
    // If the outputs are known, errors are thrown by `compile`.
    if (known) weightsByOutput(weights, known);
    if (known || !(isRecord(given) || Array.isArray(given))) {
      for (const identifier of identifiersByOutput(given, known ?? [''])) lossFor(identifier, null);
    }
  }

  /** The mean loss of each output; empty if there is only one loss, and before the first batch. */
  get trackers(): readonly LossTracker[] {
    return this.#parts?.flatMap(({ tracker }) => tracker ?? []) ?? [];
  }

  /**
   * Returns the weighted sum of the losses, a scalar; null if no output has one.
   * Errors: ValueError for missing targets, or targets for other outputs.
   */
  call({ y, yPred, sampleWeight = null }: Predicted): Tensor | null {
    const names = outputNamesOf(yPred, this.known);
    const identifiers = identifiersByOutput(this.given, names);
    const predictions = inOutputOrder<Tensor>('computeLoss', 'yPred', yPred, names);
    const targets = targetsOfLosses(y, names, identifiers);
    const weights = sampleWeightsByOutput(sampleWeight, names);
    this.#parts ??= this.#build(names, identifiers, targets, predictions);
    const losses = this.#parts.map(({ index, loss, weight, tracker }) => {
      const [target, prediction] = [targets[index] as Tensor, predictions[index] as Tensor];
      const value = scalarLoss(loss, target, prediction, weights[index] ?? null);
      tracker?.track(value, 1);
      return weight === null ? value : mul(value, weight);
    });
    return losses.length > 1 ? addN(losses) : (losses[0] ?? null);
  }

  /** Creates the parts that depend on the outputs. */
  #build(
    names: readonly string[],
    identifiers: readonly (OutputLoss | null)[],
    targets: readonly (Tensor | undefined)[],
    predictions: readonly (Tensor | undefined)[],
  ): Part[] {
    const weights = weightsByOutput(this.weights, names);
    const several = identifiers.filter((identifier) => identifier !== null).length > 1;
    return identifiers.flatMap((identifier, index) => {
      if (identifier === null) return [];
      const specs = { yTrue: targets[index] as Tensor, yPred: predictions[index] as Tensor };
      const tracker = several ? new LossTracker({ name: `${names[index]}_loss` }) : null;
      return [{ index, loss: lossFor(identifier, specs) as Loss, weight: weights[index] ?? null, tracker }];
    });
  }

  dispose(): void {
    for (const tracker of this.trackers) tracker.dispose();
  }
}

function scalarLoss(loss: Loss, target: Tensor, prediction: Tensor, weight: Tensor | null): Tensor {
  const value = loss.call(target, prediction, weight, maskOf(prediction));
  if (value.shape.length === 0) return value;
  throw new ValueError({
    op: loss.name,
    rule: 'training needs losses that are one number per batch.',
    received: `a loss of shape [${value.shape.join(', ')}], from the reduction ${describe(loss.reduction)}`,
    hint:
      loss.call === Loss.prototype.call
        ? "use the reduction 'sum_over_batch_size' or 'sum'."
        : 'a class of your own computes the losses of samples in `values(yTrue, yPred)`; `call` weighs and reduces them.',
  });
}

/** Returns the targets in the order of the outputs. */
export function targetsByOutput(y: Nest<Tensor> | null, names: readonly string[]): (Tensor | undefined)[] {
  return y === null ? names.map(() => undefined) : inOutputOrder('fit', 'y', y, names);
}

/** Sample weights in the order of the outputs. A single one applies to all outputs. */
export function sampleWeightsByOutput(
  weight: Nest<Tensor> | null,
  names: readonly string[],
): (Tensor | undefined)[] {
  if (weight === null) return names.map(() => undefined);
  if (isRecord(weight)) return inOutputOrder('fit', 'sampleWeight', weight, names);
  const list = (Array.isArray(weight) ? weight : [weight]) as Tensor[];
  return list.length === 1 ? names.map(() => list[0]) : inOutputOrder('fit', 'sampleWeight', list, names);
}

/** Returns the targets of outputs with a loss, given for all outputs or only for those. Errors: ValueError. */
function targetsOfLosses(
  y: Nest<Tensor> | null,
  names: readonly string[],
  identifiers: readonly (OutputLoss | null)[],
): (Tensor | undefined)[] {
  // By position: a layer that is called twice gives two outputs of one name.
  const places = identifiers.flatMap((identifier, i) => (identifier === null ? [] : [i]));
  const needed = places.map((i) => names[i] as string);
  const alone = y !== null && !isRecord(y) && leavesOf<Tensor>(y).length === needed.length;
  const found = alone ? targetsByOutput(y, needed) : targetsByOutput(y, names);
  const targets = alone ? names.map((_, i) => found[places.indexOf(i)]) : found;
  const missing = needed.find((_, k) => !targets[places[k] as number]);
  if (missing === undefined) return targets;
  throw new ValueError({
    op: 'computeLoss',
    rule: 'an output with a loss needs targets.',
    received: `no targets for output '${missing}'`,
    hint: 'pass y, or set the loss of this output to null.',
  });
}

/** Returns the loss identifier of each output. A single one applies to all outputs. */
export function identifiersByOutput(given: LossArgument, names: readonly string[]): (OutputLoss | null)[] {
  if (Array.isArray(given) || (isRecord(given) && !isLossConfig(given))) {
    return inOutputOrder<OutputLoss | null>('compile', 'loss', given, names).map((loss) => loss ?? null);
  }
  return names.map(() => given as OutputLoss);
}

/**
 * Returns the loss for a name, an object or a function. 'crossentropy' is selected by the shapes of targets and predictions, like
 * 'accuracy'. Errors: ValueError.
 */
function lossFor(identifier: OutputLoss | null, specs: MeasuredSpecs | null): Loss | null {
  if (identifier !== 'crossentropy' && identifier !== 'ce') return get(identifier);
  const [labels, classes] = [specs?.yTrue.shape, specs?.yPred.shape];
  if (!labels || !classes || classes.at(-1) === 1) return get('binaryCrossentropy');
  const isSparse = labels.length < classes.length || labels.at(-1) === 1;
  return get(isSparse ? 'sparseCategoricalCrossentropy' : 'categoricalCrossentropy');
}

function isLossConfig(given: object): given is LossConfig {
  return typeof (given as Partial<LossConfig>).className === 'string';
}

function weightsByOutput(
  given: LossWeights | null,
  names: readonly string[],
): readonly (number | undefined)[] {
  if (given === null) return [];
  if (typeof given === 'number') return names.map(() => given);
  return inOutputOrder<number>('compile', 'lossWeights', given as number[], names);
}

function requireWeights(weights: unknown): void {
  if (weights === null) return;
  const values = leavesOf<unknown>(weights as Nest<unknown>);
  if (values.length > 0 && values.every((value) => typeof value === 'number' && Number.isFinite(value)))
    return;
  throw new ValueError({
    op: 'compile',
    rule: '`lossWeights` is a finite number, an array of them, or a record of them by output.',
    received: `lossWeights: ${describe(weights)}`,
    hint: 'pass { score: 1, value: 0.5 }, or omit it.',
  });
}
