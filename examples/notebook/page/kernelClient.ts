/** @file The page's side of the connection to the kernel. */
import type { ToKernel, ToPage } from '../protocol.ts';

export interface KernelEvents {
  onMessage(message: ToPage): void;
  /** The Worker itself ended, or failed to start. */
  onFailure(words: string): void;
}

export class KernelClient {
  #worker: Worker | null = null;
  readonly #events: KernelEvents;

  constructor(events: KernelEvents) {
    this.#events = events;
  }

  /** Ends the running Worker, even if it is busy, and restarts. */
  start(sources: Readonly<Record<string, string>>): void {
    this.#worker?.terminate();
    const worker = new Worker(new URL('../kernel/kernel.ts', import.meta.url), {
      type: 'module',
      name: 'kernel',
    });
    worker.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
      if (worker === this.#worker) this.#events.onMessage(data);
    });
    worker.addEventListener('error', (event) => {
      this.#events.onFailure(event.message || 'The cells could not be started.');
    });
    this.#worker = worker;
    this.send({ type: 'sources', sources });
  }

  send(message: ToKernel): void {
    this.#worker?.postMessage(message);
  }
}
