/**
 * @file Finds trainable variables that the call of a layer reads though no layer has them, such as one in a #private field.
 * They would be neither trained nor saved. Only a running call shows them, so calls under a tape are observed: the first
 * of each layer, and those of a training step until it has updated weights. Bundled apps load this when a layer is first
 * called under a tape, or with training.
 */
import { warnOnce } from '../../../core/warn.ts';
import { activeRecorders, type RecordedCall, type Recorder, withRecorders } from '../../../ops/recorders.ts';
import { Variable } from '../../../tensor/variable.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import { currentCall } from './callContext.ts';
import { provideObserver } from './callObserver.ts';
import type { TrackedLayer } from './tracked.ts';

/** A variable, and the layer in whose call it was read. */
export interface StrayVariable {
  readonly variable: Variable;
  readonly reader: TrackedLayer;
  /** Whether it was assigned since it was read: then it is trained by hand. */
  isAssigned(): boolean;
}

/** Where strays go; null where they are printed. */
let collected: Map<Variable, StrayVariable> | null = null;
const observed = new WeakSet<object>();

/** Runs `call`, the outermost call of `layer` on `given`, under a tape. What the caller passes belongs to the caller. */
function observeReads<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T {
  if (collected === null && observed.has(layer)) return call();
  observed.add(layer);
  const reads = new VariableReads();
  const result = withRecorders([...activeRecorders(), reads], call);
  const known = new Set<unknown>([...layer.weights, ...leavesOf(given as Nest<unknown>)]);
  const strays = reads.found.filter(({ variable }) => !known.has(variable));
  if (collected) for (const stray of strays) collected.set(stray.variable, stray);
  else if (strays.length > 0) warnOnce(describeStrays(layer.name, strays));
  return result;
}

/** Runs `step`, and returns the strays of all calls in it. */
export function strayVariablesIn(step: () => void): StrayVariable[] {
  const before = collected;
  const own = new Map<Variable, StrayVariable>();
  collected = own;
  try {
    step();
  } finally {
    collected = before;
  }
  return [...own.values()];
}

/** What is wrong, and the remedy. */
export function describeStrays(owner: string, strays: readonly StrayVariable[]): string {
  return (
    `'${owner}' computes with trainable variables that it doesn't have: ${namesOf(strays)}. They are neither trained nor saved ` +
    `with it. ${strayHint}`
  );
}

export const strayHint =
  'Create them by addWeight, or keep them in public properties of a layer (#private fields are not searched). One that is not to be trained is made with { trainable: false }.';

export function namesOf(strays: readonly StrayVariable[]): string {
  return strays.map(({ variable, reader }) => `'${variable.name}', read by ${reader}`).join('; ');
}

/** Sees the variables that ops take. It shares the number of the outermost tape, so histories are the same as without it. */
class VariableReads implements Recorder {
  readonly recording = activeRecorders()[0]?.recording ?? 0;
  readonly #found = new Map<Variable, StrayVariable>();

  get found(): StrayVariable[] {
    return [...this.#found.values()];
  }

  record({ inputs }: RecordedCall): void {
    for (const input of inputs) {
      if (!(input instanceof Variable && input.trainable) || this.#found.has(input)) continue;
      const reader = currentCall()?.layer as TrackedLayer | undefined;
      // Assigning a variable replaces its origin.
      const { origin } = input;
      if (reader)
        this.#found.set(input, { variable: input, reader, isAssigned: () => input.origin !== origin });
    }
  }
}

provideObserver(observeReads);
