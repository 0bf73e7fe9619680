/**
 * @file Journal: what was appended to a device's stream and isn't yet known to have run.
 *
 * WebGPU drops a submission with an invalid command, such as one on a buffer without memory, and reports it later. By then,
 * more work is appended that reads what the submission should have written. The journal finds the buffers with such values,
 * and notes the loss where readbacks and later launches see it, with the faults of the buffers. A launch adds the buffers that
 * it binds, which outlive it: nothing that it allocated is kept. All else happens once per submission, or after a failure.
 */
import type { RetrogradError } from '../core/errors.ts';
import type { BoundRange } from './boundRange.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultCarrier, FaultTracker } from './faultSets.ts';
import { type Loss, worseOf } from './losses.ts';
import type { Storage } from './storage.ts';

type LossOf = (values: FaultCarrier) => Loss | null;

/** What a replay of captured work writes. */
export interface ReplayedWork {
  /** Buffers from outside that a run writes. */
  readonly written: Iterable<DeviceBuffer>;
  /** Returns a function of values that a run writes: the worst loss of what they depend on, which are values before the run. */
  losses(lossOf: LossOf): (values: Storage | DeviceBuffer) => Loss | null;
}

interface Launch {
  readonly kind: 'launch';
  readonly buffers: readonly DeviceBuffer[];
  /** Which of them it writes. */
  readonly writes: readonly boolean[];
}

interface Copy {
  readonly kind: 'copy';
  readonly source: DeviceBuffer;
  /** A buffer, or the reader of a readback. */
  readonly target: DeviceBuffer | FaultCarrier;
  /** Whether it replaces all values of the target. */
  readonly isWhole: boolean;
}

/** A run of captured work, whose commands are in submissions `first` to `last`. */
export interface Run {
  readonly kind: 'run';
  readonly work: ReplayedWork;
  readonly first: number;
  readonly last: number;
}

/** `target` holds the values of `result` after a run. */
interface Result {
  readonly kind: 'result';
  readonly run: Run;
  readonly result: Storage;
  readonly target: DeviceBuffer;
}

/** The host has written the whole buffer. */
interface Upload {
  readonly kind: 'upload';
  readonly target: DeviceBuffer;
}

/** Values of the buffer are not needed any more. */
interface Release {
  readonly kind: 'release';
  readonly target: DeviceBuffer;
}

type Entry = Launch | Copy | Run | Result | Upload | Release;

/** Entries, except that the two most frequent are written flat: a launch as `writes` and the buffers, a release as the buffer. */
type Log = (Exclude<Entry, Launch | Release> | DeviceBuffer | readonly boolean[])[];

/** A submission. */
export interface Submission {
  readonly serial: number;
  readonly log: Readonly<Log>;
  /** Undefined until it is known whether it ran; null if it did, otherwise why not. */
  failure: RetrogradError | null | undefined;
}

export class Journal {
  /** Since the last submission. */
  #open: Log = [];
  /** Submissions from the first one on that isn't known to have run. */
  readonly #submissions: Submission[] = [];
  #failures = 0;

  constructor(private readonly tracker: FaultTracker) {}

  /** Submissions that failed so far. */
  get failures(): number {
    return this.#failures;
  }

  launched(ranges: readonly BoundRange[], writes: readonly boolean[]): void {
    this.#open.push(writes);
    for (const { buffer } of ranges) this.#open.push(buffer);
  }

  copied(source: DeviceBuffer, target: DeviceBuffer | FaultCarrier, isWhole: boolean): void {
    this.#open.push({ kind: 'copy', source, target, isWhole });
  }

  uploaded(target: DeviceBuffer): void {
    this.#open.push({ kind: 'upload', target });
  }

  released(buffer: DeviceBuffer): void {
    this.#open.push(buffer);
  }

  /** Notes a run of `work` whose commands are in submissions `first` to `last`. */
  ran(work: ReplayedWork, first: number, last: number): Run {
    const run: Run = { kind: 'run', work, first, last };
    this.#open.push(run);
    return run;
  }

  /** Notes that `target` holds the values of `result` after `run`. */
  gave(run: Run, result: Storage, target: DeviceBuffer): void {
    this.#open.push({ kind: 'result', run, result, target });
  }

  /** Everything noted so far is submitted as number `serial`. */
  submit(serial: number): Submission {
    const submission = { serial, log: this.#open, failure: undefined };
    this.#open = [];
    this.#submissions.push(submission);
    return submission;
  }

  /** Notes that `submission` ran, or why it did not. */
  settle(submission: Submission, failure: RetrogradError | null): void {
    submission.failure = failure;
    // In order: whether a failed one leaves older values depends on those before it.
    for (;;) {
      const [oldest] = this.#submissions;
      if (oldest?.failure === undefined) return;
      if (oldest.failure) this.#noteLosses(oldest, oldest.failure);
      this.#submissions.shift();
      noteWritten(oldest);
    }
  }

  /** Notes what is lost since `failed`, the oldest submission, did not run. */
  #noteLosses({ serial }: Submission, cause: RetrogradError): void {
    this.#failures++;
    const losses = new Losses(serial, cause);
    for (const { log, serial } of this.#submissions) losses.follow(log, serial);
    losses.follow(this.#open, Number.POSITIVE_INFINITY);
    for (const [values, loss] of losses.all) this.tracker.lose(values, loss);
  }
}

/** Notes which buffers hold defined values after a submission. */
function noteWritten({ log, failure }: Submission): void {
  for (let at = 0; at < log.length; at++) {
    const entry = log[at] as Log[number];
    if (isFlags(entry)) {
      if (!failure)
        for (let i = 0; i < entry.length; i++) if (entry[i]) bufferAt(log, at + 1 + i).written = true;
      at += entry.length;
    } else if (isBuffer(entry)) entry.written = false;
    else if (!failure || entry.kind === 'upload') {
      for (const values of writtenBy(entry)) if (isBuffer(values)) values.written = true;
    }
  }
}

/** Reads `log`. */
function* entriesOf(log: Readonly<Log>): Generator<Entry> {
  for (let at = 0; at < log.length; at++) {
    const entry = log[at] as Log[number];
    if (isFlags(entry)) {
      const first = at + 1;
      yield { kind: 'launch', writes: entry, buffers: entry.map((_, i) => bufferAt(log, first + i)) };
      at += entry.length;
    } else if (isBuffer(entry)) yield { kind: 'release', target: entry };
    else yield entry;
  }
}

function bufferAt(log: Readonly<Log>, at: number): DeviceBuffer {
  return log[at] as DeviceBuffer;
}

function isFlags(entry: Log[number]): entry is readonly boolean[] {
  return Array.isArray(entry);
}

function isBuffer(entry: object): entry is DeviceBuffer {
  return 'gpu' in entry;
}

function writtenBy(entry: Entry): Iterable<DeviceBuffer | FaultCarrier> {
  if (entry.kind === 'launch') return entry.buffers.filter((_, i) => entry.writes[i]);
  return entry.kind === 'run' ? entry.work.written : [entry.target];
}

/** The values that are lost because one submission failed: those it should have written, and what was computed from them. */
class Losses {
  readonly all = new Map<FaultCarrier, Loss>();
  readonly #undefined: Loss;
  readonly #older: Loss;
  /** Buffers released or uploaded since then: whether they hold defined values. */
  readonly #defined = new Map<DeviceBuffer, boolean>();
  readonly #ofRuns = new Map<Run, (values: Storage | DeviceBuffer) => Loss | null>();

  constructor(
    /** The submission that failed. */
    private readonly failed: number,
    cause: RetrogradError,
  ) {
    this.#undefined = { cause, leavesOlder: false };
    this.#older = { cause, leavesOlder: true };
  }

  /** Follows what was logged for submission `serial`. */
  follow(log: Readonly<Log>, serial: number): void {
    for (const entry of entriesOf(log)) {
      if (entry.kind === 'release') this.#replace(entry.target, false);
      else if (entry.kind === 'upload') this.#replace(entry.target, true);
      else if (entry.kind === 'run') this.#followRun(entry);
      else if (entry.kind === 'result') this.#add(entry.target, this.#ofRuns.get(entry.run)?.(entry.result));
      else if (serial === this.failed) this.#miss(entry);
      else if (entry.kind === 'copy') this.#followCopy(entry);
      else this.#followLaunch(entry);
    }
  }

  #lossOf(values: FaultCarrier): Loss | null {
    return this.all.get(values) ?? null;
  }

  #set(values: FaultCarrier, loss: Loss | null): void {
    if (loss) this.all.set(values, loss);
    else this.all.delete(values);
  }

  #add(values: FaultCarrier, loss: Loss | null = null): void {
    this.#set(values, worseOf(this.#lossOf(values), loss));
  }

  #replace(buffer: DeviceBuffer, isDefined: boolean): void {
    this.all.delete(buffer);
    this.#defined.set(buffer, isDefined);
  }

  /** Returns what is lost where a write didn't happen. */
  #missed(values: DeviceBuffer | FaultCarrier): Loss {
    const isOlder = isBuffer(values) && (this.#defined.get(values) ?? values.written);
    return isOlder ? this.#older : this.#undefined;
  }

  /** Notes that `entry` did not run. */
  #miss(entry: Launch | Copy): void {
    for (const values of writtenBy(entry)) this.#add(values, this.#missed(values));
  }

  #followCopy({ source, target, isWhole }: Copy): void {
    const loss = this.#lossOf(source);
    if (isWhole) this.#set(target, loss);
    else this.#add(target, loss);
  }

  #followLaunch(launch: Launch): void {
    const loss = launch.buffers.map((buffer) => this.#lossOf(buffer)).reduce(worseOf, null);
    if (loss) for (const values of writtenBy(launch)) this.#add(values, loss);
  }

  /** A run fails as a whole. */
  #followRun(run: Run): void {
    const { work, first, last } = run;
    if (first > this.failed || last < this.failed) {
      const lossAfter = work.losses((values) => this.#lossOf(values));
      this.#ofRuns.set(run, lossAfter);
      for (const buffer of work.written) this.#set(buffer, lossAfter(buffer));
      return;
    }
    this.#ofRuns.set(run, () => this.#undefined);
    // Commands of the run after those that failed may have updated variables by undefined values.
    const isLast = last === this.failed;
    for (const buffer of work.written) this.#add(buffer, isLast ? this.#missed(buffer) : this.#undefined);
  }
}
