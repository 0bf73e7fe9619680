/**
 * @file Automatic tuning: the first call with a new problem launches the selected algorithm, and the candidates are measured
 * afterwards, on separate memory. Calls only ever launch the selected algorithm or the one measured to be the fastest, and
 * never wait; a promise lets callers wait for the measurements.
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
  /** Keys of tasks that were queued: each is measured once. */
  readonly #known = new Set<string>();
  readonly #jobs: Job[] = [];
  #measuring: Promise<void> | null = null;
  /** Whether candidates are being probed: their own choices don't come from the app. */
  #isProbing = false;

  constructor(
    private readonly device: Device,
    private readonly measurer: Measurer,
  ) {}

  /** Resolves once all problems requested so far are measured; null if nothing is being measured. */
  get measuring(): Promise<void> | null {
    return this.#measuring;
  }

  /** Queues a problem that came up in a call. */
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
      // Let the call's own launches go first.
      await Promise.resolve();
      device.flush();
      for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
        while (device.stream.watcher) await new Promise((resolve) => setTimeout(resolve, patience));
        await device.submittedWorkDone();
        await this.measurer.measure(scratch, job);
      }
      await this.measurer.save();
    } catch {
      // The device is lost or out of memory: the selected algorithms suffice, and the app's own work reports the error.
      this.#jobs.length = 0;
    } finally {
      scratch.release();
    }
  }
}
