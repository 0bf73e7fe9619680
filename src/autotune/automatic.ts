/**
 * @file Automatic tuning: the first call of a kind launches the selected algorithm, and the candidates are measured behind
 * it, on memory of their own. No call launches anything but the selected algorithm or the one that was measured to be the
 * fastest, and none waits; a caller who wants to wait for the measurements has their promise.
 */
import type { Device } from '../webgpu/device.ts';
import type { Command } from '../webgpu/command.ts';
import { trialsOf } from './survey.ts';
import { canTry, Scratch } from './trial.ts';
import type { TuningTask } from './tuningTask.ts';

/** Measures, and keeps the results. */
interface Measurer {
  /** Times the launches of a task's candidates. */
  measure(scratch: Scratch, job: Job): Promise<void>;
  sourcesOf(task: TuningTask): string;
  save(): Promise<void>;
}

/** A task with what its candidates would launch. */
export interface Job {
  readonly task: TuningTask;
  readonly trials: ReadonlyMap<string, readonly Command[]>;
  readonly sources: string;
}

/** Milliseconds between two checks whether anything else still watches the device. */
const patience = 50;

export class Automatic {
  /** Keys of tasks that were taken up: each is measured once. */
  readonly #known = new Set<string>();
  readonly #jobs: Job[] = [];
  #measuring: Promise<void> | null = null;
  /** Whether candidates are being probed: what they choose in turn is no call of the app's. */
  #isProbing = false;

  constructor(
    private readonly device: Device,
    private readonly measurer: Measurer,
  ) {}

  /** Resolves once everything asked so far is measured; null where nothing is under way. */
  get measuring(): Promise<void> | null {
    return this.#measuring;
  }

  /** Takes up a problem that a call has met. */
  note(task: TuningTask): void {
    const { device } = this;
    if (this.#isProbing || this.#known.has(task.key)) return;
    const { mode } = device.executor;
    if (mode === 'dry run' || mode === 'encoded') return;
    this.#known.add(task.key);
    const job = this.#probe(task);
    if (job.trials.size < 2 || ![...job.trials.values()].every(canTry)) return;
    this.#jobs.push(job);
    this.#measuring ??= this.#work().finally(() => {
      this.#measuring = null;
    });
  }

  #probe(task: TuningTask): Job {
    this.#isProbing = true;
    try {
      return { task, trials: trialsOf(this.device, task), sources: this.measurer.sourcesOf(task) };
    } finally {
      this.#isProbing = false;
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
      // A device that is lost, or out of memory: selected algorithms do, and the app's own work reports it.
      this.#jobs.length = 0;
    } finally {
      scratch.release();
    }
  }
}
