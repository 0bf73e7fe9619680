/** @file Snapshot: the values of weights at a time, kept on the device. */
import { assignAll } from '../../tensor/assignAll.ts';
import { Variable } from '../../tensor/variable.ts';

export class Snapshot {
  #copies: readonly Variable[] = [];
  #weights: readonly Variable[] = [];

  get empty(): boolean {
    return this.#copies.length === 0;
  }

  /** Keeps the values of `weights` in place of those before. */
  take(weights: readonly Variable[]): void {
    this.dispose();
    this.#weights = [...weights];
    this.#copies = weights.map(copyOf);
  }

  /** Gives the weights their values back. */
  restore(): void {
    assignAll(this.#weights.map((weight, i) => [weight, this.#copies[i] as Variable]));
  }

  dispose(): void {
    for (const copy of this.#copies) copy.dispose();
    this.#copies = [];
    this.#weights = [];
  }
}

/** Values of its own: a captured step overwrites weights in place, and would have to give that up for a shared storage. */
function copyOf(weight: Variable): Variable {
  const copy = new Variable(weight, { name: `copy of ${weight.name}`, trainable: false });
  copy.writableStorage();
  return copy;
}
