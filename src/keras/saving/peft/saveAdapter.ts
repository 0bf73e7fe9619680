/** @file Writes an adapter of a model as PEFT does: adapter_model.safetensors and adapter_config.json. */
import { ValueError } from '../../../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../../../core/options.ts';
import { describe, type Shape } from '../../../core/shape.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';
import { writeSafetensors } from '../../../formats/safetensors/index.ts';
import { folderOf, type SaveFolder } from '../../../storage/folderTargets.ts';
import { hasAdapters, placedLayers } from '../../adapters/targets.ts';
import type { AdaptedLayer } from '../../layers/base/adapter.ts';
import { type Adapter, variablesOf } from '../../layers/base/adapterValues.ts';
import { defaultAdapter } from '../../layers/base/adapterName.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import type { ReversibleEmbedding } from '../../layers/core/reversibleEmbedding.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { torchParameter } from '../torch/layouts.ts';
import { type AdapterConfig, patternValue, usualFields, writeConfig } from './config.ts';
import { keptAdapter } from './keptConfigs.ts';
import {
  joined,
  kindOf,
  parameterNames,
  permuted,
  type ScaledMatrices,
  toFile,
  toMatrices,
} from './matrices.ts';
import { biasField, biasTensor, isWhole, modulesOfBiases } from './biases.ts';
import { loraBias, loraBiasTensor } from './loraBiases.ts';
import { magnitudeOf, magnitudeTensor } from './magnitudes.ts';
import { embeddingsIn, isTiedEmbedding, reversesIn, vectorsOf } from './reverse.ts';
import {
  type AdapterModules,
  type LayerOfModule,
  layersByModule,
  type LayersOfModule,
  type ModelWithLayers,
  requireModel,
} from './modules.ts';

export interface SaveAdapterOptions {
  /** The adapter. Default 'default'. */
  readonly name?: string;
  /** Names of modules by paths of layers. Default: the paths of layers, with dots. */
  readonly modules?: AdapterModules;
  /** Further fields of adapter_config.json, such as base_model_name_or_path, task_type, or fan_in_fan_out: true for GPT-2. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const optionNames: OptionNames<SaveAdapterOptions> = { name: false, modules: false, config: false };

/** The adapter of a module. */
interface WrittenModule {
  readonly module: string;
  readonly matrices: ScaledMatrices;
  readonly layers: readonly AnyLayer[];
  readonly isRankStabilized: boolean;
  /** The lengths of columns of DoRA; null for a plain adapter. */
  readonly magnitude: Float32Array | null;
  /** The bias of the second matrix; null for one without. */
  readonly bias: Float32Array | null;
  /** The module of logits that have the adapter, too. */
  readonly reverse: string | undefined;
}

/**
 * Writes an adapter as a folder that PEFT reads: `PeftModel.from_pretrained(base, folder)`. Layers that are trained as a whole become
 * its `modules_to_save`. An adapter that `loadAdapter` has read is written with the same bits.
 *
 *     await saveAdapter(net, 'adapter', { modules, config: { base_model_name_or_path: 'gpt2', task_type: 'CAUSAL_LM' } });
 *
 * Errors: ValueError for a model without that adapter, and for layers that `modules` doesn't name.
 */
export async function saveAdapter(
  given: ModelWithLayers,
  target: SaveFolder,
  options: SaveAdapterOptions = {},
): Promise<void> {
  const op = 'saveAdapter';
  const model = requireModel(op, given);
  checkOptions(op, options, optionNames);
  const { name = defaultAdapter, modules, config: fields = {} } = options;
  if (!isPlainObject(fields)) throw notFields(op, fields);
  const folder = folderOf(target);
  const layers = layersByModule(op, model, modules);
  requireAdapter(op, model, name, layers);
  const adapted = [...layers].filter(([, placed]) => placed.some(({ layer }) => adapterOf(layer, name)));
  const isBiased = adapted.some(([, placed]) => placed.some(({ layer }) => adapterOf(layer, name)?.bias));
  const written = await Promise.all(
    adapted.map(([module, placed]) => writtenModule(op, module, placed, { name, isBiased })),
  );
  const saved = await wholeLayers(layers);
  const biases = modulesOfBiases(layers);
  const values = await Promise.all(biases.map(biasTensor));
  const known = keptAdapter(model, name);
  const bases = await baseVectors(known?.bases ?? [], layers);
  const isTied = [...written, ...saved].some(({ reverse }) => reverse !== undefined);
  const tensors = new Map([
    ...written.flatMap(tensorsOf),
    ...bases,
    ...saved.flatMap(({ tensors }) => tensors),
    ...values.map(([module, value]) => [`${prefix}${module}`, value] as const),
  ]);
  const inOrder = new Map([...tensors].sort(([a], [b]) => (a < b ? -1 : 1)));
  const config = configFor(written, layers, {
    ...usualFields,
    ...known?.config,
    ...(saved.length > 0 && { modules_to_save: saved.flatMap(({ names }) => names) }),
    ...(isTied && { ensure_weight_tying: true }),
    use_dora: written.some(({ magnitude }) => magnitude !== null),
    lora_bias: isBiased,
    bias: biasField(biases),
    ...fields,
  });
  await folder.writeFile({
    name: 'adapter_model.safetensors',
    pieces: once(writeSafetensors(inOrder, { format: 'pt' })),
  });
  const text = new TextEncoder().encode(writeConfig(config));
  await folder.writeFile({ name: 'adapter_config.json', pieces: once(text) });
}

async function* once(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield bytes;
}

function adapterOf(layer: AnyLayer, name: string): Adapter | null {
  return (layer as Partial<AdaptedLayer>).adapters?.get(name) ?? null;
}

async function writtenModule(
  op: string,
  module: string,
  placed: readonly LayerOfModule[],
  { name, isBiased }: { readonly name: string; readonly isBiased: boolean },
): Promise<WrittenModule> {
  const layers = placed.map(({ layer }) => layer);
  const [first] = placed;
  const hasBoth = first && isTiedEmbedding(first) && !adapterOf(first.layer, name)?.isOfLookups;
  const parts = await Promise.all(layers.map((layer) => matricesOf(op, layer as AdaptedLayer, name)));
  const isRankStabilized = layers.some((layer) => adapterOf(layer, name)?.rankStabilized);
  const magnitude = await magnitudeOf(op, module, placed, (layer) => adapterOf(layer, name));
  const matrices = parts.length > 1 ? joined(parts) : (parts[0] as ScaledMatrices);
  const adapters = parts.map(({ columns }, i) => ({
    adapter: adapterOf(layers[i] as AnyLayer, name),
    columns,
  }));
  const added = { parts: adapters, scale: matrices.scale };
  return {
    module,
    layers,
    isRankStabilized,
    magnitude,
    bias: isBiased ? await loraBias(op, module, first as LayerOfModule, added) : null,
    reverse: hasBoth ? first.reverse : undefined,
    matrices,
  };
}

async function matricesOf(op: string, layer: AdaptedLayer, name: string): Promise<ScaledMatrices> {
  const [rows, columns] = layer.adapterSides('peft');
  const adapter = adapterOf(layer, name);
  if (!adapter) {
    const none = new Float32Array();
    return { rank: 0, rows, columns, scale: 0, a: none, b: none };
  }
  if (((layer as { groups?: number }).groups ?? 1) > 1) throw grouped(op, layer);
  const [a, b] = (await Promise.all([adapter.a.data(), adapter.b.data()])) as [Float32Array, Float32Array];
  return { ...toMatrices({ a, b, rank: adapter.rank, rows, columns }), scale: adapter.scale };
}

const prefix = 'base_model.model.';

function tensorsOf({
  module,
  matrices,
  layers,
  magnitude,
  bias,
  reverse,
}: WrittenModule): [string, HostTensor][] {
  const layer = layers[0] as AdaptedLayer;
  const kind = kindOf(layer.className);
  const window = kind === 'convolution' ? (layer.adaptableShape as Shape).slice(0, -2) : [];
  const [a, b] = toFile(matrices, kind, window);
  const [nameOfA, nameOfB] = parameterNames[kind];
  return [
    [`${prefix}${module}${nameOfA}`, a],
    [`${prefix}${module}${nameOfB}`, b],
    ...(magnitude ? [magnitudeTensor(`${prefix}${module}`, magnitude, kind, window)] : []),
    ...(bias ? [loraBiasTensor(`${prefix}${module}`, bias)] : []),
    // Logits multiply by the transposed matrices.
    ...(reverse === undefined
      ? []
      : ([
          [`${prefix}${reverse}.lora_A.weight`, transposed(b)],
          [`${prefix}${reverse}.lora_B.weight`, transposed(a)],
        ] as [string, HostTensor][])),
  ];
}

function transposed({ data, shape }: HostTensor): HostTensor {
  const values = permuted(data as Float32Array, shape, [1, 0]);
  return { shape: [...shape].reverse(), dtype: 'float32', data: values };
}

/** The vectors of embeddings, or of logits that have the same, by their names below an adapter. */
async function baseVectors(
  modules: readonly string[],
  layers: LayersOfModule,
): Promise<[string, HostTensor][]> {
  const reverses = reversesIn(layers);
  const made = modules.map(async (module): Promise<[string, HostTensor][]> => {
    const layer = reverses.get(module)?.layer ?? layers.get(module)?.[0]?.layer;
    const embeddings = layer ? embeddingsIn(layer as AnyLayer) : null;
    return embeddings ? [[`${prefix}${module}.base_layer.weight`, await vectorsOf(embeddings)]] : [];
  });
  return (await Promise.all(made)).flat();
}

/** A layer that is trained as a whole. */
interface WholeLayer {
  /** Its modules. */
  readonly names: readonly string[];
  readonly tensors: readonly (readonly [string, HostTensor])[];
  /** The module of logits that have the same weights. */
  readonly reverse: string | undefined;
}

/** Returns the layers that are trained as a whole, with their weights. */
async function wholeLayers(layers: LayersOfModule) {
  const whole = [...layers].flatMap(([module, [placed]]) => {
    return placed && isWhole(placed.layer) ? [{ module, placed }] : [];
  });
  return Promise.all(
    whole.map(async ({ module, placed }): Promise<WholeLayer> => {
      const { layer, reverse } = placed;
      if (reverse !== undefined) return wholeEmbedding(module, reverse, layer as never);
      return { names: [module], tensors: await parametersOf(module, layer), reverse };
    }),
  );
}

/** The vectors of tokens, and the matrix of logits: each of them if it is trained, or both if they are one. */
async function wholeEmbedding(
  module: string,
  reverse: string,
  layer: ReversibleEmbedding,
): Promise<WholeLayer> {
  const { embeddings, reverseEmbeddings, tieWeights } = layer;
  const tensors: [string, HostTensor][] = [];
  const vectors = embeddings as Variable;
  if (vectors.trainable) tensors.push([module, await vectorsOf(vectors)]);
  if (tieWeights) tensors.push([reverse, await vectorsOf(vectors)]);
  else if (reverseEmbeddings?.trainable)
    tensors.push([reverse, transposed(await vectorsOf(reverseEmbeddings))]);
  const named = tensors.map(([name, value]) => [`${prefix}${name}.weight`, value] as const);
  return { names: tensors.map(([name]) => name), tensors: named, reverse: tieWeights ? reverse : undefined };
}

async function parametersOf(module: string, layer: AnyLayer): Promise<[string, HostTensor][]> {
  const made = layer.weights.map(async (variable): Promise<[string, HostTensor][]> => {
    const parameter = torchParameter(layer, variable);
    if (!parameter) return [];
    const data = (await variable.data()) as Float32Array;
    const { layout, shape, name } = parameter;
    // The layout leads from the file's order to the weight's.
    const inverse = layout?.from.map((_, axis) => layout.perm.indexOf(axis));
    const sizes = layout ? layout.perm.map((axis) => layout.from[axis] as number) : [];
    const values = inverse ? permuted(data, sizes, inverse) : data;
    return [[`${prefix}${module}.${name}`, { shape, dtype: 'float32', data: values }]];
  });
  return (await Promise.all(made)).flat();
}

/** Returns the configuration with the ranks, the scales and the modules that were written. */
function configFor(
  written: readonly WrittenModule[],
  layers: LayersOfModule,
  fields: AdapterConfig,
): AdapterConfig {
  const isStabilized = written.some((each) => each.isRankStabilized);
  const measured = written.flatMap(({ module, reverse, matrices: { rank, scale } }) =>
    [module, ...(reverse === undefined ? [] : [reverse])].map((name) => ({
      module: name,
      rank,
      alpha: exact(scale * (isStabilized ? Math.sqrt(rank) : rank)),
    })),
  );
  const r = mostCommon(measured.map(({ rank }) => rank));
  const alpha = mostCommon(measured.map((each) => each.alpha));
  const others = (of: 'rank' | 'alpha', usual: number) =>
    Object.fromEntries(measured.filter((each) => each[of] !== usual).map((each) => [each.module, each[of]]));
  const config: AdapterConfig = {
    ...fields,
    r,
    lora_alpha: alpha,
    use_rslora: isStabilized,
    rank_pattern: others('rank', r),
    alpha_pattern: others('alpha', alpha),
    target_modules: targetsOf(written, layers),
  };
  return asBefore(config, fields, written);
}

/** Keeps the fields of a configuration that was read, where they say the same: patterns may be written in other ways. */
function asBefore(
  config: AdapterConfig,
  before: AdapterConfig,
  written: readonly WrittenModule[],
): AdapterConfig {
  if (before.target_modules === null) return config;
  const { r, lora_alpha, use_rslora, rank_pattern, alpha_pattern, target_modules } = before;
  const kept = { ...config, r, lora_alpha, use_rslora, rank_pattern, alpha_pattern, target_modules };
  const scaleIn = (of: AdapterConfig, module: string, rank: number) =>
    patternValue(of.alpha_pattern, module, of.lora_alpha) / (of.use_rslora ? Math.sqrt(rank) : rank);
  const isSame = written.every(({ module, matrices: { rank, scale } }) => {
    const isRank = patternValue(kept.rank_pattern, module, kept.r) === rank;
    return isRank && Math.abs(scaleIn(kept, module, rank) - scale) <= 1e-12 * Math.abs(scale);
  });
  return isSame ? kept : config;
}

/** An alpha that was divided by the rank and multiplied again. */
function exact(alpha: number): number {
  const rounded = Number(alpha.toPrecision(12));
  return Math.abs(rounded - alpha) <= 1e-12 * Math.abs(alpha) ? rounded : alpha;
}

/** The last names of modules, if no other module has them; otherwise whole names. */
function targetsOf(written: readonly WrittenModule[], layers: LayersOfModule): string[] {
  const names = written.map(({ module }) => module);
  const isWritten = new Set(names);
  const lastName = (module: string) => module.slice(module.lastIndexOf('.') + 1);
  const last = new Set(names.map(lastName));
  const isClear = [...layers.keys()].every((module) => isWritten.has(module) || !last.has(lastName(module)));
  return isClear ? [...last].sort() : names.sort();
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

function requireAdapter(op: string, model: AnyLayer, name: string, layers: LayersOfModule): void {
  const all = placedLayers(model);
  const placed = all.filter(hasAdapters);
  const having = placed.filter(({ layer }) => layer.adapters.has(name));
  if (having.length === 0) {
    const names = [...new Set(placed.flatMap(({ layer }) => [...layer.adapters.keys()]))];
    throw new ValueError({
      op,
      rule: 'it writes an adapter of the model.',
      received: describe(name),
      hint: `'${model.name}' has ${names.map((each) => `'${each}'`).join(', ') || 'none; call enableLora first'}.`,
    });
  }
  const named = new Set([...layers.values()].flat().map(({ layer }) => layer));
  const unnamed = all.find(
    ({ layer }) => !named.has(layer) && (adapterOf(layer, name) || trainsItself(layer)),
  );
  if (!unnamed) return;
  throw new ValueError({
    op,
    rule: '`modules` names the module of each layer with the adapter, and of others that are trained.',
    received: `no module for '${unnamed.path}'`,
    hint: `add { '${unnamed.path}': 'name.of.module' }.`,
  });
}

/** Whether a layer trains weights of its own, besides adapters. */
function trainsItself(layer: AnyLayer): boolean {
  const { adapters } = layer as Partial<AdaptedLayer>;
  const others = new Set([
    ...layer.sublayers.flatMap(({ weights }) => weights),
    ...[...(adapters?.values() ?? [])].flatMap(variablesOf),
  ]);
  return layer.trainableWeights.some((weight) => !others.has(weight));
}

function grouped(op: string, layer: AnyLayer): ValueError {
  return new ValueError({
    op,
    rule: 'PEFT has no adapters for convolutions in groups.',
    received: String(layer),
    hint: 'merge it, and save the model.',
  });
}

function notFields(op: string, fields: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`config` has fields of adapter_config.json.',
    received: describe(fields),
    hint: "pass { task_type: 'CAUSAL_LM' }, or leave it out.",
  });
}
