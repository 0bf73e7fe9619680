/** @file Optimizer steps of one large variable. */
import type { Tensor } from 'retrograd';
import { adam8bitKernel, adam8bitShapes } from '../../../src/kernels/optimizers/adam8bit.ts';
import { float32, int32, type Problem } from '../problem.ts';

const rule = { rate: 0.001, momentum_share: 0.1, velocity_share: 0.001, epsilon: 1e-7 } as const;

const adam8bit = [null, 0.004].map((decay): Problem => {
  const size = 2 ** 20;
  const [moments, scales] = adam8bitShapes(size);
  return {
    name: `adam8bit [${size}]${decay === null ? '' : ', decayed'}`,
    family: 'optimizers',
    inputs: [float32(size), int32(...moments), float32(...scales), float32(size)],
    fmas: 0,
    terms: 0,
    run: (...given) => {
      const [value, codes, powers, gradient] = given as [Tensor, Tensor, Tensor, Tensor];
      adam8bitKernel({
        value: value.storage,
        moments: codes.storage,
        scales: powers.storage,
        size,
        gradient,
        squares: null,
        decay,
        step: 1,
        stream: 0,
        rule,
      });
      // What is written in place is bound once.
      return [];
    },
  };
});

export const optimizerProblems: readonly Problem[] = [...adam8bit];
