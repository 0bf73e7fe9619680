/**
 * @file What a recording of a step depends on besides its batches, so that a later run can use it: the code of the model, which must be
 * the library's own, and the fields and weights that this code reads.
 */
import { encodePrimitive, identityOf } from '../../autodiff/signature.ts';
import { Variable } from '../../tensor/variable.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import { declarationOf, ownObjects } from '../options/declaration.ts';
import { customObjectOf } from '../serialization/registered.ts';
import type { Compiled } from './compiled.ts';

interface RecordedModel {
  readonly weights: readonly Variable[];
  readonly layersInside: readonly object[];
}

/** Models of the library, which aren't declared with options. */
const models: ReadonlySet<unknown> = new Set(['Functional', 'Sequential']);

/**
 * Returns whether the step runs only code of the library: it computes the same whenever `stateOf` returns the same. Code of an app may
 * read what nothing here knows. `compiled` is null for a step that predicts.
 */
export function isOwnCode(model: RecordedModel, compiled: Compiled | null): boolean {
  const parts = partsOf(model, model.weights, compiled);
  if (!parts.every(isLibrarys)) return false;
  try {
    for (const part of parts) if (part !== model) JSON.stringify(configOf(part), requireLibrarys);
    return true;
  } catch {
    return false;
  }
}

function configOf(part: object): unknown {
  return (part as { getConfig?(): unknown }).getConfig?.();
}

/** What layers have whose steps depend on more than fields and weights: vocabularies, adapters, states of sequences. */
interface Changeable {
  readonly adapt?: unknown;
  readonly adapters?: ReadonlyMap<string, unknown>;
  readonly stateful?: boolean;
}

/** Whether `part` is the library's, with its own methods. */
function isLibrarys(part: object): boolean {
  const { adapt, adapters, stateful } = part as Changeable;
  if (adapt || adapters?.size || stateful) return false;
  const type = part.constructor as { className?: unknown };
  const isModel = Object.hasOwn(type, 'className') && models.has(type.className);
  if (!isModel && !ownObjects.has(part) && declarationOf(type) === null) return false;
  const methods = Object.getPrototypeOf(part) as object;
  return !namesIn(part).some((name) => typeof fieldOf(part, name) === 'function' && name in methods);
}

/** Throws for functions and objects of an app in a configuration, and for names under which an app registered its own. */
function requireLibrarys(_: string, value: unknown): unknown {
  const isForeign =
    typeof value === 'string'
      ? customObjectOf(value) !== null
      : typeof value === 'function' || isInstance(value);
  if (isForeign) throw new TypeError('code of an app');
  return value;
}

function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

/** Returns the fields and variables that a step of the library's code reads, as text that differs if any of them does. */
export function stateOf(model: RecordedModel, compiled: Compiled | null): string {
  const slots = compiled?.optimizer.variables.filter((variable) => variable instanceof Variable) ?? [];
  const { weights } = model;
  const ids = [...weights, ...slots].map(({ id }) => id);
  return `${ids.join()};${partsOf(model, weights, compiled)
    .map((part) => fieldsOf(part))
    .join(';')}`;
}

/** Lists and plain objects are followed this deep: an app may hang a cyclic one on a layer. */
const maxDepth = 4;

function fieldsOf(part: object, depth = 0): string {
  let text = '';
  for (const name of namesIn(part)) text += `${name} ${shown(fieldOf(part, name), depth)},`;
  return text;
}

/** A method that an app assigns to a layer isn't enumerable. */
const namesIn = (part: object) => Object.getOwnPropertyNames(part);
const fieldOf = (part: object, name: string) => (part as Record<string, unknown>)[name];

function shown(value: unknown, depth: number): string | number {
  if (value instanceof Tensor) return value.id;
  if (typeof value === 'function') return identityOf(value);
  if (typeof value !== 'object' || value === null) return encodePrimitive(value);
  if (depth === maxDepth || isInstance(value)) return identityOf(value);
  return Array.isArray(value)
    ? `[${value.map((item) => shown(item, depth + 1)).join()}]`
    : `{${fieldsOf(value, depth + 1)}}`;
}

/** The objects whose methods a step calls. */
function partsOf(model: RecordedModel, weights: readonly Variable[], compiled: Compiled | null): object[] {
  const parts: (object | null | undefined)[] = [model, ...model.layersInside];
  for (const { regularizer, constraint } of weights as readonly Ruled[]) parts.push(regularizer, constraint);
  if (compiled) {
    const { loss, metrics, weightedMetrics } = compiled.options;
    const given = leavesOf([loss, metrics, weightedMetrics] as Nest<unknown>);
    parts.push(compiled.optimizer, compiled.optimizer.schedule, ...(given.filter(isInstance) as object[]));
  }
  return parts.filter((part) => part !== null && part !== undefined);
}

interface Ruled {
  readonly regularizer?: object | null;
  readonly constraint?: object | null;
}
