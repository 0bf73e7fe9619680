/**
 * @file Journal: what was appended to a device's stream and isn't yet known to have run.
 *
 * WebGPU drops a submission with an invalid command, such as one on a buffer without memory, and reports it later. By then,
 * more work is appended that reads what the submission should have written. The journal finds the buffers with such values,
 * and notes the loss where readbacks and later launches see it, with the faults of the buffers. A launch adds the buffers that
 * it binds, which outlive it: nothing that it allocated is kept. All else happens once per submission, or after a failure.
 */
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultCarrier } from './faultSets.ts';
import { type Loss, worseOf } from './losses.ts';
import type { Storage } from './storage.ts';
import type { RetrogradError } from '../core/errors.ts';
import type { BoundRange } from './boundRange.ts';
import type { FaultTracker } from './faultTracker.ts';

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
export interface Result {
  readonly kind: 'result';
  readonly run: Run;
  readonly result: Storage;
  readonly target: DeviceBuffer;
}

/** The host has written the whole buffer. */
export interface Upload {
  readonly kind: 'upload';
  readonly target: DeviceBuffer;
}

/** A variable holds the buffer from now on. */
export interface Hold {
  readonly kind: 'hold';
  readonly target: DeviceBuffer;
}

/** Values of the buffer are not needed any more. */
export interface Release {
  readonly kind: 'release';
  readonly target: DeviceBuffer;
}

export type Entry = Launch | Copy | Run | Result | Upload | Hold | Release;

/** Entries, except that the two most frequent are written flat: a launch as `writes` and the buffers, a release as the buffer. */
type Log = (Exclude<Entry, Launch | Release> | DeviceBuffer | readonly boolean[])[];

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

function writtenBy(entry: Launch | Copy): readonly (DeviceBuffer | FaultCarrier)[] {
  return entry.kind === 'launch' ? entry.buffers.filter((_, i) => entry.writes[i]) : [entry.target];
}

/** The values that are lost because submissions failed: those they should have written, and what was computed from them. */
class Losses {
  readonly all = new Map<FaultCarrier, Loss>();
  /** Buffers released or held since then: whether a variable holds them. */
  readonly #ofVariables = new Map<DeviceBuffer, boolean>();
  readonly #ofRuns = new Map<Run, (values: Storage | DeviceBuffer) => Loss | null>();

  /** @param failures the numbers of the submissions that failed, and why */
  constructor(private readonly failures: ReadonlyMap<number, RetrogradError>) {}

  /** Follows what was logged for submission `serial`. */
  follow(log: Readonly<Log>, serial: number): void {
    for (const entry of entriesOf(log)) {
      if (entry.kind === 'upload') this.all.delete(entry.target);
      else if (entry.kind === 'hold') this.#ofVariables.set(entry.target, true);
      else if (entry.kind === 'release') this.#release(entry.target);
      else if (entry.kind === 'run') this.#followRun(entry);
      else if (entry.kind === 'result') this.#add(entry.target, this.#ofRuns.get(entry.run)?.(entry.result));
      else if (this.failures.has(serial)) this.#miss(entry, serial);
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

  #release(buffer: DeviceBuffer): void {
    this.all.delete(buffer);
    this.#ofVariables.set(buffer, false);
  }

  /**
   * Returns what is lost where a write didn't happen. A variable holds its older values. Other tensors get their values only
   * once, if by several launches: without one of them, a sum lacks terms, and a concatenation has a gap.
   */
  #missed(values: DeviceBuffer | FaultCarrier, failed: number): Loss {
    const isOlder = isBuffer(values) && (this.#ofVariables.get(values) ?? values.isVariable);
    return this.#lossBy(failed, isOlder);
  }

  #lossBy(failed: number, leavesOlder: boolean): Loss {
    return { cause: this.failures.get(failed) as RetrogradError, leavesOlder };
  }

  /** Notes that `entry`, of submission `failed`, did not run. */
  #miss(entry: Launch | Copy, failed: number): void {
    for (const values of writtenBy(entry)) this.#add(values, this.#missed(values, failed));
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
    const serials = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const failed = serials.find((serial) => this.failures.has(serial));
    if (failed === undefined) {
      const lossAfter = work.losses((values) => this.#lossOf(values));
      this.#ofRuns.set(run, lossAfter);
      for (const buffer of work.written) this.#set(buffer, lossAfter(buffer));
      return;
    }
    const undefinedContents = this.#lossBy(failed, false);
    this.#ofRuns.set(run, () => undefinedContents);
    // Commands of the run after those that failed may have updated variables by undefined values.
    const areLast = serials.every((serial) => serial < failed || this.failures.has(serial));
    for (const buffer of work.written)
      this.#add(buffer, areLast ? this.#missed(buffer, failed) : undefinedContents);
  }
}

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
  /** Submissions from the first one on that isn't known to have run, or whose failure has consequences that aren't known yet. */
  readonly #submissions: Submission[] = [];
  /** How many of them, from the first one on, are known to have run or failed. */
  #settled = 0;
  /** The submissions up to this one may have been appended to before the last failure was known. */
  #unawareUntil = 0;
  /** Losses before those of the failed submissions among them, of all values that are lost since. */
  readonly #before = new Map<FaultCarrier, Loss | null>();
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

  /** Notes that a variable takes over the values of `target`. */
  held(target: DeviceBuffer): void {
    this.#open.push({ kind: 'hold', target });
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
      const next = this.#submissions[this.#settled];
      if (next?.failure === undefined) break;
      this.#settled++;
      if (next.failure) this.#noteLosses();
    }
    this.#drop();
  }

  /** Drops the submissions whose consequences are known: from the first failed one on, all or none. */
  #drop(): void {
    const settled = this.#submissions.slice(0, this.#settled);
    const isAware = (settled.at(-1)?.serial ?? 0) >= this.#unawareUntil;
    const firstFailed = settled.findIndex(({ failure }) => failure);
    const count = isAware || firstFailed < 0 ? settled.length : firstFailed;
    this.#settled -= count;
    if (isAware) this.#before.clear();
    this.#submissions.splice(0, count).forEach(noteVariables);
  }

  /**
   * Notes what is lost, as far as is known. A submission after a failed one counts as run until it is known to have failed, too:
   * variables that it seemed to update by undefined values then hold older ones after all.
   */
  #noteLosses(): void {
    this.#failures++;
    const submissions = this.#submissions.slice(0, this.#settled);
    const failures = submissions.flatMap(({ serial, failure }) =>
      failure ? [[serial, failure] as const] : [],
    );
    const losses = new Losses(new Map(failures));
    for (const { log, serial } of this.#submissions) losses.follow(log, serial);
    losses.follow(this.#open, Number.POSITIVE_INFINITY);
    for (const values of losses.all.keys()) {
      if (this.#before.has(values)) continue;
      const known = values.faults?.loss ?? null;
      const isOfThese = failures.some(([, cause]) => cause === known?.cause);
      this.#before.set(values, isOfThese ? null : known);
    }
    for (const [values, before] of this.#before)
      this.tracker.setLoss(values, worseOf(before, losses.all.get(values) ?? null));
    const newest = this.#submissions.at(-1) as Submission;
    this.#unawareUntil = newest.serial + (this.#open.length > 0 ? 1 : 0);
  }
}

/** Notes which buffers variables hold after a submission. */
function noteVariables({ log }: Submission): void {
  for (let at = 0; at < log.length; at++) {
    const entry = log[at] as Log[number];
    if (isFlags(entry)) at += entry.length;
    else if (isBuffer(entry)) entry.isVariable = false;
    else if (entry.kind === 'hold') entry.target.isVariable = true;
  }
}
