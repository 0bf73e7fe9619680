/** @file The optimizer kernels of the catalog. */
import type { Adam8bitStepOptions } from '../../../shaders/adam8bit.ts';
import type { StepOptions } from '../../../shaders/optimizer.ts';
import { type Family, type Variant, entry } from './entry.ts';

const optimizer = (
  variant: string,
  states: readonly string[],
  variants: Record<string, Variant<StepOptions>> = {},
) =>
  entry<StepOptions>(
    {
      variant,
      states,
      gradients: 8,
      packed: true,
      clipping: 'none',
      scaled: false,
      accumulated: false,
      decayed: false,
      averaged: false,
      summed: false,
      workgroup: 64,
      steps: 8,
    },
    variants,
  );

export const optimizerKernels: Family = {
  adadelta: optimizer('plain', ['accumulated_grad', 'accumulated_delta_var']),
  adagrad: optimizer('plain', ['accumulator']),
  adam: optimizer('plain', ['momentum', 'velocity'], {
    'one variable, clipped by norm, decayed': {
      gradients: 1,
      packed: false,
      clipping: 'norm',
      decayed: true,
      workgroup: 256,
      steps: 1,
    },
  }),
  adam8bit: entry<Adam8bitStepOptions>(
    { decayed: true, summed: false },
    { 'of slices': { decayed: false, summed: true } },
  ),
  adamax: optimizer('plain', ['momentum', 'norm']),
  ftrl: optimizer('root', ['accumulator', 'linear']),
  lion: optimizer('plain', ['momentum']),
  nadam: optimizer('plain', ['momentum', 'velocity']),
  rmsprop: optimizer('plain', ['velocity']),
  sgd: optimizer('plain', [], {
    'clipped by value, scaled, averaged': {
      states: ['average', 'gradient_accumulator'],
      clipping: 'value',
      scaled: true,
      averaged: true,
      accumulated: true,
    },
  }),
};
