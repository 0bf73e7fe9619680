/** @file Snapshot: a copy of the values of variables, on the device. */
import { assignAll } from './assignAll.ts';
import { Variable } from './variable.ts';

export class Snapshot {
  #copies: readonly Variable[] = [];
  #variables: readonly Variable[] = [];

  get empty(): boolean {
    return this.#copies.length === 0;
  }

  /** Bytes on the device. */
  get bytes(): number {
    return this.#copies.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Copies the values of `variables`, replacing the previous copy. */
  take(variables: readonly Variable[]): void {
    this.dispose();
    this.#variables = [...variables];
    this.#copies = variables.map(copyOf);
  }

  /** Restores the values of the variables. */
  restore(): void {
    assignAll(this.#variables.map((variable, i) => [variable, this.#copies[i] as Variable]));
  }

  dispose(): void {
    for (const copy of this.#copies) copy.dispose();
    this.#copies = [];
    this.#variables = [];
  }
}

/** Copies eagerly: captured steps overwrite weights in place, which a shared buffer would prevent. */
function copyOf(variable: Variable): Variable {
  const copy = new Variable(variable, { name: `copy of ${variable.name}`, trainable: false });
  copy.writableStorage();
  return copy;
}
