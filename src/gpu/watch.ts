/**
 * @file Errors that WebGPU tells later than the call that caused them. They are kept, typed and named, until the next
 * readback throws them: nothing fails silently, and nothing reaches the page as an uncaptured error.
 */
import type { RetrogradError } from '../core/errors.ts';

export class ErrorWatch {
  #found: RetrogradError[] = [];
  readonly #open = new Set<Promise<void>>();

  constructor(private readonly device: GPUDevice) {}

  /** Runs `body`; an error of kind `filter` that it causes becomes what `explain` makes of it. */
  during<T>(
    filter: GPUErrorFilter,
    body: () => T,
    explain: (error: GPUError) => RetrogradError | Promise<RetrogradError>,
  ): T {
    this.device.pushErrorScope(filter);
    try {
      return body();
    } finally {
      this.until(
        this.device.popErrorScope().then(async (error) => {
          if (error) this.#found.push(await explain(error));
        }),
      );
    }
  }

  /** Has `settled` wait for `told`. A device that is lost rejects it; its loss is told elsewhere. */
  until(told: Promise<void>): void {
    const watched = told.catch(() => {}).then(() => void this.#open.delete(watched));
    this.#open.add(watched);
  }

  note(...errors: readonly RetrogradError[]): void {
    this.#found.push(...errors);
  }

  /** Resolves once all that was watched up to now has been told. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open]);
  }

  /** The errors told since the last call, in order. */
  take(): RetrogradError[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}
