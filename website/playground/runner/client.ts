/** @file The page's side of the Worker that runs programs. A Worker is kept ready for the next run, so that it starts at once. */
import type { Transpiled } from '../language/protocol.ts';
import type { FromRunner, ToRunner } from './protocol.ts';

export interface RunnerEvents {
  onMessage(message: FromRunner): void;
}

export class RunnerClient {
  #worker: Worker | undefined;
  #isUsed = false;
  readonly #events: RunnerEvents;

  constructor(events: RunnerEvents) {
    this.#events = events;
  }

  run(program: Transpiled): void {
    if (this.#isUsed) this.stop();
    this.prepare();
    this.#isUsed = true;
    this.#send({ type: 'run', ...program });
  }

  /** Loads the library for the next run. */
  prepare(): void {
    this.#worker ??= this.#start();
  }

  /** Ends the running program, even if it is busy. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isUsed = false;
  }

  tell(slot: number, name: string, value: unknown): void {
    this.#send({ type: 'event', slot, name, value });
  }

  #send(message: ToRunner): void {
    this.#worker?.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'program' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromRunner>) => {
      if (worker === this.#worker) this.#events.onMessage(data);
    });
    worker.addEventListener('error', (event) => {
      if (worker !== this.#worker) return;
      const title =
        event.message || 'The program could not be started: this browser needs to support module Workers.';
      this.#events.onMessage({ type: 'failed', fault: { title, text: '', line: null } });
    });
    return worker;
  }
}
