/** @file rotaryEmbedding */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, requireBoolean, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { maxRotated, type Rotation, rotaryKernel } from '../../kernels/attention/rotary.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { concat } from '../arrangement/concat.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { requireInt32 } from '../define/indices.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { slice } from '../arrangement/slice.ts';
import { stack } from '../arrangement/stack.ts';
import { cos, sin } from '../elementwise/trigonometric.ts';

export interface RotaryEmbeddingOptions {
  /**
   * Whether pairs are neighbours, features 2 j and 2 j + 1 (GPT-J, the first Llama code). Default false: features j and
   * j + rotated / 2 (GPT-NeoX, Llama and Gemma in transformers, KerasHub).
   */
  interleaved?: boolean;
  /** How many of the features of a head are rotated; the others are copied. Default: all. */
  rotated?: number;
  /** Pair j turns by position / maxWavelength^(2 j / rotated). Default 10,000. */
  maxWavelength?: number;
  /** Positions are divided by it, to stretch a trained context (linear scaling). Default 1. */
  scalingFactor?: number;
  /** Whether pairs are turned backward, as the gradient is. Default false. */
  inverse?: boolean;
}

const op = 'rotaryEmbedding';

interface RotaryPlan extends TensorSpec, Rotation {}

function planRotary(
  [x, positions, frequencies]: readonly [TensorSpec, TensorSpec | null, TensorSpec | null],
  options: RotaryEmbeddingOptions,
): RotaryPlan {
  const { interleaved = false, inverse = false, maxWavelength = 10_000, scalingFactor = 1 } = options;
  requireDType(op, 'x', x.dtype, ['float32']);
  requireBoolean(op, 'interleaved', interleaved);
  requireBoolean(op, 'inverse', inverse);
  requirePositive('maxWavelength', maxWavelength);
  requirePositive('scalingFactor', scalingFactor);
  if (x.shape.length < 3) {
    throw new ShapeError({
      op,
      rule: '`x` has at least three axes: [..., length, heads, size].',
      received: `x ${formatSpec(x)}`,
      hint: 'insert an axis of one head: expandDims(x, { axis: -2 }).',
    });
  }
  const size = x.shape.at(-1) as number;
  const { rotated = size } = options;
  if (!Number.isInteger(rotated) || rotated < 0 || rotated > size || rotated % 2 !== 0) {
    throw new ValueError({
      op,
      rule: `\`rotated\` is an even number of at most the size of a head, here ${size}.`,
      received: `rotated: ${describe(rotated)}`,
      hint: 'features are rotated in pairs; name fewer of them by `rotated`.',
    });
  }
  requirePositions(x, positions);
  requireFrequencies(rotated, frequencies);
  return { shape: x.shape, dtype: x.dtype, interleaved, inverse, rotated, maxWavelength, scalingFactor };
}

function requirePositive(name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a positive number.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for the default.',
  });
}

function requirePositions(x: TensorSpec, positions: TensorSpec | null): void {
  if (!positions) return;
  requireDType(op, 'positions', positions.dtype, ['int32']);
  const { length } = positions.shape;
  const rows = x.shape.slice(0, -2);
  if (length <= rows.length && sameShape(positions.shape, rows.slice(rows.length - length))) return;
  throw new ShapeError({
    op,
    rule: `\`positions\` is one number, that of the first row, or has the last axes of ${formatShape(rows)}.`,
    received: `positions ${formatSpec(positions)}`,
    hint: 'x is [..., length, heads, size], and positions [length] or [..., length].',
  });
}

function requireFrequencies(rotated: number, frequencies: TensorSpec | null): void {
  if (frequencies) {
    requireDType(op, 'inverseFrequencies', frequencies.dtype, ['float32']);
    if (sameShape(frequencies.shape, [rotated / 2])) return;
    throw new ShapeError({
      op,
      rule: `\`inverseFrequencies\` has a number for each pair of features: [${rotated / 2}].`,
      received: `inverseFrequencies ${formatSpec(frequencies)}`,
      hint: 'they are the factors of the position, such as maxWavelength ** (-2 * j / rotated).',
    });
  }
  if (rotated <= maxRotated) return;
  throw new ValueError({
    op,
    rule: `more than ${maxRotated} rotated features need \`inverseFrequencies\`.`,
    received: `${rotated} features`,
    hint: 'pass a tensor of rotated / 2 numbers.',
  });
}

/** The angle of each pair, [..., length, 1, pairs]. */
function anglesOf(x: Tensor, positions: Tensor | null, frequencies: Tensor | null, plan: RotaryPlan): Tensor {
  const { rotated, maxWavelength, scalingFactor } = plan;
  const half = rotated / 2;
  const [length] = x.shape.slice(-3) as [number];
  const counted = range(0, length, 1, { dtype: 'int32' });
  const given = positions && positions.rank > 0 ? positions : positions ? add(counted, positions) : counted;
  const rate = frequencies
    ? mul(frequencies, 1 / scalingFactor)
    : tensor(Float32Array.from({ length: half }, (_, j) => maxWavelength ** (-j / half) / scalingFactor));
  const spread = reshape(cast(given, 'float32'), { shape: [...given.shape, 1, 1] });
  return mul(spread, rate);
}

/** The rotation composed of ops. */
function composed(x: Tensor, positions: Tensor | null, frequencies: Tensor | null, plan: RotaryPlan): Tensor {
  const { interleaved, inverse, rotated } = plan;
  const half = rotated / 2;
  const angles = anglesOf(x, positions, frequencies, plan);
  const [cosine, sine] = [cos(angles), inverse ? neg(sin(angles)) : sin(angles)];
  const lead = x.shape.slice(0, -1);
  const size = x.shape.at(-1) as number;
  const part = (from: Tensor, begin: number, count: number) =>
    slice(from, {
      begin: [...from.shape.slice(0, -1).map(() => 0), begin],
      size: [...from.shape.slice(0, -1), count],
    });
  const turned = part(x, 0, rotated);
  const paired = reshape(turned, { shape: [...lead, half, 2] });
  const side = (i: 0 | 1) =>
    interleaved ? reshape(part(paired, i, 1), { shape: [...lead, half] }) : part(turned, i * half, half);
  const [a, b] = [side(0), side(1)];
  const [c, d] = [sub(mul(a, cosine), mul(b, sine)), add(mul(a, sine), mul(b, cosine))];
  const result = interleaved
    ? reshape(stack([c, d], { axis: -1 }), { shape: [...lead, rotated] })
    : concat([c, d], { axis: -1 });
  return rotated === size ? result : concat([result, part(x, rotated, size - rotated)], { axis: -1 });
}

/** A pair takes four products and two sums; sines and cosines aren't counted. */
const cost = ([{ shape }]: readonly [TensorSpec, ...unknown[]]): Cost => ({
  flops: 3 * shape.reduce((product, n) => product * n, 1),
});

/**
 * Rotary position embeddings of queries or keys: each pair of features (a, b) of a row at position p becomes
 * (a cos φ - b sin φ, a sin φ + b cos φ) with φ = p / maxWavelength^(2 j / rotated) for pair j. float32. Shapes: `x`
 * [..., length, heads, size] → the same. `positions`, int32, is the position of the first row (default 0), or has those of all
 * rows, [length] or [..., length]. `inverseFrequencies` [rotated / 2] are used instead of the powers of `maxWavelength` if
 * given, as for the scaled contexts of Llama 3. Neither has a gradient. One launch, and one for the gradient of x.
 * Su et al., "RoFormer", 2021.
 * Errors: ShapeError, DTypeError for tensors that don't fit; ValueError for options.
 */
export const rotaryEmbedding: Op<
  [x: Tensor, positions: Tensor | null, inverseFrequencies: Tensor | null],
  RotaryEmbeddingOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['x', 'positions:int32?', 'inverseFrequencies?'],
  options: { interleaved: false, rotated: false, maxWavelength: false, scalingFactor: false, inverse: false },
  save: { inputs: [1, 2] },
  infer: planRotary,
  forward: ([x, positions, frequencies], plan, { operands }) => {
    if (positions) requireInt32(op, 'positions', operands[1]);
    return rotaryKernel(x, positions, frequencies, plan);
  },
  formula: ([x, positions, frequencies], plan) => composed(x, positions, frequencies, plan),
  backward: ([dy], { inputs: [, positions, frequencies], plan }) => {
    const { interleaved, rotated, maxWavelength, scalingFactor, inverse } = plan;
    const options = { interleaved, rotated, maxWavelength, scalingFactor, inverse: !inverse };
    return [rotaryEmbedding(dy, positions, frequencies, options), null, null];
  },
  cost,
});
