/**
 * @file Errors that WebGPU reports after the call that caused them. They are kept, typed and named, until the next
 * readback throws them: nothing fails silently, and nothing reaches the page as an uncaptured error.
 */
import { DeviceError, RetrogradError } from '../core/errors.ts';
import { joinErrors } from './faults.ts';

/** Milliseconds to wait for a loss that would explain more than the errors that are known. */
const knownWait = 100;
/**
 * Milliseconds to wait for the loss that explains a failure without another reason. Chromium rejects mappings as soon as a
 * device is destroyed, and reports the loss once its GPU process has answered: with other programs on all cores, 150 ms later.
 */
const unknownWait = 10_000;

/** One watched call that caused errors. The first error, in the order of the calls, is the cause; later ones are often its consequences. */
interface Failed {
  /** The number of the call. */
  readonly number: number;
  readonly errors: readonly RetrogradError[];
  /** By which call of `take` they were taken; null if they weren't. */
  takenBy: number | null;
}

export class ErrorWatch {
  /** Number of watched calls so far. */
  #watched = 0;
  /** Resolves once all of them are settled. */
  #settling: Promise<unknown> = Promise.resolve();
  /** Those that caused errors that weren't taken, or that somebody who waits may want. */
  #failures: Failed[] = [];
  /** Number of calls of `take` so far. */
  #takes = 0;
  /** Number of pending calls of `settled`. */
  #waits = 0;
  /** Ranges of submissions (`first` to `last`) that may use a buffer without memory, with the error of the buffer. */
  readonly #failed: { readonly first: number; readonly last: number; readonly error: RetrogradError }[] = [];

  constructor(private readonly device: GPUDevice) {}

  /**
   * Runs `body`; `explain` converts an error of kind `filter` that it causes. Null means that it follows from an earlier,
   * reported error. Without an error, `passed` is called.
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
        // By then, any error that it may follow from is known.
        await earlier();
        const explained = await explain(error);
        return explained ? [explained] : [];
      });
    }
  }

  /** Notes that submissions `first` to `last` may use a buffer without memory, for which `error` was reported. */
  markFailed(first: number, last: number, error: RetrogradError): void {
    if (last >= first) this.#failed.push({ first, last, error });
  }

  /** Returns why submission `serial` may not have run: the error of a buffer without memory that it uses. */
  failureOf(serial: number): RetrogradError | null {
    return this.#failed.find(({ first, last }) => first <= serial && serial <= last)?.error ?? null;
  }

  /** Keeps the errors that `reported` resolves to. It rejects if the device is lost, which is reported elsewhere. */
  until(reported: Promise<readonly RetrogradError[]>): void {
    this.#add(() => reported);
  }

  /** Keeps the errors that `report` finds. It may wait until the earlier calls are settled. */
  #add(report: (earlier: () => Promise<unknown>) => Promise<readonly RetrogradError[]>): void {
    const number = this.#watched++;
    const before = this.#settling;
    const settling = report(() => before)
      .catch(() => [])
      .then((errors) => {
        if (errors.length > 0) this.#failures.push({ number, errors, takenBy: null });
      });
    // A chain instead of a list of all that are pending: many readbacks may wait at a time.
    this.#settling = before.then(() => settling);
  }

  /** Resolves once everything watched so far is settled, to its errors: also those that another readback has taken by then. */
  async settled(): Promise<RetrogradError[]> {
    const [count, takes] = [this.#watched, this.#takes];
    this.#waits++;
    await this.#settling;
    this.#waits--;
    return inOrder(
      this.#failures.filter(({ number, takenBy }) => number < count && (takenBy ?? takes) >= takes),
    );
  }

  /**
   * Returns why a readback failed: the device is lost, or had no memory for it. The reason may arrive after the failure; `own`
   * returns the readback's own error, if any.
   */
  async explain(
    cause: unknown,
    lost: () => RetrogradError | null,
    own?: () => RetrogradError | null,
  ): Promise<RetrogradError> {
    await this.settled();
    const found = [own?.(), cause, ...this.take()];
    const known = joinErrors([...new Set(found.filter((error) => error instanceof RetrogradError))]);
    await this.#lossWithin(known ? knownWait : unknownWait);
    return (
      lost() ??
      known ??
      new DeviceError({
        rule: 'values can be read back as long as the device works.',
        received: cause instanceof Error ? cause.message : String(cause),
        hint: 'read again; if that fails, call init() again.',
        cause,
      })
    );
  }

  /** Waits until the device is lost, at most some milliseconds. */
  async #lossWithin(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.device.lost, late]);
    clearTimeout(timer);
  }

  /** Returns the errors reported since the last call, in the order of the calls that caused them. */
  take(): RetrogradError[] {
    if (this.#failures.length === 0) return [];
    const found = this.#failures.filter(({ takenBy }) => takenBy === null);
    for (const failed of found) failed.takenBy = this.#takes;
    this.#takes++;
    if (this.#waits === 0) this.#failures = [];
    return inOrder(found);
  }
}

function inOrder(failures: Failed[]): RetrogradError[] {
  return failures.sort((a, b) => a.number - b.number).flatMap(({ errors }) => errors);
}
