/** @file Optimizers by name. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { adam } from '../optimizers/index.ts';
import { Optimizer } from '../optimizers/optimizer.ts';

export type OptimizerLike = string | Optimizer;

export function optimizerOf(given: OptimizerLike): Optimizer {
  if (given instanceof Optimizer) return given;
  if (given === 'adam' || given === 'rmsprop') return adam();
  throw new ValueError({ op: 'compile', rule: 'an optimizer.', received: describe(given) });
}
