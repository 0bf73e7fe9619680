/** @file The page's side of the language Worker. It starts with the first request, or when somebody begins to write. */
import type { FromLanguage, RequestName, Requests, ToLanguage } from './protocol.ts';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export class LanguageClient {
  #worker: Worker | undefined;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** Loads the compiler and the types. A request does it, too. */
  start(): void {
    this.#worker ??= this.#open();
  }

  #open(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'language' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromLanguage>) => this.#settle(data));
    worker.addEventListener('error', (event) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(event.message || 'The compiler did not start.'));
      this.#waiting.clear();
    });
    const types: ToLanguage = { type: 'types', address: new URL('./types.json', document.baseURI).href };
    worker.postMessage(types);
    return worker;
  }

  #settle(message: FromLanguage): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.answer);
  }

  ask<K extends RequestName>(type: K, request: Requests[K]['request']): Promise<Requests[K]['answer']> {
    this.#worker ??= this.#open();
    const id = this.#count++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ type, id, ...request });
    return answer as Promise<Requests[K]['answer']>;
  }
}
