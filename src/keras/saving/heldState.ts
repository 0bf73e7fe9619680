/** @file HeldState: reads a model as it was when its state was held, whatever it has done in between. */
import type { Variable } from '../../tensor/variable.ts';
import type { HeldParts } from './holdState.ts';

/** Sets a state, and returns what sets the one before again; null where they are the same. */
type Enter = () => (() => void) | null;

export class HeldState {
  readonly #parts: readonly Enter[];

  constructor({ storages, numbers, seeds }: HeldParts) {
    this.#parts = [
      ...[...storages].map(([variable, values]) => entering(variable, values)),
      ...[...numbers].map(([number, value]) => assigning(number, 'value', value)),
      ...[...seeds].map(([sequence, position]) => assigning(sequence, 'position', position)),
    ];
  }

  /** Runs `body`, which begins to read values, with the state that is held. */
  during<T>(body: () => T): T {
    const left = this.#parts.map((enter) => enter());
    try {
      return body();
    } finally {
      for (const leave of left) leave?.();
    }
  }
}

function entering(variable: Variable, values: Variable['current']): Enter {
  return () => {
    if (variable.disposed || variable.current === values) return null;
    const now = variable.current.retain();
    variable.adopt(values.retain());
    return () => {
      variable.adopt(now);
    };
  };
}

function assigning<K extends string, S>(owner: Record<K, S>, name: K, held: S): Enter {
  return () => {
    const now = owner[name];
    if (now === held) return null;
    owner[name] = held;
    return () => {
      owner[name] = now;
    };
  };
}
