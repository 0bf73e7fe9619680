/** @file nonMaxSuppression: asynchronous, since the number of boxes kept depends on values. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, requireInteger } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export interface NonMaxSuppressionOptions {
  /** The maximum number of boxes that are kept. */
  maxOutputSize: number;
  /** Boxes whose intersection over union with a better one is above this are dropped, unless in soft NMS. In [0, 1]; default 0.5. */
  iouThreshold?: number;
  /** Boxes must have a higher score. Default: no threshold. */
  scoreThreshold?: number;
  /** If above 0, a box lowers the scores of those that it overlaps instead of dropping them (soft NMS). Default 0. */
  softNmsSigma?: number;
}

const optionNames: OptionNames<NonMaxSuppressionOptions> = {
  maxOutputSize: true,
  iouThreshold: true,
  scoreThreshold: true,
  softNmsSigma: true,
};

/**
 * Keeps the best of overlapping boxes: [indices, scores] of the boxes kept, best first; equal scores keep their order. A
 * box is [y1, x1, y2, x2], any two opposite corners. Boxes and scores are read back. It has no gradient; gather the boxes by
 * the indices.
 * Shapes: boxes [k, 4], scores [k], float32 → [count] int32 and [count] float32.
 * Source: N. Bodla et al., "Soft-NMS", 2017, and TensorFlow's non_max_suppression_v5.
 * Errors: ShapeError, DTypeError, ValueError.
 */
export async function nonMaxSuppression(
  boxes: Tensor,
  scores: Tensor,
  options: NonMaxSuppressionOptions,
): Promise<[indices: Tensor<'int32'>, scores: Tensor]>;
export async function nonMaxSuppression(
  boxes: Tensor,
  scores: Tensor,
  ...settings: Positions<
    NonMaxSuppressionOptions,
    ['maxOutputSize', 'iouThreshold', 'scoreThreshold', 'softNmsSigma']
  >
): Promise<[indices: Tensor<'int32'>, scores: Tensor]>;
export async function nonMaxSuppression(
  boxes: Tensor,
  scores: Tensor,
  ...settings: unknown[]
): Promise<[indices: Tensor<'int32'>, scores: Tensor]> {
  const op = 'nonMaxSuppression';
  const options = completed(optionsOf(op, settings, optionNames, ['boxes', 'scores']));
  requireTensor(op, 'boxes', boxes);
  requireTensor(op, 'scores', scores);
  for (const [name, { dtype }] of Object.entries({ boxes, scores }))
    requireDType(op, name, dtype, ['float32']);
  if (boxes.shape.length !== 2 || boxes.shape[1] !== 4 || String(scores.shape) !== String([boxes.shape[0]])) {
    throw new ShapeError({
      op,
      rule: '`boxes` must be [k, 4] and `scores` [k].',
      received: `boxes ${formatShape(boxes.shape)} and scores ${formatShape(scores.shape)}`,
      hint: 'call it for the boxes of one image and one class.',
    });
  }
  const [corners, values] = await Promise.all([boxes.data(), scores.data()]);
  const kept = suppress(corners as Float32Array, values as Float32Array, options);
  return tidy(() => [
    tensor(
      Int32Array.from(kept, ({ box }) => box),
      { dtype: 'int32' },
    ),
    tensor(Float32Array.from(kept, ({ score }) => score)),
  ]);
}

type Completed = Required<NonMaxSuppressionOptions>;

function completed(options: Partial<NonMaxSuppressionOptions>): Completed {
  const {
    maxOutputSize = -1,
    iouThreshold = 0.5,
    scoreThreshold = Number.NEGATIVE_INFINITY,
    softNmsSigma = 0,
  } = options;
  const op = 'nonMaxSuppression';
  requireInteger(op, 'maxOutputSize', maxOutputSize, 0);
  const isNumber = (x: unknown) => typeof x === 'number' && !Number.isNaN(x);
  const fits =
    isNumber(iouThreshold) &&
    iouThreshold >= 0 &&
    iouThreshold <= 1 &&
    isNumber(scoreThreshold) &&
    isNumber(softNmsSigma) &&
    softNmsSigma >= 0;
  // Scores are float32, and one that is equal to the threshold isn't above it.
  if (fits) return { maxOutputSize, iouThreshold, scoreThreshold: Math.fround(scoreThreshold), softNmsSigma };
  throw new ValueError({
    op,
    rule: '`iouThreshold` must be in [0, 1], `scoreThreshold` a number, `softNmsSigma` a number of at least 0.',
    received: describe({ iouThreshold, scoreThreshold, softNmsSigma }),
    hint: 'leave them out for 0.5, no threshold and no softening.',
  });
}

interface Candidate {
  readonly box: number;
  score: number;
  /** How many of the kept boxes it has been compared with. */
  compared: number;
}

function suppress(corners: Float32Array, scores: Float32Array, options: Completed): Candidate[] {
  const { maxOutputSize, iouThreshold, scoreThreshold, softNmsSigma } = options;
  // The best one is last; among equal scores, the first box.
  const before = (a: Candidate, b: Candidate) => a.score - b.score || b.box - a.box;
  const open = Array.from(scores, (score, box): Candidate => ({ box, score, compared: 0 }))
    .filter(({ score }) => score > scoreThreshold)
    .sort(before);
  const kept: Candidate[] = [];
  while (kept.length < maxOutputSize) {
    const best = open.pop();
    if (!best) break;
    const { score } = best;
    let isDropped = false;
    for (; best.compared < kept.length && !isDropped; best.compared++) {
      const overlap = intersectionOverUnion(corners, best.box, (kept[best.compared] as Candidate).box);
      if (softNmsSigma === 0) isDropped = overlap > iouThreshold;
      else best.score *= Math.exp((-0.5 / softNmsSigma) * overlap ** 2);
      isDropped ||= !(best.score > scoreThreshold);
    }
    if (isDropped) continue;
    if (best.score === score) kept.push(best);
    else insert(open, best, before);
  }
  return kept;
}

function insert(sorted: Candidate[], one: Candidate, before: (a: Candidate, b: Candidate) => number): void {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(sorted[middle] as Candidate, one) < 0) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, one);
}

/** 0 for boxes without area, and for those with a NaN. */
function intersectionOverUnion(corners: Float32Array, a: number, b: number): number {
  const side = (box: number, axis: number): [number, number] => {
    const [first, second] = [corners[4 * box + axis] as number, corners[4 * box + axis + 2] as number];
    return [Math.min(first, second), Math.max(first, second)];
  };
  const area = (box: number) =>
    [0, 1].reduce((product, axis) => product * (side(box, axis)[1] - side(box, axis)[0]), 1);
  if (area(a) <= 0 || area(b) <= 0) return 0;
  const common = [0, 1].reduce((product, axis) => {
    const [one, other] = [side(a, axis), side(b, axis)];
    return product * Math.max(0, Math.min(one[1], other[1]) - Math.max(one[0], other[0]));
  }, 1);
  return common / (area(a) + area(b) - common) || 0;
}
