/** @file The lengths of columns that DoRA trains, as PEFT stores them. */
import { ValueError } from '../../../core/errors.ts';
import type { Shape } from '../../../core/shape.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import type { Adapter } from '../../layers/base/adapterValues.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import type { MatrixKind } from './matrices.ts';
import type { LayerOfModule } from './modules.ts';
import { isTiedEmbedding } from './reverse.ts';

/** The lengths of the columns of a module. Errors: ValueError for those that PEFT has no place for. */
export async function magnitudeOf(
  op: string,
  module: string,
  placed: readonly LayerOfModule[],
  adapterOf: (layer: AnyLayer) => Adapter | null,
): Promise<Float32Array | null> {
  const adapters = placed.map(({ layer }) => adapterOf(layer));
  const variables = adapters.flatMap((adapter) => adapter?.magnitude ?? []);
  if (variables.length === 0) return null;
  const isShared = placed.some(isTiedEmbedding) && !adapters[0]?.isOfLookups;
  if (variables.length < adapters.length || isShared) {
    throw new ValueError({
      op,
      rule: 'an adapter of DoRA for PEFT is one of all layers of a module, and of no vectors that logits have, too.',
      received: `'${module}'`,
      hint: isShared
        ? 'merge it, and save the model.'
        : 'add adapters to all layers of the module, or to none.',
    });
  }
  const parts = await Promise.all(variables.map((variable) => variable.data()));
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** The lengths as a tensor of a file. */
export function magnitudeTensor(
  module: string,
  data: Float32Array,
  kind: MatrixKind,
  window: Shape,
): [string, HostTensor] {
  const { length } = data;
  const shape = kind === 'convolution' ? [1, length, ...window.map(() => 1)] : [length];
  return [`${module}.lora_magnitude_vector`, { shape, dtype: 'float32', data }];
}
