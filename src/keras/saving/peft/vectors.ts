/** @file The vectors of adapters that a configuration says modules have: the magnitudes of DoRA, and biases. */
import type { AdapterConfig } from './config.ts';
import type { Pair } from './fileWeights.ts';
import { misfit } from './misfits.ts';

const vectors = [
  { option: 'use_dora', part: 'magnitude', name: 'lora_magnitude_vector' },
  { option: 'lora_bias', part: 'bias', name: 'lora_B.bias' },
] as const;

/** Errors: FormatError unless all modules, or none, have these vectors, as the configuration says. */
export function requireVectors(file: string, config: AdapterConfig, pairs: ReadonlyMap<string, Pair>): void {
  for (const [module, pair] of pairs) {
    for (const { option, part, name } of vectors) {
      const isThere = pair[part] !== null;
      if (isThere === config[option]) continue;
      const received = `${option}: ${config[option]}, and '${module}' ${isThere ? 'with' : 'without'} one`;
      throw misfit(file, `modules have a ${name} exactly if \`${option}\` is true.`, received);
    }
  }
}
