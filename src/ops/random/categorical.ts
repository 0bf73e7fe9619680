/** @file categorical */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { argMax } from '../reductions/argExtrema.ts';
import { add, neg } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { randomUniform } from './random.ts';
import { checkSeed } from '../define/seeds.ts';
import { log } from '../elementwise/unary.ts';

export interface CategoricalOptions {
  /** The number of classes drawn for each vector of logits. */
  numSamples: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

/**
 * Classes drawn with probabilities softmax(logits), int32, without a gradient. Logits needn't be normalized; float32.
 * Shapes: logits [..., classes] → [..., numSamples]. Probabilities are accurate to 2^-24.
 * Source: the Gumbel-max trick.
 * Errors: ShapeError for a scalar or no classes, ValueError for options, DTypeError.
 */
export const categorical: CompositeOp<[logits: Tensor], CategoricalOptions, Tensor, ['numSamples', 'seed']> =
  /* @__PURE__ */ defineComposite({
    name: 'categorical',
    acceptsFloat16: false,
    inputs: ['logits'],
    options: { numSamples: true, seed: true },
    backward: null,
    compose: ([logits], { numSamples, seed }) => {
      const { shape } = logits;
      requireDType('categorical', 'logits', logits.dtype, ['float32']);
      requireInteger('categorical', 'numSamples', numSamples, 0);
      checkSeed('categorical', seed);
      if (shape.length === 0 || shape.at(-1) === 0) {
        throw new ShapeError({
          op: 'categorical',
          rule: '`logits` must have an axis of at least one class.',
          received: `logits ${formatShape(shape)}`,
          hint: 'pass one number for each class.',
        });
      }
      const uniform = randomUniform([...shape.slice(0, -1), numSamples, shape.at(-1) as number], { seed });
      const gumbel = neg(log(neg(log(uniform))));
      return argMax(add(expandDims(logits, { axis: -2 }), gumbel), { axis: -1 });
    },
  });
