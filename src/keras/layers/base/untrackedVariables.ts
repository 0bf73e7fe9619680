/**
 * @file Finds trainable variables that the call of a layer reads although no layer has them, such as one in a #private field.
 * They would be neither trained nor saved. They only show while a call runs, so calls under a tape are observed: those of a
 * training step until it has updated weights, and in an app's own loop calls 1, 2, 4, 8 and so on of each layer. Bundled apps
 * load this when a layer is first called under a tape, or with training.
 */
import { warnOnce } from '../../../core/warn.ts';
import {
  activeRecorders,
  type RecordedCall,
  type Recorder,
  withRecorders,
} from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import { isOptimized } from '../../updateRecord.ts';
import { currentCall } from './callContext.ts';
import { provideObserver } from './observer.ts';
import type { TrackedLayer } from './tracked.ts';

/** A variable, and the layer in whose call it was read. */
export interface UntrackedVariable {
  readonly variable: Variable;
  readonly reader: TrackedLayer;
  /** The layer that was called, if it has the variable: a layer that is used next to a model; otherwise null. */
  readonly owner: TrackedLayer | null;
  /** Whether it was read by a function of the app (of a Lambda, a loss or a regularizer), which may use variables as in Keras. */
  readonly inFunction: boolean;
  /** Whether it has been assigned since it was read: then the app trains it itself. */
  isAssigned(): boolean;
}

/** Collects the untracked variables of a training step; null outside of steps, where each call is checked separately. */
let collected: Map<Variable, UntrackedVariable> | null = null;
/** How often a layer was called, and how often its losses were computed, outside of training steps. */
const calls = new WeakMap<object, number>();
const computed = new WeakMap<object, number>();

/** Runs `call`, the outermost call of `layer` on `given`, under a tape. Variables among the inputs belong to the caller. */
function observeReads<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T {
  if (collected === null && !isDue(calls, layer)) return call();
  const reads = new VariableReads(() => currentCall()?.layer as TrackedLayer | undefined);
  const recorders = activeRecorders();
  const result = withRecorders([...recorders, reads], call);
  const own = new Set(layer.weights);
  const passed = new Set<unknown>(leavesOf(given as Nest<unknown>));
  const found = reads.found
    .filter(({ variable }) => !passed.has(variable))
    .map((untracked) => ({ ...untracked, owner: own.has(untracked.variable) ? layer : null }));
  if (collected) {
    for (const untracked of found) collected.set(untracked.variable, untracked);
    return result;
  }
  warnBeforeGradients(
    layer,
    found.filter(({ owner }) => owner === null),
  );
  return result;
}

/**
 * Runs `compute`, which computes the losses of `owner`: functions of losses and regularizers may read variables, too. What is
 * read inside the layers that they call doesn't count.
 */
export function observeLosses<T>(owner: TrackedLayer, compute: () => T): T {
  const recorders = activeRecorders();
  if (recorders.length === 0 || (collected === null && !isDue(computed, owner))) return compute();
  const reads = new VariableReads(() => (currentCall() ? undefined : owner));
  const result = withRecorders([...recorders, reads], compute);
  const found = reads.found.map((untracked) => ({ ...untracked, owner: null, inFunction: true }));
  if (collected) {
    for (const untracked of found) collected.set(untracked.variable, untracked);
    return result;
  }
  const own = new Set(owner.weights);
  warnBeforeGradients(
    owner,
    found.filter(({ variable }) => !own.has(variable)),
  );
  return result;
}

/** Which variables an app trains is known only when it asks for their gradients. */
function warnBeforeGradients(layer: TrackedLayer, untracked: readonly UntrackedVariable[]): void {
  if (untracked.length === 0) return;
  for (const recorder of activeRecorders())
    recorder.beforeGradients?.((sources) => warnOfUntrained(layer, untracked, sources));
}

/** Later calls may compute something different from the first. */
function isDue(counts: WeakMap<object, number>, layer: TrackedLayer): boolean {
  const count = (counts.get(layer) ?? 0) + 1;
  counts.set(layer, count);
  return Number.isInteger(Math.log2(count));
}

/** Warns if an app takes gradients of variables, but not of the untracked ones that `layer` computes with. */
function warnOfUntrained(
  layer: TrackedLayer,
  untracked: readonly UntrackedVariable[],
  sources: readonly Tensor[],
): void {
  if (!sources.some((source) => source instanceof Variable)) return;
  const untrained = untracked.filter(
    ({ variable, isAssigned }) => !sources.includes(variable) && !isOptimized(variable) && !isAssigned(),
  );
  if (untrained.length > 0) warnOnce(describeUntracked(layer.name, untrained));
}

/** Runs `step`, and returns the untracked variables of all calls in it, and the variables of all layers that it calls. */
export function untrackedVariablesIn(step: () => void): UntrackedVariable[] {
  const before = collected;
  const own = new Map<Variable, UntrackedVariable>();
  collected = own;
  try {
    step();
  } finally {
    collected = before;
  }
  return [...own.values()];
}

/** Describes the problem and the remedy. */
export function describeUntracked(owner: string, untracked: readonly UntrackedVariable[]): string {
  return (
    `'${owner}' computes with trainable variables that it doesn't have: ${namesOf(untracked)}. They are neither trained nor saved ` +
    `with it. ${untrackedHint}`
  );
}

/** The same for foreign `layers` that a training step of `owner` calls. */
export function describeForeign(owner: string, layers: readonly TrackedLayer[]): string {
  return (
    `a training step of '${owner}' calls trainable layers that it doesn't have: ${layers.join(', ')}. They are neither ` +
    'trained nor saved with it. Keep them in public properties of the model (#private fields are not searched), or set ' +
    'their `trainable` to false.'
  );
}

export const untrackedHint =
  'Create them by addWeight, or keep them in public properties of a layer (#private fields are not searched). One that is not to be trained is made with { trainable: false }.';

export function namesOf(untracked: readonly UntrackedVariable[]): string {
  return untracked.map(({ variable, reader }) => `'${variable.name}', read by ${reader}`).join('; ');
}

/**
 * Records the variables that ops read. It shares the recording number of the outermost tape, so histories are the same as
 * without it.
 */
class VariableReads implements Recorder {
  readonly recording = activeRecorders()[0]?.recording ?? 0;
  readonly #found = new Map<Variable, Omit<UntrackedVariable, 'owner'>>();

  /** `readerOf` returns the layer that is currently reading, if there is one. */
  constructor(private readonly readerOf: () => TrackedLayer | undefined) {}

  get found(): Omit<UntrackedVariable, 'owner'>[] {
    return [...this.#found.values()];
  }

  record({ inputs }: RecordedCall): void {
    for (const input of inputs) {
      if (!(input instanceof Variable && input.trainable) || this.#found.has(input)) continue;
      const reader = this.readerOf();
      // Assigning a variable replaces its origin.
      const { origin } = input;
      if (reader)
        this.#found.set(input, {
          variable: input,
          reader,
          inFunction: reader.callsForeignLayers,
          isAssigned: () => input.origin !== origin,
        });
    }
  }
}

provideObserver({ observeReads, observeLosses });
