/** @file The biases of second matrices (`lora_bias` of PEFT), as PEFT stores them: all modules of an adapter have one, or none has. */
import { ValueError } from '../../../core/errors.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import type { Adapter } from '../../layers/base/adapterValues.ts';
import { kindOf } from './matrices.ts';
import type { LayerOfModule } from './modules.ts';

/** The adapter of a layer of a module, and the number of its outputs. */
export interface AdapterPart {
  readonly adapter: Adapter | null;
  readonly columns: number;
}

/**
 * The bias of a module whose second matrix is scaled by `scale`; zeros in layers without. Errors: ValueError for embeddings and DoRA, which
 * have none in PEFT.
 */
export async function loraBias(
  op: string,
  module: string,
  { layer }: LayerOfModule,
  { parts, scale }: { readonly parts: readonly AdapterPart[]; readonly scale: number },
): Promise<Float32Array> {
  const isDora = parts.some(({ adapter }) => adapter?.magnitude);
  if (isDora || kindOf(layer.className) === 'embedding') {
    throw new ValueError({
      op,
      rule: 'an adapter with biases (`loraBias`) for PEFT is one of kernels alone, without DoRA.',
      received: `'${module}', ${isDora ? 'with DoRA' : 'which is an embedding'}`,
      hint: 'give one of them an adapter of another name, and save it by itself; or merge it, and save the model.',
    });
  }
  const values = await Promise.all(
    parts.map(async ({ adapter, columns }) => {
      if (!adapter?.bias) return new Float32Array(columns);
      const data = (await adapter.bias.data()) as Float32Array;
      return data.map((value) => value * (adapter.scale / scale));
    }),
  );
  return Float32Array.from(values.flatMap((part) => [...part]));
}

/** The bias as a tensor of a file. */
export function loraBiasTensor(module: string, data: Float32Array): [string, HostTensor] {
  return [`${module}.lora_B.bias`, { shape: [data.length], dtype: 'float32', data }];
}
