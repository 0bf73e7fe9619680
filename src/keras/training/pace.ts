/**
 * @file Pace: how far the host may run ahead of the device, and when it lets others have their turn.
 *
 * A step is launched without waiting for it. After some of them a fence is set, which tells when they are done and what
 * faults they had; with two fences out the host waits for the older one.
 */
import { DeviceLostError, RetrogradError } from '../../core/errors.ts';
import { withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { joinErrors } from '../../webgpu/faults.ts';
import { FaultLedger } from '../../webgpu/faultSets.ts';
import { apart } from './apart.ts';
import { yieldTask } from './yieldTask.ts';

/** Milliseconds of launching after which a fence is set, and the most steps between two. */
const fenceAfter = 4;
const stepsPerFence = 16;
/** Fences that may be out. */
const maxFences = 2;
/** Milliseconds after which others have their turn: below a frame of 60 a second, and far below a long task of 50. */
const yieldAfter = 10;

interface Fence {
  /** Resolves when the faults of its steps are known; rejects with errors of the device. */
  readonly done: Promise<void>;
  /** The number of the first check after its steps. */
  readonly end: number;
  readonly label: () => string;
}

export class Pace {
  readonly #fences: Fence[] = [];
  /** Steps since the last fence: the first one's batch, and how many. */
  #first = 0;
  #steps = 0;
  #fencedAt = performance.now();
  #yieldedAt = performance.now();
  /** Faults of what this run launched. */
  readonly #faults: FaultLedger;
  /** Whether one of them was thrown. */
  #isFaulty = false;

  /**
   * `where` names what steps belong to, as in 'epoch 2 of 5'. An aborted `signal` is told between steps, by its reason.
   */
  constructor(
    readonly device: Device,
    public where: string,
    private readonly signal?: AbortSignal | undefined,
  ) {
    this.#faults = new FaultLedger(device.faults.tracker);
  }

  /**
   * Runs a piece of the run: on its device, unseen by tapes and scopes that are open elsewhere, and with its faults
   * reported to this run.
   */
  within<T>(body: () => T): T {
    return this.#faults.during(() => withDevice(this.device, () => apart(body)));
  }

  /** Throws the signal's reason where it was aborted. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /** Does work that comes in pieces, for as long as `piece` answers that there is more; others have their turn in between. */
  async inPieces(piece: () => boolean): Promise<void> {
    while (this.within(piece)) {
      this.check();
      if (performance.now() - this.#yieldedAt >= yieldAfter) await this.#yield();
    }
  }

  /** Notes that the step of a batch is launched. */
  launched(batch: number): void {
    if (this.#steps === 0) this.#first = batch;
    this.#steps++;
  }

  /** To be called after each step; waits where the host is far enough ahead. Errors: faults of the steps before. */
  step(): Promise<void> | null {
    const now = performance.now();
    if (now - this.#fencedAt >= fenceAfter || this.#steps >= stepsPerFence) this.#fence(now);
    else this.device.flush();
    this.check();
    if (this.#fences.length >= maxFences) return this.#waitForOldest();
    return now - this.#yieldedAt >= yieldAfter ? this.#yield() : null;
  }

  /** Waits for all steps, and for a readback that was asked for after them. Errors: faults of either. */
  async finish<T>(reading: Promise<T>): Promise<T> {
    const placed = this.place(reading);
    // It may reject while the fences before it are waited for.
    placed.catch(() => {});
    const label = this.#label();
    this.#steps = 0;
    while (this.#fences.length > 0) await this.#waitForOldest();
    const result = await placed;
    this.#throwFaults(label);
    return result;
  }

  /** What `reading` resolves to. Its errors say which steps since the last fence it was asked for after. */
  async place<T>(reading: Promise<T>): Promise<T> {
    const label = this.#label();
    try {
      return await reading;
    } catch (error) {
      this.#isFaulty = true;
      throw placed(error, label());
    }
  }

  /**
   * Waits for `promise` of something else than the device, unless the signal is aborted first: then for nothing, and
   * `late` gets what comes after all. Errors: the signal's reason.
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
   * Runs the body of a run. Where it fails, the steps that are still under way are waited for.
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
   * Waits for the steps that are still under way after `error` ended the run. Resolves to the error to throw: `error`, but a
   * fault is not lost to an abort. Faults after the first are among its `others`.
   */
  async #abandon(error: unknown): Promise<unknown> {
    if (this.#steps > 0 && !this.device.isLost) this.#fence(performance.now());
    const isAborted = this.signal?.aborted === true && error === this.signal.reason;
    let told = error;
    for (const { done, end, label } of this.#fences.splice(0)) {
      const late = await done.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!isAborted || told !== error) continue;
      const fault = late ?? joinErrors(this.#faults.take(end));
      if (fault) told = placed(fault, label());
    }
    // Where something else ended the run, its faults are left to those who read what they spoiled.
    if (told === error && !this.#isFaulty) return told;
    const others = this.#faults.takeUnreported();
    if (told instanceof RetrogradError) told.others = [...told.others, ...others];
    return told;
  }

  #fence(now: number): void {
    const done = this.device.finish();
    // It may reject while nobody waits yet; whoever waits is told.
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
      throw placed(error, label());
    }
    this.#throwFaults(label, end);
    const now = performance.now();
    if (now - this.#yieldedAt >= yieldAfter) await this.#yield();
    this.check();
  }

  /** Throws the faults of checks below number `end`, where there are any. */
  #throwFaults(label: () => string, end?: number): void {
    const error = joinErrors(this.#faults.take(end));
    if (!error) return;
    this.#isFaulty = true;
    throw placed(error, label());
  }

  async #yield(): Promise<void> {
    await yieldTask();
    this.#yieldedAt = performance.now();
    this.check();
  }
}

/** The error, which tells where in the run it happened. */
function placed(error: unknown, where: string): unknown {
  if (!(error instanceof RetrogradError) || error instanceof DeviceLostError) return error;
  error.message += `\n  during: ${where}`;
  return error;
}
