/**
 * @file Rejects a layer that is called inside the `call` of another one without belonging to it. Nothing would find its
 * weights: they would be neither trained nor saved.
 */
import { ValueError } from '../../../core/errors.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { currentCall } from './callContext.ts';

/** The part of a layer that is used here. */
export interface TrackedLayer {
  readonly name: string;
  readonly layersInside: readonly object[];
  readonly weights: readonly Variable[];
  readonly trainableWeights: readonly Variable[];
  /** Whether its function may call layers that it doesn't own: a Lambda, which reports them itself. */
  readonly callsForeignLayers: boolean;
}

/** The layers known to be inside a layer. Searching its properties at every call would be slow. */
const known = new WeakMap<object, WeakSet<object>>();

/**
 * Checks a layer that is about to be called; `isNew` says that this call built it. A layer belongs to a call if it is
 * inside any of the layers whose calls surround it.
 * Errors: ValueError.
 */
export function requireTracked(layer: TrackedLayer, isNew: boolean): void {
  const context = currentCall();
  if (!context || known.get(context.layer)?.has(layer)) return;
  if (layer.trainableWeights.length === 0) return;
  const owner = context.layer as TrackedLayer;
  if (owner.callsForeignLayers && !isNew) return;
  for (let call: typeof context | null = context; call; call = call.outer) {
    if (call.layer === layer || isInside(call.layer as TrackedLayer, layer)) return;
  }
  throw new ValueError({
    op: String(owner),
    rule: 'a layer called in `call` is a property of the calling layer, where its weights are found, trained and saved.',
    received: `${layer}, ${isNew ? 'built by this call' : 'built before'} and in no public property of ${owner}`,
    hint: 'create it in the constructor or in `build` and keep it in a public property, such as this.inner (#private fields and objects of other classes are not searched). If it is not to be trained, set its `trainable` to false before.',
  });
}

function isInside(owner: TrackedLayer, layer: object): boolean {
  const inside = new WeakSet(owner.layersInside);
  known.set(owner, inside);
  return inside.has(layer);
}
