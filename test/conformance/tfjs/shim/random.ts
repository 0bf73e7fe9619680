/** @file Random draws from other distributions. */
import { Tensor } from '../../../../src/index.ts';
import { defineShim, type Loose, native, rejectUnless, requireRank, toTensor } from './call.ts';
import { seeded } from './creation.ts';

export const multinomial = defineShim(
  'multinomial',
  ['logits'],
  (value, numSamples, seed, normalized = false) => {
    const x = toTensor(value);
    const outcomes = x instanceof Tensor ? (x.shape.at(-1) ?? 0) : 2;
    rejectUnless(outcomes >= 2, `Error in multinomial: you need at least 2 outcomes, but got ${outcomes}.`);
    requireRank(x, [1, 2], `Rank of probabilities must be 1 or 2, but is ${x.rank}`);
    const logits = normalized ? native('log')(x) : x;
    return native('categorical')(logits, { numSamples, ...seeded(seed) });
  },
);

export const randomGamma = defineShim(
  'randomGamma',
  [],
  (shape, alpha, beta = 1, dtype = 'float32', seed?: Loose) => {
    rejectUnless(['float32', 'int32'].includes(dtype ?? 'float32'), `Unsupported data type ${dtype}`);
    const made = native('randomGamma')(shape, { alpha, beta: beta ?? 1, ...seeded(seed) });
    return dtype === 'int32' ? native('cast')(made, 'int32') : made;
  },
);
