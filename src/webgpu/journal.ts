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
import type { FaultCarrier } from './faultSets.ts';
import type { FaultTracker } from './faultTracker.ts';
import { isBuffer, isFlags, type Log, type ReplayedWork, type Run } from './journalLog.ts';
import { type Loss, worseOf } from './losses.ts';
import { Losses } from './lostValues.ts';
import type { Storage } from './storage.ts';

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
