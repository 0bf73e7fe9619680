/**
 * @file Errors that WebGPU reports after the call that caused them. They are kept, typed and named, until the next
 * readback throws them: nothing fails silently, and nothing reaches the page as an uncaptured error.
 */
import { DeviceError, RetrogradError } from '../core/errors.ts';
import { joinErrors } from './faults.ts';

/** One watched call, in the order of the calls: the first error is the cause, those after it often its consequences. */
interface Watched {
  errors: readonly RetrogradError[];
  settled: boolean;
}

export class ErrorWatch {
  /** In the order of the calls, each with what resolves once it is settled; null where it is. */
  readonly #watched = new Map<Watched, Promise<void> | null>();
  /** Submissions that may name a buffer without memory, from the first to the last, with the error of the buffer. */
  readonly #doomed: { readonly first: number; readonly last: number; readonly error: RetrogradError }[] = [];

  constructor(private readonly device: GPUDevice) {}

  /**
   * Runs `body`; an error of kind `filter` that it causes becomes what `explain` makes of it. Null says that the error
   * follows from an earlier one, which is reported. Without an error, `passed` is called.
   */
  during<T>(
    filter: GPUErrorFilter,
    body: () => T,
    explain: (error: GPUError) => RetrogradError | null | Promise<RetrogradError>,
    passed?: () => void,
  ): T {
    this.device.pushErrorScope(filter);
    try {
      return body();
    } finally {
      const answer = this.device.popErrorScope();
      this.#add(async (earlier) => {
        const error = await answer;
        if (!error) passed?.();
        if (!error) return [];
        // Whatever it may follow from is known then.
        await earlier();
        const explained = await explain(error);
        return explained ? [explained] : [];
      });
    }
  }

  /** Notes that submissions `first` to `last` may name a buffer without memory, for which `error` was reported. */
  doom(first: number, last: number, error: RetrogradError): void {
    if (last >= first) this.#doomed.push({ first, last, error });
  }

  /** Why submission `serial` may not have run: a buffer that it names has no memory. */
  doomOf(serial: number): RetrogradError | null {
    return this.#doomed.find(({ first, last }) => first <= serial && serial <= last)?.error ?? null;
  }

  /** Keeps the errors that `reported` resolves to. A device that is lost rejects it; its loss is reported elsewhere. */
  until(reported: Promise<readonly RetrogradError[]>): void {
    this.#add(() => reported);
  }

  /** Keeps what `report` finds. It may wait until the calls before it are settled. */
  #add(report: (earlier: () => Promise<unknown>) => Promise<readonly RetrogradError[]>): void {
    const watched: Watched = { errors: [], settled: false };
    this.#watched.set(watched, null);
    const settling = report(() => this.#settledBefore(watched))
      .catch(() => [])
      .then((errors) => {
        Object.assign(watched, { errors, settled: true });
        if (errors.length === 0) this.#watched.delete(watched);
        else this.#watched.set(watched, null);
      });
    this.#watched.set(watched, settling);
  }

  #settledBefore(watched: Watched): Promise<unknown> {
    const all = [...this.#watched.keys()];
    return Promise.all(all.slice(0, all.indexOf(watched)).map((one) => this.#watched.get(one)));
  }

  /** Resolves once all that was watched up to now has been reported. */
  async settled(): Promise<void> {
    await Promise.all(this.#watched.values());
  }

  /**
   * Why a readback failed: the device is lost, or had no memory for it. The reason may arrive after the failure; `own` is
   * then what is known of the readback itself.
   */
  async explain(
    cause: unknown,
    lost: () => RetrogradError | null,
    own: () => RetrogradError | null,
  ): Promise<RetrogradError> {
    await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 100))]);
    await this.settled();
    const known = [own(), cause instanceof RetrogradError ? cause : null, ...this.take()];
    return (
      lost() ??
      joinErrors([...new Set(known.filter((error) => error !== null))]) ??
      new DeviceError({
        rule: 'values can be read back as long as the device works.',
        received: cause instanceof Error ? cause.message : String(cause),
        hint: 'read again; where that fails, too, call init() again.',
        cause,
      })
    );
  }

  /** The errors reported since the last call, in the order of the calls that caused them. */
  take(): RetrogradError[] {
    const found = [...this.#watched.keys()].filter(({ settled }) => settled);
    for (const watched of found) this.#watched.delete(watched);
    return found.flatMap(({ errors }) => errors);
  }
}
