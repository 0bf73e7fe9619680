/** @file sampleTokens: the next token of a language model. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { type Sampling, sampleTokensKernel } from '../../kernels/vocabulary/sampleTokens.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { randomUniform } from '../random/random.ts';
import { checkSeed } from '../define/seeds.ts';

export interface SampleTokensOptions {
  /** Logits are divided by it; 0 takes the largest logit. Default 1. */
  temperature?: number;
  /** How many of the largest logits are kept. Default: all. */
  topK?: number | null;
  /** The largest logits are kept until their probabilities add up to it, after `topK`. Default 1: all. */
  topP?: number;
  /** Logits of earlier tokens are divided by it, or multiplied if they are negative. Default 1. */
  repetitionPenalty?: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

const op = 'sampleTokens';

/** Returns how tokens are drawn. Errors: ValueError for options; ShapeError, DTypeError for operands. */
function planSampling(
  logits: TensorSpec,
  previous: TensorSpec | null,
  options: SampleTokensOptions,
): Sampling {
  const { temperature = 1, topK = null, topP = 1, repetitionPenalty = 1 } = options;
  const n = logits.shape.at(-1) ?? 0;
  requireDType(op, 'logits', logits.dtype, ['float32']);
  if (n === 0) {
    throw new ShapeError({
      op,
      rule: '`logits` has one number for each entry of a vocabulary: [..., vocabulary].',
      received: `logits ${formatSpec(logits)}`,
      hint: 'pass the logits of the last position.',
    });
  }
  if (previous) {
    requireDType(op, 'previous', previous.dtype, ['int32']);
    const rows = previous.shape.slice(0, -1);
    if (previous.shape.length === 0 || !sameShape(rows, logits.shape.slice(0, -1))) {
      throw new ShapeError({
        op,
        rule: '`previous` has a list of tokens for each row of `logits`.',
        received: `logits ${formatSpec(logits)}, previous ${formatSpec(previous)}`,
        hint: 'pad shorter lists with -1.',
      });
    }
  }
  const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
  requireOption(
    'temperature',
    temperature,
    isNumber(temperature) && temperature >= 0,
    'a number of at least 0',
  );
  const isCount = topK === null || (Number.isSafeInteger(topK) && topK >= 1);
  requireOption('topK', topK, isCount, 'an integer of at least 1, or null');
  requireOption('topP', topP, isNumber(topP) && topP > 0 && topP <= 1, 'a number above 0, up to 1');
  const isFactor = isNumber(repetitionPenalty) && repetitionPenalty > 0;
  requireOption('repetitionPenalty', repetitionPenalty, isFactor, 'a positive number');
  return { temperature, topK, topP, repetitionPenalty };
}

function requireOption(name: string, value: unknown, isRight: boolean, what: string): void {
  if (isRight) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is ${what}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for the default.',
  });
}

/** A token for each row, by the seed of the row in `noise`. */
const drawn: Op<[logits: Tensor, previous: Tensor | null, noise: Tensor], Sampling> =
  /* @__PURE__ */ defineOp({
    name: op,
    inputs: ['logits', 'previous:int32?', 'noise:int32'],
    infer: ([logits]) => ({ shape: logits.shape.slice(0, -1), dtype: 'int32' }),
    forward: ([logits, previous, noise], { shape }, { options }) =>
      sampleTokensKernel(op, logits, previous, noise, shape, options),
    backward: null,
  });

/**
 * A token drawn from each row of logits, after temperature, repetition penalty, `topK` and `topP`, in this order. Two launches.
 * Shapes: logits [..., vocabulary], float32 → int32 [...]. `previous`, int32 [..., length] or null, has the earlier tokens of each row,
 * padded with -1. Among equal logits at a limit, all are kept. Equal seeds give equal tokens. No gradient.
 * Keskar et al., "CTRL", 2019 (penalty); Holtzman et al., "The curious case of neural text degeneration", 2020 (topP).
 * Errors: ShapeError, DTypeError for tensors that don't fit; ValueError for options.
 */
export const sampleTokens: CompositeOp<[logits: Tensor, previous: Tensor | null], SampleTokensOptions> =
  /* @__PURE__ */ defineComposite({
    name: op,
    acceptsFloat16: false,
    inputs: ['logits', 'previous:int32?'],
    options: { temperature: false, topK: false, topP: false, repetitionPenalty: false, seed: false },
    backward: null,
    compose: ([logits, previous], { seed, ...options }) => {
      const sampling = planSampling(logits, previous, options);
      checkSeed(op, seed);
      const rows = logits.shape.slice(0, -1);
      const noise = randomUniform(rows, { dtype: 'int32', max: 2 ** 31 - 1, seed });
      return drawn(logits, previous, noise, sampling);
    },
  });
