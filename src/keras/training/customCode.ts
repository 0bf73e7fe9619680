/**
 * @file Whether the steps of a model run code of the app. Only then is a recorded step compared with a new trace: the
 * library's own layers, losses and metrics compute the same each time, and a trace of a large model takes a while.
 */
import { leavesOf, type Nest } from '../tensorNest.ts';
import { classOf, registeredNameOf } from '../serialization/registered.ts';
import type { CompileOptions } from './compiled.ts';
import { declarationOf } from '../options/declaration.ts';

export interface CustomizableModel {
  /** Layers inside it, at any depth. */
  readonly layersInside: readonly object[];
}

/** Returns whether `model` has classes or functions of the app, or its losses or metrics are functions. */
export function hasCustomCode(model: CustomizableModel, options: CompileOptions | null): boolean {
  if ([model, ...model.layersInside].some(isCustom)) return true;
  const given = [options?.loss, options?.metrics, options?.weightedMetrics];
  return leavesOf(given as Nest<unknown>).some((leaf) => typeof leaf === 'function');
}

/** The library's classes have their own names and aren't registered. A Lambda runs a function of the app. */
function isCustom(layer: object): boolean {
  const { className } = layer.constructor as { className?: string };
  const isNamed = Object.hasOwn(layer.constructor, 'className') || declarationOf(layer.constructor) !== null;
  return !isNamed || className === 'Lambda' || registeredNameOf(classOf(layer)) !== null;
}
