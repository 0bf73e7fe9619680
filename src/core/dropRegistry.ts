/**
 * @file Frees what was dropped, like a FinalizationRegistry, but registers objects at the end of the job that made them. V8 keeps what
 * is registered, and all that it refers to, until a full garbage collection, even if it is unregistered at once; and most
 * objects are freed by hand within a job. Finalizers run between jobs only, so that nothing is freed later than otherwise.
 */

/** What an object leaves to be freed. It must not refer to the object. */
export interface Holding {
  /** Whether nothing is left to be freed. */
  isFree: boolean;
  /** Written by the registry only. */
  isRegistered?: boolean;
}

/** Objects that wait at most: a long job shouldn't keep all that it made. */
const maxWaiting = 1024;

export class DropRegistry<H extends Holding> {
  readonly #registry: FinalizationRegistry<H>;
  readonly #waiting: [object, H][] = [];

  /** `free` gets the holding of an object that was dropped. */
  constructor(free: (holding: H) => void) {
    this.#registry = new FinalizationRegistry(free);
  }

  /** Frees `holding` once `object` is dropped, unless it is free by then. */
  watch(object: object, holding: H): void {
    const count = this.#waiting.push([object, holding]);
    if (count === 1) queueMicrotask(() => this.#register());
    if (count === maxWaiting) this.#register();
  }

  /** Notes that `holding` is free. */
  forget(holding: H): void {
    holding.isFree = true;
    if (holding.isRegistered) this.#registry.unregister(holding);
    holding.isRegistered = false;
  }

  #register(): void {
    for (const [object, holding] of this.#waiting.splice(0)) {
      if (holding.isFree || holding.isRegistered) continue;
      holding.isRegistered = true;
      this.#registry.register(object, holding, holding);
    }
  }
}
