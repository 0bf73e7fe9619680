/**
 * @file The objects of a model that own weights, by the paths under which Keras 3 saves them: `layers/` and the layer's
 * class in snake case, numbered; below that, the names of properties (`cell`, `forward_layer`).
 */
import type { Variable } from '../../tensor/variable.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { Model } from '../models/model.ts';
import { Sequential } from '../models/sequential.ts';
import { snakeCase } from '../names.ts';

export interface Saveable {
  /** That of the model itself is empty. */
  readonly path: string;
  readonly layer: AnyLayer;
  /** Its own weights, without those of layers inside. */
  readonly variables: readonly Variable[];
}

/** The model and the layers inside it, each once, in Keras's order. */
export function saveablesOf(model: AnyLayer): Saveable[] {
  const found: Saveable[] = [];
  const seen = new Set<unknown>();
  const visit = (layer: AnyLayer, path: string): void => {
    if (seen.has(layer)) return;
    seen.add(layer);
    found.push({ path, layer, variables: ownVariables(layer) });
    for (const [name, child] of childrenOf(layer)) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (child instanceof Layer) visit(child as AnyLayer, inner);
      else visitContainer(child, inner);
    }
  };
  const visitContainer = (container: Iterable<unknown>, path: string): void => {
    if (seen.has(container)) return;
    seen.add(container);
    const names = new Map<string, number>();
    for (const item of container) {
      const inner = item instanceof Layer ? null : containerOf(item);
      if (item instanceof Layer)
        visit(item as AnyLayer, `${path}/${unique(snakeCase(item.className), names)}`);
      else if (inner) visitContainer(inner, `${path}/${unique('container', names)}`);
    }
  };
  visit(model, '');
  return found;
}

function ownVariables(layer: AnyLayer): Variable[] {
  const inside = new Set(layer.sublayers.flatMap(({ weights }) => weights));
  return layer.weights.filter((weight) => !inside.has(weight));
}

/** Layers and containers in properties, by their names in Keras. The layers of a graph come first. */
function childrenOf(layer: AnyLayer): [name: string, child: AnyLayer | Iterable<unknown>][] {
  const graph: [string, Iterable<unknown>][] = isStack(layer) ? [['layers', layer.layers]] : [];
  const properties = Object.entries(layer)
    .map(([key, value]) => [propertyName(key), value] as const)
    .sort(([a], [b]) => compareNames(a, b))
    .flatMap(([name, value]): [string, AnyLayer | Iterable<unknown>][] => {
      const child = value instanceof Layer ? (value as AnyLayer) : containerOf(value);
      return child ? [[name, child]] : [];
    });
  return [...graph, ...properties];
}

function isStack(layer: AnyLayer): layer is AnyLayer & { layers: AnyLayer[] } {
  return layer instanceof Model && (layer.program !== null || (layer as unknown) instanceof Sequential);
}

/** The items of an array, a set, a map or a plain object; null for anything else. */
function containerOf(value: unknown): Iterable<unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return [...value.values()];
  return Object.getPrototypeOf(value) === Object.prototype ? Object.values(value) : null;
}

/** `forwardLayer` → `forward_layer`. */
function propertyName(key: string): string {
  return key.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();
}

/** In order of characters, private names last. */
function compareNames(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => (name.startsWith('_') ? `~${name}` : name)) as [string, string];
  return x < y ? -1 : Number(x > y);
}

/** `dense` at its first use, then `dense_1`, `dense_2`, … */
function unique(name: string, counts: Map<string, number>): string {
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  return count === 0 ? name : `${name}_${count}`;
}
