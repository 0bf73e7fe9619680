/** @file Low-rank adapters of a whole model: added, chosen among, merged and removed. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, requireInteger, requireOneOf } from '../../core/shape.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import type { LoraOptions } from '../layers/base/adapter.ts';
import { defaultAdapter } from '../layers/base/adapterName.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { mergeAdapter, unmergeAdapter } from './mergeAdapter.ts';
import { type TrainedBiases, trainedBiases } from './biases.ts';
import { requireSum } from './requireSum.ts';
import {
  type AdaptableLayer,
  adaptableLayers,
  hasAdapters,
  layersFor,
  type LayerTargets,
  matchesTarget,
  placedLayers,
} from './targets.ts';
import { rememberTrained, restoreTrained, trainOnlyAdapters } from './trainedParts.ts';

/** Options of `model.enableLora`. */
export interface ModelLoraOptions extends LoraOptions {
  /** The rank of the adapters: less than or as large as each side of the matrices that they are added to. */
  rank: number;
  /**
   * The layers that get adapters: names, ends of paths, patterns, or 'all-linear' for all dense layers. A layer such as an attention
   * stands for the layers inside it. Default: the projections of queries and values; in a model without these, all dense layers; and
   * without these, all layers that may have adapters; those with a side smaller than the rank are left out.
   */
  targets?: LayerTargets;
  /** Layers that are trained as a whole, such as a new head. Default: none. */
  alsoTrain?: LayerTargets;
  /**
   * The biases that are trained themselves: 'all' of the layers inside the model, also of normalizations, or those of layers with an
   * adapter, 'loraOnly'. Without the adapter in use the model computes something else then. Default 'none'.
   */
  bias?: TrainedBiases;
  /** Other ranks, by names, ends of paths or patterns (as text, with *) of layers. The last that fits counts. */
  rankPattern?: Readonly<Record<string, number>>;
  /** Other alphas, likewise. */
  alphaPattern?: Readonly<Record<string, number>>;
}

const optionNames: OptionNames<ModelLoraOptions> = {
  rank: false,
  alpha: false,
  targets: false,
  alsoTrain: false,
  bias: false,
  name: false,
  layout: false,
  rankStabilized: false,
  dora: false,
  loraBias: false,
  aInitializer: false,
  bInitializer: false,
  rankPattern: false,
  alphaPattern: false,
};

/** Adds adapters to layers of `model`, and freezes everything else. See `model.enableLora`. */
export function enableLora(model: AnyLayer, options: ModelLoraOptions): void {
  const op = 'enableLora';
  checkOptions(op, options, optionNames);
  const {
    rank,
    targets,
    alsoTrain = [],
    bias = 'none',
    rankPattern = {},
    alphaPattern = {},
    ...settings
  } = options;
  const { alpha = null, name = defaultAdapter } = settings;
  requireInteger(op, 'rank', rank, 1);
  requireOne(op, settings);
  requireOneOf(op, 'bias', bias, ['none', 'all', 'loraOnly'] as const);
  requireName(op, name);
  const found = adaptableLayers(op, model, targets).map((each) => ({
    ...each,
    rank: byPattern(op, 'rankPattern', rankPattern, each.path) ?? rank,
    alpha: byPattern(op, 'alphaPattern', alphaPattern, each.path) ?? alpha,
  }));
  const whole = new Set(layersFor(op, 'alsoTrain', model, alsoTrain).map(({ layer }) => layer));
  const fits = (each: (typeof found)[number]) => each.rank <= smallerSide(each, settings);
  const chosen = targets === undefined && found.some(fits) ? found.filter(fits) : found;
  for (const each of chosen) {
    requireInteger(op, 'rank', each.rank, 1);
    requireNew(op, each, name);
    if (!fits(each)) throw rankTooLarge(op, each, each.rank, smallerSide(each, settings));
  }
  rememberTrained(model);
  for (const each of chosen) each.layer.enableLora(each.rank, { ...settings, alpha: each.alpha });
  for (const { layer } of placedLayers(model).filter(hasAdapters))
    if (!layer.adapters.has(name)) layer.useAdapter(null);
  const adapted = chosen.map(({ layer }) => layer);
  trainOnlyAdapters(model, whole, trainedBiases(model, bias, adapted));
}

/** Returns the names of the adapters of `model`. */
export function adapterNames(model: AnyLayer): string[] {
  return [...new Set(adapted(model).flatMap(({ layer }) => [...layer.adapters.keys()]))];
}

/** Uses another adapter in all layers, or none. See `model.useAdapter`. */
export function useAdapter(model: AnyLayer, name: string | null): void {
  if (name !== null) requireKnown('useAdapter', model, name);
  for (const { layer } of adapted(model))
    layer.useAdapter(name !== null && layer.adapters.has(name) ? name : null);
}

/** Adds the adapters in use to their weights. See `model.mergeLora`. */
export function mergeLora(model: AnyLayer): void {
  const all = requireAdapted('mergeLora', model);
  const fixed = all.find(({ layer }) => layer.adapter && !layer.isMergeable);
  if (fixed) {
    throw new ValueError({
      op: 'mergeLora',
      rule: 'an adapter is merged into a kernel of floats.',
      received: `'${fixed.path}', whose kernel is quantized`,
      hint: 'save the model: its file has the sum, quantized again.',
    });
  }
  for (const { layer } of all) if (layer.adapter) requireSum('mergeLora', layer.adapter);
  for (const each of all) addProduct(each, true);
}

/** Subtracts merged adapters from their weights. See `model.unmergeLora`. */
export function unmergeLora(model: AnyLayer): void {
  for (const each of requireAdapted('unmergeLora', model)) addProduct(each, false);
}

/** Removes an adapter, or all. See `model.removeLora`. */
export function removeLora(model: AnyLayer, name: string | null): void {
  if (name !== null) requireKnown('removeLora', model, name);
  const before = requireAdapted('removeLora', model);
  for (const { layer } of before)
    for (const each of name === null ? [...layer.adapters.keys()] : [name]) layer.removeAdapter(each);
  if (adapted(model).length === 0) restoreTrained(model);
  // The others stay frozen while the model has adapters.
  else for (const { layer } of before) if (layer.adapters.size === 0) layer.trainable = false;
}

function adapted(model: AnyLayer): AdaptableLayer[] {
  return placedLayers(model).filter(hasAdapters);
}

function addProduct({ layer }: AdaptableLayer, isMerged: boolean): void {
  const { adapter } = layer;
  if (!adapter || adapter.isMerged === isMerged) return;
  const assign = isMerged ? mergeAdapter : unmergeAdapter;
  unrecorded(() => tidy(() => assign(layer, adapter)));
  adapter.isMerged = isMerged;
  layer.noteAdapter();
}

/** The smaller side of the matrix that an adapter of the layer is a product for. */
function smallerSide({ layer }: AdaptableLayer, { layout }: LoraOptions): number {
  const [rows, columns] = layer.adapterSides(layout);
  return Math.min(rows, columns);
}

function byPattern(
  op: string,
  option: string,
  patterns: Readonly<Record<string, number>>,
  path: string,
): number | undefined {
  checkOptions(op, patterns, Object.keys(patterns), option);
  return Object.entries(patterns).findLast(([pattern]) => matchesTarget(pattern, path))?.[1];
}

function requireName(op: string, name: unknown): void {
  if (typeof name === 'string' && /^[^/\s]+$/.test(name)) return;
  throw new ValueError({
    op,
    rule: '`name` is the name of an adapter: text without spaces and slashes.',
    received: `name: ${describe(name)}`,
    hint: "leave it out for 'default'.",
  });
}

/** PEFT has no adapters with both. */
function requireOne(op: string, { dora, loraBias }: LoraOptions): void {
  if (!dora || !loraBias) return;
  throw new ValueError({
    op,
    rule: 'an adapter has lengths of columns (`dora`) or a bias (`loraBias`).',
    received: 'dora: true, loraBias: true',
    hint: 'choose one of them.',
  });
}

function requireNew(op: string, { layer, path }: AdaptableLayer, name: string): void {
  const { adapter } = layer;
  if (!layer.adapters.has(name) && !adapter?.isMerged) return;
  throw new ValueError({
    op,
    rule: 'a layer has one adapter of a name, and gets no other while one is merged.',
    received: `'${path}', which has ${adapter?.isMerged ? `'${adapter.name}' merged` : `an adapter '${name}'`}`,
    hint: 'pass another `name`, or call unmergeLora or removeLora first.',
  });
}

function rankTooLarge(op: string, { path, layer }: AdaptableLayer, rank: number, limit: number): ValueError {
  return new ValueError({
    op,
    rule: `the rank is at most the smaller side of each matrix: a larger one adds values and no freedom.`,
    received: `rank: ${rank}, for '${path}' with a kernel of ${describe(layer.adaptableShape)}`,
    hint: `choose a rank up to ${limit}, or other targets.`,
  });
}

function requireAdapted(op: string, model: AnyLayer): AdaptableLayer[] {
  const found = adapted(model);
  if (found.length > 0) return found;
  throw new ValueError({
    op,
    rule: 'it takes a model with adapters.',
    received: `'${model.name}', which has none`,
    hint: 'call model.enableLora({ rank: 8 }) first.',
  });
}

function requireKnown(op: string, model: AnyLayer, name: unknown): void {
  const names = adapterNames(model);
  if (names.includes(name as string)) return;
  throw new ValueError({
    op,
    rule: 'it takes the name of an adapter of the model, or null.',
    received: describe(name),
    hint: `'${model.name}' has ${names.map((each) => `'${each}'`).join(', ') || 'none; call enableLora first'}.`,
  });
}
