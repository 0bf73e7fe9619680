/** @file Reads an adapter of PEFT into the layers of a model. */
import { FormatError, ValueError } from '../../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../../core/options.ts';
import { formatShape, sameShape, type Shape, sizeOf } from '../../../core/shape.ts';
import type { ByteSource } from '../../../formats/byteSource.ts';
import { uploadLoaded } from '../../../formats/hostTensor.ts';
import { openSafetensors } from '../../../formats/safetensors/open.ts';
import { readWhole, type StoredTensor } from '../../../formats/storedTensor.ts';
import { type FileSource, openSource, type OpenOptions } from '../../../storage/sources.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { assignAll, type Assignment } from '../../../tensor/assignAll.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { hasAdapters, isAdaptable, placedLayers } from '../../adapters/targets.ts';
import { rememberTrained, trainOnlyAdapters } from '../../adapters/trainedParts.ts';
import type { AdaptedLayer } from '../../layers/base/adapter.ts';
import type { Adapter } from '../../layers/base/adapterValues.ts';
import { defaultAdapter } from '../../layers/base/adapterName.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';
import { type AdapterConfig, checkedConfig, patternValue, readConfig } from './config.ts';
import { trainedBiases } from './biases.ts';
import { keepAdapter } from './keptConfigs.ts';
import { fromFile, fromMatrices, kindOf, type Matrices, type MatrixKind, split } from './matrices.ts';
import { requireVectors } from './vectors.ts';
import { misfit, unknownModule } from './misfits.ts';
import {
  type AdapterModules,
  layersByModule,
  type LayersOfModule,
  type ModelWithLayers,
  requireModel,
} from './modules.ts';
import type { OtherWeight, Pair, PairPart } from './fileWeights.ts';
import { readOtherWeights, type TrainedWhole } from './otherWeights.ts';
import { requireTied, reversesIn } from './reverse.ts';

export interface LoadAdapterOptions extends OpenOptions {
  /** The adapter's name in the model. Default 'default'. */
  readonly name?: string;
  /** Names of modules by paths of layers. Default: the paths of layers, with dots. */
  readonly modules?: AdapterModules;
  /** The configuration, for a file without an adapter_config.json next to it. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Whether weights of other layers that the model doesn't have are an error. Default 'reject'. */
  readonly extra?: 'reject' | 'ignore';
}

const optionNames: OptionNames<LoadAdapterOptions> = {
  name: false,
  modules: false,
  config: false,
  extra: false,
  file: false,
  signal: false,
};

/** An adapter that is about to be added. */
interface NewAdapter {
  readonly layer: AdaptedLayer;
  readonly rank: number;
  readonly alpha: number;
  readonly values: {
    readonly a: Float32Array;
    readonly b: Float32Array;
    readonly magnitude?: Float32Array | undefined;
    readonly bias?: Float32Array | undefined;
  };
}

/**
 * Reads a LoRA adapter of PEFT, adapter_model.safetensors and adapter_config.json, into `model`, which uses it from then on: as
 * `enableLora` with its layers, ranks and values. `source` is a folder, a list of files, or the safetensors file next to its
 * configuration.
 *
 *     await loadAdapter(net, 'adapter', { modules: { 'query_*': 'model.layers.*.self_attn.q_proj' } });
 *
 * Layers of `modules_to_save` get their weights and are trained as a whole. Errors: FormatError for files that are damaged, don't fit
 * the model or hold other kinds of adapters; ValueError for a name that is taken. Nothing changes then.
 */
export async function loadAdapter(
  given: ModelWithLayers,
  source: FileSource,
  options: LoadAdapterOptions = {},
): Promise<void> {
  const op = 'loadAdapter';
  const model = requireModel(op, given);
  checkOptions(op, options, optionNames);
  const { name = defaultAdapter, modules, extra = 'reject' } = options;
  const layers = layersByModule(op, model, modules);
  const opened = await openSource(source, options);
  try {
    const config = await configOf(opened, options);
    const { tensors } = await openSafetensors(opened);
    const { pairs, others } = sorted(tensors, opened.name, formerNames(layers));
    requireVectors(opened.name, config, pairs);
    const reverses = reversesIn(layers);
    const made: NewAdapter[] = [];
    for (const [module, pair] of pairs) {
      const reverse = reverses.get(module);
      if (reverse) await requireTied(opened.name, reverse, pair, pairs.get(reverse.module));
      else made.push(...(await adaptersOf(module, pair, { config, layers, file: opened.name })));
    }
    const read = await readOtherWeights(others, { layers, reverses, config, file: opened.name, extra });
    for (const { layer } of made) requireNew(op, layer, name);
    options.signal?.throwIfAborted();
    const ofLookups = new Set<AnyLayer>();
    for (const { layer } of reverses.values())
      if (layer.tieWeights && config.ensure_weight_tying !== true)
        ofLookups.add(layer as unknown as AnyLayer);
    const biases = trainedBiases(config, layers, new Set(made.map(({ layer }) => layer as AnyLayer)));
    add(model, made, { name, config, ...read, biases, ofLookups, file: opened.name });
    const isVectors = ({ isBase, parameter }: OtherWeight) => isBase && parameter === 'weight';
    const bases = others.filter(isVectors).map(({ module }) => module);
    const isRenamed = [...pairs].some(([module, { formerly }]) => formerly !== module);
    // Names of an older version aren't written again.
    keepAdapter(model, name, { config: isRenamed ? { ...config, target_modules: null } : config, bases });
  } finally {
    await opened.close?.();
  }
}

async function configOf(source: ByteSource, { config }: LoadAdapterOptions): Promise<AdapterConfig> {
  if (config !== undefined) return checkedConfig(config, 'loadAdapter');
  const found = await source.sibling?.('adapter_config.json');
  if (!found) {
    throw new FormatError({
      op: source.name,
      rule: 'an adapter has an adapter_config.json next to its tensors.',
      received: 'a file without others',
      hint: 'pass the folder or both files, or the configuration as `config`.',
    });
  }
  try {
    return readConfig(new TextDecoder().decode(await found.read(0, found.size)), found.name);
  } finally {
    await found.close?.();
  }
}

const prefix = 'base_model.model.';
const ofAdapter = /^(.*)\.lora_(?:((?:embedding_)?[AB])(?:\.weight)?|(magnitude_vector|B\.bias))$/;

/** What the names of biases in a module that is trained as a whole have, if `bias` is 'all', in copies. */
const ofNamedModule = /\.modules_to_save\.[^.]+\./;

/** The tensors of a module, by what their names have after `lora_`. */
const parts: Readonly<Record<string, PairPart>> = {
  A: 'a',
  embedding_A: 'a',
  B: 'b',
  embedding_B: 'b',
  magnitude_vector: 'magnitude',
  'B.bias': 'bias',
};

/** The modules by the names that they have in older files. */
function formerNames(layers: LayersOfModule): ReadonlyMap<string, string> {
  const named = [...layers].flatMap(([module, [placed]]) =>
    placed?.formerly === undefined ? [] : [[placed.formerly, module] as const],
  );
  return new Map(named);
}

/** Returns the tensors of adapters by modules, and other weights by names of parameters. */
function sorted(
  tensors: ReadonlyMap<string, StoredTensor>,
  file: string,
  renamed: ReadonlyMap<string, string>,
) {
  const pairs = new Map<string, Pair>();
  const others: OtherWeight[] = [];
  for (const [full, stored] of tensors) {
    const name = full.startsWith(prefix) ? full.slice(prefix.length) : full;
    const [, formerly, matrix, vector] = ofAdapter.exec(name) ?? [];
    // Copies of what modules_to_save replaces have no effect.
    if (name.includes('.original_module.')) continue;
    if (ofNamedModule.test(full) && tensors.has(full.replace(ofNamedModule, '.'))) continue;
    if (formerly === undefined) {
      const plain = name.replace('.modules_to_save.', '.').replace('.base_layer.', '.');
      const dot = plain.lastIndexOf('.');
      const isBase = name.includes('.base_layer.');
      const named = plain.slice(0, dot);
      others.push({ module: renamed.get(named) ?? named, parameter: plain.slice(dot + 1), stored, isBase });
      continue;
    }
    const module = renamed.get(formerly) ?? formerly;
    const pair = pairs.get(module) ?? { formerly, a: null, b: null, magnitude: null, bias: null };
    pair[parts[matrix ?? vector ?? ''] as PairPart] = stored;
    pairs.set(module, pair);
  }
  if (pairs.size > 0) return { pairs, others };
  const received = `${tensors.size} other tensors`;
  throw misfit(file, 'the file has lora_A and lora_B of at least one module.', received);
}

async function adaptersOf(
  module: string,
  { formerly, a, b, magnitude, bias }: Pair,
  {
    config,
    layers,
    file,
  }: {
    config: AdapterConfig;
    layers: ReadonlyMap<string, readonly { layer: AnyLayer; path: string }[]>;
    file: string;
  },
): Promise<NewAdapter[]> {
  const placed = layers.get(module);
  if (!placed) throw unknownModule(file, module, [...layers.keys()]);
  if (!a || !b)
    throw misfit(file, 'each module has both matrices.', `'${module}' without lora_${a ? 'B' : 'A'}`);
  const adaptable = placed.filter(isAdaptable).map(({ layer }) => layer);
  const [first] = adaptable;
  if (!first || adaptable.length < placed.length)
    throw misfit(file, `'${module}' is a layer that may have an adapter.`, `${placed[0]?.layer}`);
  const kind = kindOf(first.className);
  const sides = adaptable.map((layer) => layer.adapterSides('peft'));
  const window = kind === 'convolution' ? (first.adaptableShape as Shape).slice(0, -2) : [];
  const columns = sides.map(([, count]) => count);
  const rank = a.shape[0] ?? 0;
  const wanted = expectedShapes(kind, window, { rank, rows: sides[0]?.[0] ?? 0, columns });
  const given = { lora_A: a, lora_B: b, lora_magnitude_vector: magnitude, 'lora_B.bias': bias };
  requireShapes(file, module, given, wanted);
  const said = patternValue(config.rank_pattern, formerly, config.r);
  if (said !== rank)
    throw misfit(
      file,
      `the matrices of '${module}' have the rank that its configuration says.`,
      `${rank}, not ${said}`,
    );
  requireSingle(file, module, adaptable);
  const whole = fromFile(await readWhole(a), await readWhole(b), kind, window);
  const lengths = magnitude && ((await readWhole(magnitude)).data as Float32Array);
  const added = bias && ((await readWhole(bias)).data as Float32Array);
  const begins = columns.map((_, i) => columns.slice(0, i).reduce((sum, n) => sum + n, 0));
  const alpha = patternValue(config.alpha_pattern, formerly, config.lora_alpha);
  return split(whole, columns).map((part: Matrices, i) => {
    const ofPart = (vector: Float32Array | null) =>
      vector?.slice(begins[i], (begins[i] as number) + part.columns);
    return {
      layer: adaptable[i] as AdaptedLayer,
      rank,
      alpha,
      values: {
        ...(fromMatrices(part) as { a: Float32Array; b: Float32Array }),
        magnitude: ofPart(lengths),
        bias: ofPart(added),
      },
    };
  });
}

function expectedShapes(
  kind: MatrixKind,
  window: Shape,
  { rank, rows, columns }: { rank: number; rows: number; columns: readonly number[] },
): readonly [a: Shape, b: Shape, magnitude: Shape, bias: Shape] {
  const outputs = columns.reduce((sum, n) => sum + n, 0);
  if (kind !== 'convolution') return [[rank, rows], [outputs, rank], [outputs], [outputs]];
  return [
    [rank, rows / sizeOf(window), ...window],
    [outputs, rank, ...window.map(() => 1)],
    [1, outputs, ...window.map(() => 1)],
    [outputs],
  ];
}

function requireShapes(
  file: string,
  module: string,
  tensors: Readonly<Record<string, StoredTensor | null>>,
  wanted: readonly Shape[],
): void {
  for (const [i, [name, stored]] of Object.entries(tensors).entries()) {
    if (!stored) continue;
    const isFloat = stored.dtype === 'float32';
    if (isFloat && sameShape(stored.shape, wanted[i] as Shape) && (wanted[0]?.[0] ?? 0) > 0) continue;
    const rule = `${name} of '${module}' is float32${formatShape(wanted[i] as Shape)}, as its layer needs.`;
    throw misfit(file, rule, `${stored.dtype}${formatShape(stored.shape)}`);
  }
}

/** A module of several layers has one matrix for the inputs of all. */
function requireSingle(file: string, module: string, layers: readonly AdaptedLayer[]): void {
  const rows = new Set(layers.map((layer) => layer.adapterSides('peft')[0]));
  const groups = layers.some((layer) => ((layer as { groups?: number }).groups ?? 1) > 1);
  if (rows.size === 1 && !groups) return;
  const rule = `'${module}' is a layer without groups, or layers with the same inputs.`;
  throw misfit(file, rule, layers.map(String).join(', '));
}

function add(
  model: AnyLayer,
  made: readonly NewAdapter[],
  given: TrainedWhole & {
    readonly name: string;
    readonly config: AdapterConfig;
    readonly biases: ReadonlySet<Variable>;
    readonly ofLookups: ReadonlySet<AnyLayer>;
    readonly file: string;
  },
): void {
  const { name, config, whole, assigned, biases, ofLookups, file } = given;
  rememberTrained(model);
  for (const { layer, rank, alpha } of made)
    layer.enableLora(rank, {
      name,
      alpha,
      layout: 'peft',
      rankStabilized: config.use_rslora,
      aInitializer: 'zeros',
      dora: config.use_dora,
      loraBias: config.lora_bias,
    });
  for (const { layer } of made) {
    const adapter = layer.adapters.get(name);
    if (adapter && ofLookups.has(layer as AnyLayer)) adapter.isOfLookups = true;
  }
  unrecorded(() =>
    tidy(() => {
      const host = (variable: Variable, data: Float32Array) =>
        [variable, { shape: variable.shape, dtype: 'float32', data }] as const;
      const values = made.flatMap(({ layer, values: { a, b, magnitude, bias } }) => {
        const adapter = layer.adapters.get(name) as Adapter;
        const lengths = magnitude ? [host(adapter.magnitude as Variable, magnitude)] : [];
        const added = bias ? [host(adapter.bias as Variable, bias)] : [];
        return [host(adapter.a, a), host(adapter.b, b), ...lengths, ...added];
      });
      const all = [...values, ...assigned];
      assignAll(all.map(([variable, value]): Assignment => [variable, uploadLoaded(value, file)]));
    }),
  );
  for (const { layer } of placedLayers(model).filter(hasAdapters))
    if (!layer.adapters.has(name)) layer.useAdapter(null);
  trainOnlyAdapters(model, whole, biases);
  // Vectors and logits are trained each by itself.
  const isAssigned = new Set(assigned.map(([variable]) => variable));
  for (const layer of whole)
    if (layer.className === 'ReversibleEmbedding')
      for (const weight of layer.weights) if (!isAssigned.has(weight)) weight.trainable = false;
}

function requireNew(op: string, layer: AdaptedLayer, name: string): void {
  if (!layer.adapters.has(name) && !layer.adapter?.isMerged) return;
  throw new ValueError({
    op,
    rule: 'a layer has one adapter of a name, and gets no other while one is merged.',
    received: `'${name}' for ${layer}`,
    hint: 'pass another `name`, or call unmergeLora or removeLora first.',
  });
}
