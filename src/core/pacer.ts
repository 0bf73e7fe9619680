/** @file Pacer: lets other tasks of the page run during long work, and ends the work if its signal is aborted. */

/** Milliseconds between yields: less than a frame at 60 Hz, and much less than a long task (50 ms). */
export const yieldAfter = 10;

export class Pacer {
  #yieldedAt: number;

  constructor(
    private readonly signal?: AbortSignal | null | undefined,
    private readonly now = () => performance.now(),
  ) {
    this.#yieldedAt = now();
  }

  /**
   * Call it between pieces of work, and await the result if there is one: awaiting costs a turn of the event loop. Errors: the
   * signal's reason.
   */
  step(): Promise<void> | null {
    this.signal?.throwIfAborted();
    return this.now() - this.#yieldedAt >= yieldAfter ? this.#yield() : null;
  }

  async #yield(): Promise<void> {
    await yieldTask();
    this.#yieldedAt = this.now();
    this.signal?.throwIfAborted();
  }
}

interface Scheduling {
  scheduler?: { yield?: () => Promise<void> };
  setImmediate?: (callback: () => void) => unknown;
}

/** Resolves in a new task, after pending ones such as input, painting and timers. */
export function yieldTask(): Promise<void> {
  const { scheduler, setImmediate } = globalThis as Scheduling;
  if (scheduler?.yield) return scheduler.yield();
  if (setImmediate) return new Promise((resolve) => void setImmediate(resolve));
  if (typeof MessageChannel === 'undefined') return new Promise((resolve) => setTimeout(resolve));
  // Nested timers are delayed by at least 4 ms.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
