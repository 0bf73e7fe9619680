/**
 * @file Measuring by itself: the first call of a kind takes the guess, and its candidates are measured behind it, on memory of
 * their own. A call never takes a variant that isn't known to be the fastest but the guess, and none waits; who wants to
 * wait for the measurements has their promise.
 */
import type { Device } from '../webgpu/device.ts';
import type { Command } from '../webgpu/command.ts';
import { type Asked, worthTrying } from './family.ts';
import { commandsOf } from './probe.ts';
import { canTry, Scratch } from './trial.ts';

/** What measures, and hears of it. */
interface Measurer {
  /** Times the launches of a question's candidates, and takes over what comes of it. */
  measure(scratch: Scratch, job: Job): Promise<void>;
  sourcesOf<V>(asked: Asked<V>, run: (variant: V) => unknown): string;
  save(): Promise<void>;
}

/** A question, with what its candidates would launch. */
export interface Job {
  readonly asked: Asked;
  readonly trials: ReadonlyMap<string, readonly Command[]>;
  readonly sources: string;
}

/** Milliseconds after which it is looked again whether the device is free of whoever watches it. */
const patience = 50;

export class Automatic {
  /** Keys of questions that were taken up: each is measured once. */
  readonly #known = new Set<string>();
  readonly #jobs: Job[] = [];
  #measuring: Promise<void> | null = null;
  /** Whether candidates are being looked at: what they ask in turn is no question of a call. */
  #isLooking = false;

  constructor(
    private readonly device: Device,
    private readonly measurer: Measurer,
  ) {}

  /** Resolves once what was asked so far is measured; null where nothing is under way. */
  get measuring(): Promise<void> | null {
    return this.#measuring;
  }

  /** Takes up a question that a call has asked. */
  note<V>(asked: Asked<V>, run: (variant: V) => unknown): void {
    const { device } = this;
    if (this.#isLooking || this.#known.has(asked.key)) return;
    const { mode } = device.executor;
    if (mode === 'dry run' || mode === 'encoded') return;
    this.#known.add(asked.key);
    const trials = this.#look(() =>
      worthTrying(asked).map(({ name, variant }) => [name, commandsOf(device, () => run(variant))] as const),
    );
    if (trials.length < 2 || !trials.every(([, commands]) => canTry(commands))) return;
    const sources = this.#look(() => this.measurer.sourcesOf(asked, run));
    this.#jobs.push({ asked: asked as Asked, trials: new Map(trials), sources });
    this.#measuring ??= this.#work().finally(() => {
      this.#measuring = null;
    });
  }

  #look<R>(body: () => R): R {
    this.#isLooking = true;
    try {
      return body();
    } finally {
      this.#isLooking = false;
    }
  }

  async #work(): Promise<void> {
    const { device } = this;
    const scratch = new Scratch(device);
    try {
      // What the call launched goes first.
      await Promise.resolve();
      device.flush();
      for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
        while (device.stream.watcher) await new Promise((resolve) => setTimeout(resolve, patience));
        await device.gpu.queue.onSubmittedWorkDone();
        await this.measurer.measure(scratch, job);
      }
      await this.measurer.save();
    } catch {
      // A device that is lost, or out of memory: guesses do, and the app's own work tells of it.
      this.#jobs.length = 0;
    } finally {
      scratch.release();
    }
  }
}
