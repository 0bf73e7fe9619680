/** @file Snapshot: a copy of the values of weights, on the device. */
import { assignAll } from '../../tensor/assignAll.ts';
import { Variable } from '../../tensor/variable.ts';

export class Snapshot {
  #copies: readonly Variable[] = [];
  #weights: readonly Variable[] = [];

  get empty(): boolean {
    return this.#copies.length === 0;
  }

  /** Copies the values of `weights`, replacing the previous copy. */
  take(weights: readonly Variable[]): void {
    this.dispose();
    this.#weights = [...weights];
    this.#copies = weights.map(copyOf);
  }

  /** Restores the values of the weights. */
  restore(): void {
    assignAll(this.#weights.map((weight, i) => [weight, this.#copies[i] as Variable]));
  }

  dispose(): void {
    for (const copy of this.#copies) copy.dispose();
    this.#copies = [];
    this.#weights = [];
  }
}

/** Copies the buffer at once: captured steps overwrite weights in place, which a shared buffer would prevent. */
function copyOf(weight: Variable): Variable {
  const copy = new Variable(weight, { name: `copy of ${weight.name}`, trainable: false });
  copy.writableStorage();
  return copy;
}
