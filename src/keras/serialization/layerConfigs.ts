/**
 * @file Layers within configurations: a wrapper's layer, a recurrent layer's cell. Written as `{ className, config }`, and
 * created again from that. This module knows no layers by name: readers of files provide the table of built-in ones, so that
 * an app that wraps one layer doesn't bundle all of them.
 */
import { ValueError } from '../../core/errors.ts';
import { foldName, suggestionFor } from '../../core/suggest.ts';
import { describe } from '../../core/shape.ts';
import type { ClassConfig } from '../namedObjects.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { classOf, customObjectOf, type Registrable, registeredAs, registeredNameOf } from './registered.ts';

/** A class of layers, as far as needed to create one. */
interface LayerClass {
  new (config: object): AnyLayer;
  fromConfig?(config: object): AnyLayer;
}

/** Classes of layers that were serialized in this program; their configurations can be read without a table. */
const written = new Map<string, Registrable>();

/** The layers of existing configurations, for writers that need the layer itself. */
const sources = new WeakMap<ClassConfig, AnyLayer>();

let table: ReadonlyMap<string, Registrable> | null = null;

/** Runs `body` with `classes` as the built-in classes; classes that were only serialized before are not found. */
export function withBuiltIns<T>(classes: ReadonlyMap<string, Registrable>, body: () => T): T {
  const before = table;
  table = classes;
  try {
    return body();
  } finally {
    table = before;
  }
}

/** Returns `{ className, config }` of a layer, from which `deserializeLayer` creates an equal layer. */
export function serializeLayer(layer: AnyLayer): ClassConfig {
  const className = registeredNameOf(classOf(layer)) ?? layer.className;
  written.set(className, classOf(layer));
  const made = { className, config: layer.getConfig() };
  sources.set(made, layer);
  return made;
}

/** Returns the layer from which `serializeLayer` created `config`; null for other objects. */
export function sourceOf(config: object): AnyLayer | null {
  return sources.get(config as ClassConfig) ?? null;
}

/**
 * Returns the layer of `{ className, config }`; a layer is returned as it is. Custom classes must be registered.
 * Errors: ValueError for anything else and for unknown classes; the class's own errors for its configuration.
 */
export function deserializeLayer(given: AnyLayer | ClassConfig): AnyLayer {
  if (given instanceof Layer) return given;
  const { className, config } = (given ?? {}) as Partial<ClassConfig>;
  if (typeof className !== 'string' || (config !== undefined && !isRecord(config))) {
    throw new ValueError({
      op: 'deserializeLayer',
      rule: 'a layer is given as itself, or as { className, config }.',
      received: describe(given),
      hint: "pass a layer: layers.dense({ units: 8 }), or { className: 'Dense', config: { units: 8 } }.",
    });
  }
  const found = layerClass(className) as LayerClass | null;
  if (!found) throw unknownLayer(className, (config as { name?: unknown } | undefined)?.name);
  return found.fromConfig ? found.fromConfig(config ?? {}) : new found(config ?? {});
}

/** Returns the class of layers called `className`: a custom object, built in, or registered. */
export function layerClass(className: string): Registrable | null {
  const builtIn = table ?? written;
  const found =
    customObjectOf(className) ??
    builtIn.get(className) ??
    registeredAs(className) ??
    respelt(className, builtIn);
  return found && isLayerClass(found) ? found : null;
}

/** Returns the class whose name differs only in case or underscores. */
function respelt(name: string, classes: ReadonlyMap<string, Registrable>): Registrable | undefined {
  const wanted = foldName(name);
  return [...classes].find(([known]) => foldName(known) === wanted)?.[1];
}

function isLayerClass(item: Registrable): boolean {
  return item.prototype instanceof Layer;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownLayer(className: string, name: unknown): ValueError {
  return new ValueError({
    op: 'deserializeLayer',
    rule: 'the class of a layer is built in, or registered.',
    received: `className '${className}'${typeof name === 'string' ? ` of layer '${name}'` : ''}`,
    hint: suggestionFor(
      className,
      [...(table ?? written).keys()],
      table
        ? 'make the class known before: registerClass(MyLayer), or pass it in `customObjects`.'
        : 'pass the layer itself, or make its class known before: registerClass(MyLayer).',
    ),
  });
}
