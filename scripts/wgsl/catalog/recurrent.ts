/** @file The recurrent kernels of the catalog. */
import type {
  StepOptions as RecurrentOptions,
  StepGradientOptions as RecurrentGradientOptions,
} from '../../../shaders/recurrent.ts';
import { type Family, entry } from './entry.ts';

const recurrent: RecurrentOptions = {
  mask: false,
  stateMatMul: 'separate',
  bias: false,
  width: 1,
  samples: 1,
};

const recurrentGradient: RecurrentGradientOptions = {
  mask: false,
  stateMatMul: 'separate',
  dh: true,
  dc: false,
  width: 1,
  samples: 1,
};

const recurrentVariants = {
  'inline matmul, mask, bias': { stateMatMul: 'inline', mask: true, bias: true },
  'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
} as const;

export const recurrentKernels: Family = {
  lstmStep: entry<RecurrentOptions>(recurrent, recurrentVariants),
  lstmStepGradient: entry<RecurrentGradientOptions>(recurrentGradient, {
    'inline matmul, mask': { stateMatMul: 'inline', mask: true, dc: true },
    'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
  }),
  gruStep: entry<RecurrentOptions>(recurrent, recurrentVariants),
  gruStepGradient: entry<RecurrentGradientOptions>(recurrentGradient, {
    'inline matmul, mask': { stateMatMul: 'inline', mask: true },
    'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
  }),
};
