/** @file Biases that are trained without the rest of their layer: `bias` 'all' or 'lora_only' of PEFT. */
import { sizeOf } from '../../../core/shape.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import { readWhole } from '../../../formats/storedTensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { hasAdapters } from '../../adapters/targets.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import { torchParameter } from '../torch/layouts.ts';
import type { AdapterConfig } from './config.ts';
import { misfit } from './misfits.ts';
import type { LayerOfModule, LayersOfModule } from './modules.ts';
import type { OtherWeight } from './fileWeights.ts';

/** The bias of a layer as PyTorch has it; null without one. */
function biasOf(layer: AnyLayer): Variable | null {
  return layer.weights.find((variable) => torchParameter(layer, variable)?.name === 'bias') ?? null;
}

const biasesOf = (placed: readonly LayerOfModule[]) => placed.flatMap(({ layer }) => biasOf(layer) ?? []);

const isAdapted = (layer: AnyLayer) => hasAdapters({ path: '', layer });

/** The biases that a configuration trains. */
export function trainedBiases(
  { bias }: AdapterConfig,
  layers: LayersOfModule,
  adapted: ReadonlySet<AnyLayer>,
): ReadonlySet<Variable> {
  if (bias === 'none') return new Set();
  const all = [...layers.values()].flat();
  return new Set(biasesOf(all.filter(({ layer }) => bias === 'all' || adapted.has(layer))));
}

/** Whether a weight of a file is a bias that is trained by itself, and not of a module that is trained as a whole. */
export function isTrainedBias(
  { bias, modules_to_save: saved }: AdapterConfig,
  { module, parameter }: OtherWeight,
): boolean {
  // Also inside of a module that is trained as a whole.
  const isWhole = (saved ?? []).some((name) => `.${module}.`.includes(`.${name}.`));
  return parameter === 'bias' && bias !== 'none' && !isWhole;
}

/** Returns the biases of the layers that a module is, and their values. Errors: FormatError for another shape. */
export async function biasesFrom(
  { module, stored }: OtherWeight,
  placed: readonly LayerOfModule[],
  file: string,
): Promise<(readonly [Variable, HostTensor])[]> {
  const biases = biasesOf(placed);
  const sizes = biases.map(({ shape }) => sizeOf(shape));
  const length = sizes.reduce((sum, n) => sum + n, 0);
  const isNarrow = biases.some(({ dtype }) => dtype !== 'float32');
  if (isNarrow || stored.shape.length !== 1 || stored.shape[0] !== length || length === 0) {
    const rule = `'${module}.bias' is float32[${length}].`;
    throw misfit(file, rule, `${stored.dtype}[${stored.shape.join(', ')}]${isNarrow ? ' for 16 bits' : ''}`);
  }
  const values = (await readWhole(stored)).data as Float32Array;
  let begin = 0;
  return biases.map((variable, i) => {
    const data = values.slice(begin, begin + (sizes[i] as number));
    begin += data.length;
    return [variable, { shape: variable.shape, dtype: 'float32', data }];
  });
}

/** A module whose biases are trained. */
interface ModuleOfBias {
  readonly module: string;
  readonly placed: readonly LayerOfModule[];
}

/** Returns the modules whose biases are trained, without those that are trained as a whole. */
export function modulesOfBiases(layers: LayersOfModule): ModuleOfBias[] {
  return [...layers].flatMap(([module, placed]) => {
    const isTrained = placed.some(({ layer }) => biasOf(layer)?.trainable && !isWhole(layer));
    return isTrained ? [{ module, placed }] : [];
  });
}

/** The bias of a module, by its name in a file after the prefix. */
export async function biasTensor({ module, placed }: ModuleOfBias): Promise<[string, HostTensor]> {
  const below = placed.some(({ layer }) => isAdapted(layer)) ? '.base_layer' : '';
  const parts = await Promise.all(biasesOf(placed).map((bias) => bias.data()));
  const data = Float32Array.from(parts.flatMap((part) => [...part]));
  return [`${module}${below}.bias`, { shape: [data.length], dtype: 'float32', data }];
}

/** The field `bias` of a configuration. */
export function biasField(modules: readonly ModuleOfBias[]): AdapterConfig['bias'] {
  if (modules.length === 0) return 'none';
  return modules.every(({ placed }) => placed.some(({ layer }) => isAdapted(layer))) ? 'lora_only' : 'all';
}

/** Whether a layer without an adapter trains more than its bias. */
export function isWhole(layer: AnyLayer): boolean {
  if (isAdapted(layer) || layer.sublayers.length > 0) return false;
  const bias = biasOf(layer);
  return layer.trainableWeights.some((weight) => weight !== bias);
}
