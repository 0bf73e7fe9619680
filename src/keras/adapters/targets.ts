/** @file The layers of a model that adapters are for, by names and patterns. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import type { AdaptedLayer } from '../layers/base/adapter.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/**
 * Layers: a name ('query'), the end of a path ('decoder_3/attention/query'), either with * for any characters but slashes, a
 * pattern that is tested on paths, or several of these. A layer stands for the layers inside it, too.
 */
export type LayerTargets = string | RegExp | readonly (string | RegExp)[];

/** A layer inside a model, and the names that lead to it. */
export interface PlacedLayer {
  readonly path: string;
  readonly layer: AnyLayer;
}

/** A layer that may have adapters. */
export interface AdaptableLayer {
  readonly path: string;
  readonly layer: AdaptedLayer;
}

/** Returns the layers inside `model` at any depth, each once. */
export function placedLayers(model: AnyLayer): PlacedLayer[] {
  const found = new Map<AnyLayer, string>();
  const visit = (owner: AnyLayer, prefix: string) => {
    for (const layer of owner.sublayers) {
      if (found.has(layer)) continue;
      const path = prefix + layer.name;
      found.set(layer, path);
      visit(layer, `${path}/`);
    }
  };
  visit(model, '');
  return [...found].map(([layer, path]) => ({ path, layer }));
}

/** Returns whether a layer is of a class with adapters and has a weight for one. */
export function isAdaptable(placed: PlacedLayer): placed is AdaptableLayer {
  return ((placed.layer as Partial<AdaptedLayer>).adaptableShape ?? null) !== null;
}

/** Returns whether a layer has adapters. */
export function hasAdapters(placed: PlacedLayer): placed is AdaptableLayer {
  return ((placed.layer as Partial<AdaptedLayer>).adapters?.size ?? 0) > 0;
}

/** Returns whether `target` means the layer at `path`. */
export function matchesTarget(target: string | RegExp, path: string): boolean {
  if (target instanceof RegExp) return path.search(target) >= 0;
  const [names, wanted] = [path.split('/'), target.split('/')];
  const last = names.slice(-wanted.length);
  return last.length === wanted.length && last.every((name, i) => matchesName(wanted[i] as string, name));
}

/** Returns whether a name fits a pattern with * for any characters. */
function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Returns the layers that each of `targets` means. Errors: ValueError for one that means none. */
export function layersFor(op: string, option: string, model: AnyLayer, targets: LayerTargets): PlacedLayer[] {
  const all = placedLayers(model);
  const list = [targets].flat() as unknown[];
  const found = new Set<PlacedLayer>();
  for (const target of list) {
    const isTarget = (typeof target === 'string' && target !== '') || target instanceof RegExp;
    const matching = isTarget ? all.filter(({ path }) => matchesTarget(target, path)) : [];
    if (matching.length === 0) throw unknownTarget(op, option, target, all);
    for (const each of matching) found.add(each);
  }
  return all.filter((each) => found.has(each));
}

function unknownTarget(op: string, option: string, target: unknown, all: readonly PlacedLayer[]): ValueError {
  const names = [...new Set(all.flatMap(({ path, layer }) => [layer.name, path]))];
  const listed = [...new Set(all.map(({ layer }) => layer.name))];
  const more = listed.length > 12 ? `, and ${listed.length - 12} more` : '';
  return new ValueError({
    op,
    rule: `\`${option}\` has names, ends of paths or patterns of layers inside the model, each of at least one.`,
    received: `${option}: ${describe(target)}`,
    hint: suggestionFor(target, names, `its layers are ${listed.slice(0, 12).join(', ') || 'none'}${more}.`),
  });
}

const attentionNames = ['query', 'value', 'query_dense', 'value_dense', 'q_proj', 'v_proj'];
const denseClasses = ['Dense', 'EinsumDense'];

/** The value of `targets` that means all dense layers, as in PEFT. */
const allLinear = 'all-linear';

/**
 * Returns the layers that get adapters. Without `targets` these are the projections of queries and values, as in KerasHub; in a
 * model without those all dense layers; and without those, all layers that may have an adapter.
 * Errors: ValueError for targets that mean none.
 */
export function adaptableLayers(
  op: string,
  model: AnyLayer,
  targets: LayerTargets | undefined,
): readonly AdaptableLayer[] {
  const adaptable = placedLayers(model).filter(isAdaptable);
  const dense = adaptable.filter(({ layer }) => denseClasses.includes(layer.className));
  const attention = adaptable.filter(({ layer }) => attentionNames.includes(layer.name));
  const usual = [attention, dense, adaptable].find((list) => list.length > 0) ?? [];
  if (targets === undefined || targets === allLinear) {
    const found = targets === undefined ? usual : dense;
    if (found.length > 0) return found;
    throw noneAdaptable(op, 'no layer of such a class that is built', targets ?? 'the default targets');
  }
  const wanted = new Set<AnyLayer>();
  for (const { layer, path } of layersFor(op, 'targets', model, targets)) {
    const inside = new Set<AnyLayer>([layer, ...layer.layersInside]);
    const found = adaptable.filter((each) => inside.has(each.layer));
    if (found.length === 0) throw noneAdaptable(op, `${layer} at '${path}'`, targets);
    for (const each of found) wanted.add(each.layer);
  }
  return adaptable.filter(({ layer }) => wanted.has(layer));
}

function noneAdaptable(op: string, received: string, targets: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'adapters are for dense, einsumDense, embedding, conv1d, conv2d and conv3d, once they are built, without a constraint, and for layers with these inside.',
    received: `${received}, for targets: ${describe(targets)}`,
    hint: 'build the model first, by calling it, or choose other layers.',
  });
}
