/**
 * @file Throttle: limits how far the host runs ahead of the device, and yields to other tasks of the page.
 *
 * Steps are launched without waiting. Every few steps a fence is set; it resolves when the steps before it are done, or
 * rejects with their faults. With two fences pending, the host waits for the older one.
 */
import { addToMessage } from '../../core/errorMessage.ts';
import { DeviceLostError, IndexOutOfRangeError, NonFiniteError, RetrogradError } from '../../core/errors.ts';
import { yieldAfter, yieldTask } from '../../core/pacer.ts';
import type { Pieces } from '../../core/pieces.ts';
import { withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { joinErrors } from '../../webgpu/faults.ts';
import { FaultCollector, type NumberedFault } from '../../webgpu/faultTracker.ts';
import type { BatchSamples } from './data/batchSource.ts';
import { isolated } from './isolated.ts';

/** A fence is set after this many milliseconds of launching, or this many steps. */
const fenceAfter = 4;
const stepsPerFence = 16;
/** The largest number of pending fences. */
const maxFences = 2;

/** The step of a batch: what it launched, and where its samples are in the data. */
interface LaunchedStep {
  readonly batch: number;
  readonly where: string;
  readonly samples: BatchSamples | null;
  /** The number of the first check after it. */
  end: number;
}

interface Fence {
  /** Resolves when the faults of the steps before it are known; rejects with errors of the device. */
  readonly done: Promise<void>;
  /** The number of the first check after its steps. */
  readonly end: number;
  readonly label: () => string;
}

export class Throttle {
  readonly #fences: Fence[] = [];
  /** Steps since the last fence: the batch of the first one, and their number. */
  #first = 0;
  #steps = 0;
  #fencedAt = performance.now();
  #yieldedAt = performance.now();
  /** The steps whose faults aren't known yet, oldest first. */
  #launched: LaunchedStep[] = [];
  /** Faults of what this run launched. */
  readonly #faults: FaultCollector;
  /** Whether one of these faults was thrown. */
  #isFaulty = false;

  /**
   * `where` says what the steps belong to, such as 'epoch 2 of 5'. An aborted `signal` ends the run between steps.
   */
  constructor(
    readonly device: Device,
    public where: string,
    private readonly signal?: AbortSignal | undefined,
  ) {
    this.#faults = new FaultCollector(device.faults.tracker);
  }

  /**
   * Runs a part of the run: on its device, hidden from tapes and scopes that are open elsewhere, and with its faults reported
   * to this run.
   */
  within<T>(body: () => T): T {
    return this.#faults.during(() => withDevice(this.device, () => isolated(body)));
  }

  /** Throws the signal's reason if it was aborted. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /**
   * Does the pieces of `work` as `within` does, and lets other tasks run in between. Work of one piece is done at once, without a
   * promise. Errors: also the signal's reason.
   */
  inTurns<T>(work: Pieces<T>): T | Promise<T> {
    const piece = this.within(() => work.next());
    return piece.done ? piece.value : this.#inTurns(work);
  }

  async #inTurns<T>(work: Pieces<T>): Promise<T> {
    try {
      for (;;) {
        this.check();
        if (performance.now() - this.#yieldedAt >= yieldAfter) await this.#yield();
        const piece = this.within(() => work.next());
        if (piece.done) return piece.value;
      }
    } finally {
      work.return(undefined as T);
    }
  }

  /**
   * Records that the step of a batch was launched; once more, if it launched more. `samples` finds those of the batch, where that is
   * known.
   */
  launched(batch: number, samples: BatchSamples | null = null): void {
    const last = this.#launched.at(-1);
    if (last?.batch === batch && last.where === this.where) {
      last.end = this.device.faults.tracker.begun;
      return;
    }
    if (this.#steps === 0) this.#first = batch;
    this.#steps++;
    this.#launched.push({ batch, where: this.where, samples, end: this.device.faults.tracker.begun });
  }

  /** Call it after each step. Waits if the host is too far ahead. Errors: faults of earlier steps. */
  step(): Promise<void> | null {
    const now = performance.now();
    if (now - this.#fencedAt >= fenceAfter || this.#steps >= stepsPerFence) this.#fence(now);
    else this.device.flush();
    this.check();
    if (this.#fences.length >= maxFences) return this.#waitForOldest();
    return now - this.#yieldedAt >= yieldAfter ? this.#yield() : null;
  }

  /** Waits for all steps and for a readback requested after them. Errors: faults of either. */
  async finish<T>(reading: Promise<T>): Promise<T> {
    const located = this.locate(reading);
    // It may reject while earlier fences are awaited.
    located.catch(() => {});
    const label = this.#label();
    this.#steps = 0;
    while (this.#fences.length > 0) await this.#waitForOldest();
    const result = await located;
    await this.#throwFaults(label);
    return result;
  }

  /** Awaits `reading`; its errors name the steps since the last fence. */
  async locate<T>(reading: Promise<T>): Promise<T> {
    const label = this.#label();
    try {
      return await reading;
    } catch (error) {
      this.#isFaulty = true;
      // The run's own record of the fault says which step it is of.
      if (error instanceof IndexOutOfRangeError || error instanceof NonFiniteError)
        await this.#throwFaults(label);
      throw located(error, label());
    }
  }

  /**
   * Waits for `promise`, which does not come from the device, or until the signal is aborted. In that case `late` receives
   * the value if it still arrives. Errors: the signal's reason.
   */
  async orAborted<T>(promise: Promise<T>, late: (value: T) => void): Promise<T> {
    const { signal } = this;
    if (!signal) return promise;
    return new Promise<T>((resolve, reject) => {
      const abort = () => {
        promise.then(late, () => {});
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  /**
   * Runs the body of a run. If it fails, waits for pending steps.
   * Errors: those of `body`; for an abort the first fault of those steps, if there is one.
   */
  async settling<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw await this.#abandon(error);
    }
  }

  /**
   * Waits for pending steps after `error` ended the run. Resolves to the error to report: `error`, or a fault of these
   * steps if the run was aborted. Faults after the first are among its `others`.
   */
  async #abandon(error: unknown): Promise<unknown> {
    if (this.#steps > 0 && !this.device.isLost) this.#fence(performance.now());
    const isAborted = this.signal?.aborted === true && error === this.signal.reason;
    let reported = error;
    for (const { done, end, label } of this.#fences.splice(0)) {
      const late = await done.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!isAborted || reported !== error) continue;
      const fault = late ? located(late, label()) : await this.#takeFaults(label, end);
      if (fault) reported = fault;
    }
    // If something else ended the run, its faults are left to the readbacks of tensors that depend on them.
    if (reported === error && !this.#isFaulty) return reported;
    const others = this.#faults.takeUnreported();
    if (reported instanceof RetrogradError) reported.others = [...reported.others, ...others];
    return reported;
  }

  #fence(now: number): void {
    const done = this.device.finish();
    // Avoids an unhandled rejection while nothing waits yet.
    done.catch(() => {});
    this.#fences.push({ done, end: this.device.faults.tracker.begun, label: this.#label() });
    this.#steps = 0;
    this.#fencedAt = now;
  }

  /** Names the steps since the last fence. */
  #label(): () => string {
    const { where } = this;
    const [first, last] = [this.#first + 1, this.#first + this.#steps];
    if (this.#steps === 0) return () => where;
    return () => (first === last ? `${where}, batch ${first}` : `${where}, batches ${first} to ${last}`);
  }

  async #waitForOldest(): Promise<void> {
    const { done, end, label } = this.#fences.shift() as Fence;
    try {
      await done;
    } catch (error) {
      throw located(error, label());
    }
    await this.#throwFaults(label, end);
    const now = performance.now();
    if (now - this.#yieldedAt >= yieldAfter) await this.#yield();
    this.check();
  }

  /** Throws the faults of checks below number `end`, where there are any. */
  async #throwFaults(label: () => string, end?: number): Promise<void> {
    const error = await this.#takeFaults(label, end);
    if (!error) return;
    this.#isFaulty = true;
    throw error;
  }

  /** Takes the faults of checks below number `end`, each with its batch and sample, as one error. */
  async #takeFaults(label: () => string, end = Number.POSITIVE_INFINITY): Promise<RetrogradError | null> {
    const faults = this.#faults.takeNumbered(end);
    const places = faults.length > 0 ? await this.#placesOf(faults, label) : [];
    this.#launched = this.#launched.filter((step) => step.end > end);
    const errors = faults.map(({ error }) => error);
    errors.slice(1).forEach((error, i) => {
      addToMessage(error, places[i + 1] as string);
    });
    const joined = joinErrors(errors);
    if (joined) addToMessage(joined, places[0] as string);
    return joined;
  }

  /** Lines that say in which step, and where in the data, each fault is. */
  #placesOf(faults: readonly NumberedFault[], label: () => string): Promise<string[]> {
    const place = async ({ error, number }: NumberedFault) => {
      const step = this.#launched.find(({ end }) => number < end);
      if (!step) return during(label());
      const { where, batch, samples } = step;
      const isIndex = error instanceof IndexOutOfRangeError;
      const sample = isIndex && samples ? await this.within(() => samples.holding(error)) : null;
      return `${sample === null ? '' : `\n  in the data: ${sample}`}${during(`${where}, batch ${batch + 1}`)}`;
    };
    return Promise.all(faults.map(place));
  }

  async #yield(): Promise<void> {
    await yieldTask();
    this.#yieldedAt = performance.now();
    this.check();
  }
}

/** Returns the error, with the part of the run in which it happened. */
function located(error: unknown, where: string): unknown {
  if (!(error instanceof RetrogradError) || error instanceof DeviceLostError) return error;
  addToMessage(error, during(where));
  return error;
}

const during = (where: string) => `\n  during: ${where}`;
