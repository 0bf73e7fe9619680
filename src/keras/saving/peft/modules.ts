/** @file The modules of a checkpoint that the layers of a model are, by a table from paths of layers to names of modules. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { type PlacedLayer, placedLayers } from '../../adapters/targets.ts';
import type { AnyLayer } from '../../layers/base/layer.ts';

/** A model, as far as needed for its adapters. */
export interface ModelWithLayers {
  readonly name: string;
  readonly layers: readonly unknown[];
  /** @internal */
  readonly sublayers: readonly unknown[];
}

/** Errors: ValueError for anything but a model. */
export function requireModel(op: string, given: unknown): AnyLayer {
  const { sublayers } = (given ?? {}) as Partial<ModelWithLayers>;
  if (Array.isArray(sublayers)) return given as AnyLayer;
  throw new ValueError({
    op,
    rule: 'it takes a model.',
    received: describe(given),
    hint: 'pass the model first: saveAdapter(net, folder), loadAdapter(net, folder).',
  });
}

/** A module that several layers are together, whose outputs come one after the other, such as a fused projection. */
export interface ModulePart {
  readonly module: string;
  /** The position among the layers of the module. */
  readonly part: number;
  /** The module of the logits that a `reversibleEmbedding` gives in reverse: `module` is that of its vectors. */
  readonly reverse?: string;
  /** The name of the module in files of an older version: they are read, and written with `module`. */
  readonly formerly?: string;
}

/**
 * Names of modules by paths of layers, where * stands for the same text on both sides:
 * { 'query_*': 'model.layers.*.self_attn.q_proj' }, or a function of a path.
 */
export type AdapterModules =
  | Readonly<Record<string, string | ModulePart>>
  | ((path: string) => string | ModulePart | undefined);

/** A layer of a module. */
export interface LayerOfModule extends PlacedLayer {
  readonly reverse?: string | undefined;
  readonly formerly?: string | undefined;
}

/** The layers of a module in order. */
export type LayersOfModule = ReadonlyMap<string, readonly LayerOfModule[]>;

/** Returns the layers of each module. Without a table, a module has the layer's path, with dots. Errors: ValueError. */
export function layersByModule(
  op: string,
  model: AnyLayer,
  modules: AdapterModules | undefined,
): LayersOfModule {
  const moduleOf =
    modules === undefined ? withDots : typeof modules === 'function' ? modules : fromTable(op, modules);
  const found = new Map<string, { part: number; placed: LayerOfModule }[]>();
  for (const placed of placedLayers(model)) {
    const named = moduleOf(placed.path);
    if (named === undefined) continue;
    const { module, part, reverse, formerly }: ModulePart =
      typeof named === 'string' ? { module: named, part: 0 } : named;
    const list = found.get(module) ?? [];
    if (list.some((other) => other.part === part)) throw twice(op, module, placed.path);
    found.set(module, [...list, { part, placed: { ...placed, reverse, formerly } }]);
  }
  const inOrder = (list: readonly { part: number; placed: LayerOfModule }[]) =>
    [...list].sort((a, b) => a.part - b.part).map(({ placed }) => placed);
  return new Map([...found].map(([module, list]) => [module, inOrder(list)]));
}

function withDots(path: string): string {
  return path.replaceAll('/', '.');
}

function fromTable(op: string, table: Readonly<Record<string, string | ModulePart>>) {
  const rows = Object.entries(table).map(([pattern, named]) => {
    const { module } = typeof named === 'string' ? { module: named } : named;
    if (typeof module !== 'string') throw notAModule(op, pattern, named);
    return { parts: pattern.split('*'), named };
  });
  return (path: string): string | ModulePart | undefined => {
    for (const { parts, named } of rows) {
      const texts = textsOf(parts, path);
      if (texts === null) continue;
      const filled = (module: string) => fill(module, texts);
      return typeof named === 'string' ? filled(named) : { ...named, module: filled(named.module) };
    }
    return undefined;
  };
}

/** Returns what each * between `parts` stands for in `path`; null if it doesn't fit. Stars stand for as little as possible. */
function textsOf(parts: readonly string[], path: string): string[] | null {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return null;
  let at = first.length;
  const texts: string[] = [];
  for (const [i, part] of others.entries()) {
    const found = i === others.length - 1 ? path.length - part.length : path.indexOf(part, at);
    if (found < at || !path.startsWith(part, found)) return null;
    texts.push(path.slice(at, found));
    at = found + part.length;
  }
  return at === path.length && !texts.some((text) => text.includes('/')) ? texts : null;
}

function fill(module: string, texts: readonly string[]): string {
  return module.split('*').reduce((text, part, i) => `${text}${texts[i - 1] ?? ''}${part}`);
}

function twice(op: string, module: string, path: string): ValueError {
  return new ValueError({
    op,
    rule: '`modules` gives each module one layer, or layers as its parts 0, 1, 2, …',
    received: `'${module}' for '${path}', and for another layer before`,
    hint: 'pass { module, part } for layers that share a module.',
  });
}

function notAModule(op: string, pattern: string, named: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`modules` has the name of a module for each path, or { module, part }.',
    received: `'${pattern}': ${describe(named)}`,
    hint: "pass { 'layer_*/attention/query': 'model.layers.*.self_attn.q_proj' }.",
  });
}
