/**
 * @file Measuring by itself: calls of a question take its candidates in turn, and their time is taken. No work is done
 * twice, and nothing waits: candidates are compiled beside, and come into play when they are ready. What stands in for a
 * program that is being compiled is so never timed.
 */
import { compileAhead } from '../gpu/compileAhead.ts';
import type { Device } from '../gpu/device.ts';
import { activeDryRun } from '../gpu/activeRecording.ts';
import { PassTimer } from '../gpu/timing.ts';
import { type Asked, type Candidate, worthTrying } from './family.ts';
import { commandsOf } from './probe.ts';
import { canTry } from './trial.ts';

/** Appends work, and says when it is known how many milliseconds it takes. */
export type Clock = <R>(device: Device, name: string, body: () => R) => { result: R; time: Promise<number> };

/** GPU time where the device has timestamps, otherwise from the end of what came before to the end. */
export const clockOf: Clock = (device, _name, body) => {
  const { gpu, stream } = device;
  if (!gpu.features.has('timestamp-query')) {
    device.flush();
    const now = () => performance.now();
    const ready = gpu.queue.onSubmittedWorkDone().then(now);
    const result = body();
    device.flush();
    const submitted = now();
    const done = gpu.queue.onSubmittedWorkDone().then(now);
    return {
      result,
      time: Promise.all([ready, done]).then(([begin, end]) => end - Math.max(begin, submitted)),
    };
  }
  const timer = new PassTimer(gpu, 'pass', 32);
  stream.watcher = timer;
  let result: ReturnType<typeof body>;
  try {
    result = body();
  } finally {
    stream.encode((encoder) => timer.resolve(encoder));
    stream.watcher = null;
  }
  device.flush();
  return { result, time: timer.milliseconds().finally(() => timer.destroy()) };
};

/** What hears of measurements. */
interface Listener {
  version: number;
  readonly settings: { readonly clock: Clock };
  settle(asked: Asked, milliseconds: Readonly<Record<string, number>>, sources: string): void;
  sourcesOf<V>(asked: Asked<V>, run: (variant: V) => unknown): string;
  save(): Promise<void>;
}

/** A question that is being measured. */
interface Course {
  readonly asked: Asked;
  readonly sources: string;
  readonly times: Map<string, number[]>;
  /** Candidates to run, by name; those that are being compiled aren't among them yet. */
  readonly due: string[];
  /** Compilations and measurements that aren't over. */
  pending: number;
  /** Whether all of it was in vain. */
  failed: boolean;
}

/** Runs of each candidate. The lesser counts. */
const rounds = 2;

export class Automatic {
  readonly #courses = new Map<string, Course>();
  #isTiming = false;

  constructor(
    private readonly device: Device,
    private readonly listener: Listener,
  ) {}

  /** Runs the candidate whose turn it is; the guess, where none is due or can be timed now. */
  decide<V, R>(asked: Asked<V>, run: (variant: V) => R): R {
    const { device, listener } = this;
    const canTime = !this.#isTiming && !activeDryRun() && !device.diversion && !device.stream.watcher;
    if (!canTime) return run(asked.guess.variant);
    const course = this.#courses.get(asked.key) ?? this.#begin(asked, run);
    const due = course.failed ? undefined : course.due.shift();
    const candidate = asked.candidates.find(({ name }) => name === due);
    if (!candidate) return run(asked.guess.variant);
    // What captures this call is to do it anew for the next candidate.
    if (candidate.name !== asked.guess.name || course.due.length > 0) listener.version++;
    course.pending++;
    this.#isTiming = true;
    try {
      const { result, time } = listener.settings.clock(device, candidate.name, () => run(candidate.variant));
      time.then(
        (milliseconds) => {
          course.times.set(candidate.name, [...(course.times.get(candidate.name) ?? []), milliseconds]);
          this.#end(course);
        },
        () => this.#fail(course),
      );
      return result;
    } catch (error) {
      this.#fail(course);
      throw error;
    } finally {
      this.#isTiming = false;
    }
  }

  #begin<V>(asked: Asked<V>, run: (variant: V) => unknown): Course {
    const { device, listener } = this;
    const course: Course = {
      asked: asked as Asked,
      sources: listener.sourcesOf(asked, run),
      times: new Map(),
      due: [],
      pending: 0,
      failed: false,
    };
    this.#courses.set(asked.key, course);
    const compile = ({ variant }: Candidate<V>) => {
      const compiling: Promise<void>[] = [];
      this.#isTiming = true;
      try {
        const commands = commandsOf(device, () => run(variant));
        if (!canTry(commands)) course.failed = true;
        for (const command of commands) {
          if (command.kind === 'copy') continue;
          const { kernel, options } = command;
          compileAhead(device.pipelines, kernel, options, (ready) => compiling.push(ready));
        }
      } finally {
        this.#isTiming = false;
      }
      return Promise.all(compiling);
    };
    for (const candidate of worthTrying(asked)) {
      course.pending++;
      compile(candidate).then(
        () => {
          for (let i = 0; i < rounds; i++) course.due.push(candidate.name);
          listener.version++;
          this.#end(course);
        },
        // One that doesn't compile isn't tried.
        () => this.#end(course),
      );
    }
    return course;
  }

  /** Something that was pending is over. */
  #end(course: Course): void {
    course.pending--;
    if (course.failed || course.pending > 0 || course.due.length > 0) return;
    const { asked, times, sources } = course;
    this.#courses.delete(asked.key);
    const best = Object.fromEntries([...times].map(([name, taken]) => [name, Math.min(...taken)]));
    this.listener.settle(asked, best, sources);
    void this.listener.save();
  }

  #fail(course: Course): void {
    course.pending--;
    course.failed = true;
  }
}
