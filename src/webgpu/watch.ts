/**
 * @file Errors that WebGPU tells later than the call that caused them. They are kept, typed and named, until the next
 * readback throws them: nothing fails silently, and nothing reaches the page as an uncaptured error.
 */
import { DeviceError, type RetrogradError } from '../core/errors.ts';
import { joinErrors } from './faults.ts';

/** One watched call, in the order of the calls: the first error is the cause, those after it often its consequences. */
interface Watched {
  errors: readonly RetrogradError[];
  settled: boolean;
}

export class ErrorWatch {
  readonly #watched = new Set<Watched>();
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
      this.until(this.device.popErrorScope().then(async (error) => (error ? [await explain(error)] : [])));
    }
  }

  /** Keeps the errors that `told` brings. A device that is lost rejects it; its loss is told elsewhere. */
  until(told: Promise<readonly RetrogradError[]>): void {
    const watched: Watched = { errors: [], settled: false };
    this.#watched.add(watched);
    const settling = told
      .catch(() => [])
      .then((errors) => {
        Object.assign(watched, { errors, settled: true });
        this.#open.delete(settling);
        if (errors.length === 0) this.#watched.delete(watched);
      });
    this.#open.add(settling);
  }

  /** Resolves once all that was watched up to now has been told. */
  async settled(): Promise<void> {
    await Promise.all([...this.#open]);
  }

  /** Why a readback failed: the device is lost, or had no memory for it. The reason may arrive after the failure. */
  async explain(cause: unknown, lost: () => RetrogradError | null): Promise<RetrogradError> {
    await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 100))]);
    await this.settled();
    return (
      lost() ??
      joinErrors(this.take()) ??
      new DeviceError({
        rule: 'values can be read back as long as the device works.',
        received: cause instanceof Error ? cause.message : String(cause),
        hint: 'read again; where that fails, too, call init() again.',
        cause,
      })
    );
  }

  /** The errors told since the last call, in the order of the calls that caused them. */
  take(): RetrogradError[] {
    const found = [...this.#watched].filter(({ settled }) => settled);
    for (const watched of found) this.#watched.delete(watched);
    return found.flatMap(({ errors }) => errors);
  }
}
