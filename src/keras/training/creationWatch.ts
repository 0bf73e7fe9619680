/** @file Warns of a step that creates variables at every call, such as a loss that builds a network inside. */
import { variablesMade } from '../../tensor/variable.ts';

export class CreationWatch {
  /** Whether the last call created variables, as the first call does when it builds layers. */
  #didCreate = false;
  #hasWarned = false;

  constructor(private readonly step: string) {}

  get hasWarned(): boolean {
    return this.#hasWarned;
  }

  /** Runs one call of the step. */
  run<T>(call: () => T): T {
    const before = variablesMade();
    const result = call();
    const after = variablesMade();
    const created = after.count - before.count;
    if (created > 0 && this.#didCreate && !this.#hasWarned) {
      this.#hasWarned = true;
      console.warn(warning(this.step, created, after.bytes - before.bytes));
    }
    this.#didCreate = created > 0;
    return result;
  }
}

function warning(step: string, count: number, bytes: number): string {
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return `retrograd: ${step} creates ${count} variables (${size}) at every call. They are initialized each time, so random weights differ from step to step, and the step can't be replayed. Create the model or layer once, before compile(), and call it in the loss or the step.`;
}
