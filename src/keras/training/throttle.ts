/**
 * @file Pace: how far the host may run ahead of the device, and when it lets others have their turn.
 *
 * A step is launched without waiting for it. After some of them a fence is set, which tells when they are done and what
 * faults they had; with two fences out the host waits for the older one.
 */
import { DeviceLostError, RetrogradError } from '../../core/errors.ts';
import { type Device, withDevice } from '../../webgpu/device.ts';

/** Milliseconds of launching after which a fence is set, and the most steps between two. */
const fenceAfter = 4;
const stepsPerFence = 16;
/** Fences that may be out. */
const maxFences = 2;
/** Milliseconds after which others have their turn: below a frame of 60 a second, and far below a long task of 50. */
const yieldAfter = 10;

interface Fence {
  /** Rejects with the faults of its steps. */
  readonly done: Promise<void>;
  readonly label: () => string;
}

export class Pace {
  readonly #fences: Fence[] = [];
  /** Steps since the last fence: the first one's batch, and how many. */
  #first = 0;
  #steps = 0;
  #fencedAt = performance.now();
  #yieldedAt = performance.now();

  /**
   * `where` names what steps belong to, as in 'epoch 2 of 5'. An aborted `signal` is told between steps, by its reason.
   */
  constructor(
    readonly device: Device,
    public where: string,
    private readonly signal?: AbortSignal | undefined,
  ) {}

  /** Throws the signal's reason where it was aborted. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /** Does work that comes in pieces, for as long as `piece` answers that there is more; others have their turn in between. */
  async inPieces(piece: () => boolean): Promise<void> {
    while (withDevice(this.device, piece)) {
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
    this.#steps = 0;
    while (this.#fences.length > 0) await this.#waitForOldest();
    return placed;
  }

  /** What `reading` resolves to. Its errors say which steps since the last fence it was asked for after. */
  async place<T>(reading: Promise<T>): Promise<T> {
    const label = this.#label();
    try {
      return await reading;
    } catch (error) {
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
   * Waits for the steps that are still under way after `error` ended the run. Resolves to what the caller is to be told:
   * `error`, but that a fault is not lost to an abort.
   */
  async abandon(error: unknown): Promise<unknown> {
    let told = error;
    for (const { done, label } of this.#fences.splice(0)) {
      await done.catch((fault: unknown) => {
        if (told === this.signal?.reason && this.signal?.aborted) told = placed(fault, label());
      });
    }
    this.#steps = 0;
    return told;
  }

  #fence(now: number): void {
    const done = this.device.sync();
    // It may reject while nobody waits yet; whoever waits is told.
    done.catch(() => {});
    this.#fences.push({ done, label: this.#label() });
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
    const { done, label } = this.#fences.shift() as Fence;
    try {
      await done;
    } catch (error) {
      throw placed(error, label());
    }
    const now = performance.now();
    if (now - this.#yieldedAt >= yieldAfter) await this.#yield();
    this.check();
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

interface Scheduling {
  scheduler?: { yield?: () => Promise<void> };
  setImmediate?: (callback: () => void) => unknown;
}

/** Resolves in a new task, after pending ones such as input, painting and timers. */
function yieldTask(): Promise<void> {
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
