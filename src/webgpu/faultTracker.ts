/**
 * @file Tracks which faults the values in a buffer depend on, so that a fault is reported only by readbacks of values that
 * it affected.
 *
 * A validating launch begins a check. Until a readback resolves it, the check propagates from the buffers that a launch reads
 * to those that it writes. So does the loss of values that a failed submission should have written; unlike a fault, it is
 * reported by every readback. With no check pending, no fault unreported and no loss, nothing propagates: a launch costs one
 * comparison.
 */
import type { RetrogradError } from '../core/errors.ts';
import { type Fault, type FaultCarrier, FaultSet, joined, setOf } from './faultSets.ts';
import type { Loss } from './losses.ts';

/** What a validating launch provides to report its fault. */
export interface FaultReport {
  /** Number of positions: the flat size of the indices. At most 2^31 - 1. */
  count: number;
  /** Builds the error for the flat position and the 32 bits of the offending value. */
  raise(position: number, value: number): RetrogradError;
}

/** A validating launch. */
export interface Check {
  /** Its number in launch order. */
  readonly number: number;
  /** The fault it found; null while it is pending, and if there is none. */
  fault: Fault | null;
  readonly report: FaultReport;
  readonly collector: FaultCollector | null;
  /** The check of the forward op, if this one belongs to its gradient: reported only if that one isn't. */
  readonly echoOf: Check | null;
}

/** A range of a carrier. */
interface Carrying {
  readonly buffer: FaultCarrier;
}

/** The error of a fault, and the number of the check that found it. */
export interface NumberedFault {
  readonly error: RetrogradError;
  readonly number: number;
}

/** Collects the faults of work launched by one run (such as `fit`), which reports them in addition to any reader. */
export class FaultCollector {
  #found: Fault[] = [];

  constructor(private readonly tracker: FaultTracker) {}

  /** Runs `body`, and collects the faults of its launches. */
  during<T>(body: () => T): T {
    const { tracker } = this;
    const before = tracker.collector;
    tracker.collector = this;
    try {
      return body();
    } finally {
      tracker.collector = before;
    }
  }

  add(fault: Fault): void {
    this.#found.push(fault);
  }

  /** Takes the faults of checks below number `end`. They count as reported to everyone. */
  take(end = Number.POSITIVE_INFINITY): RetrogradError[] {
    return this.takeNumbered(end).map(({ error }) => error);
  }

  /** The same, with the numbers of their checks. */
  takeNumbered(end: number): NumberedFault[] {
    const taken = this.#found.filter(({ number }) => number < end);
    this.#found = this.#found.filter(({ number }) => number >= end);
    this.tracker.settle(taken);
    return inLaunchOrder(taken).map((fault) => ({ number: fault.number, error: fault.raise() }));
  }

  /** Takes all faults, but returns only those not yet reported. */
  takeUnreported(): RetrogradError[] {
    const unreported = this.#found.filter(({ reported }) => !reported);
    this.take();
    return errorsOf(unreported);
  }
}

/** Milliseconds that a fault waits for a `sync()` after the last tensor carrying it is gone. */
const grace = 1000;
/** The maximum number of faults kept for `sync()` after they were announced. */
const maxAnnounced = 256;

export class FaultTracker {
  /** Number of checks begun. */
  #begun = 0;
  /** Checks with lower numbers are resolved. */
  #resolved = 0;
  /** Sets in use with a pending check. */
  readonly #pendingSets = new Set<FaultSet>();
  /** Faults not reported to anyone. */
  readonly #unreported = new Set<Fault>();
  /** Number of sets in use with a loss. */
  #lossy = 0;
  /** Unreported faults that no tensor carries any more. */
  readonly #orphans = new Set<Fault>();
  /** Counts the reports to everyone. */
  #clock = 0;
  /** Receives the faults of checks that begin now. */
  collector: FaultCollector | null = null;
  /** Receives faults whose values can't be read any more, and that no `sync()` threw. */
  announce: (error: RetrogradError) => void = (error) => console.warn(error);

  /** Checks begun so far: the number of the next. */
  get begun(): number {
    return this.#begun;
  }

  /** Whether launches have anything to propagate. */
  get isActive(): boolean {
    return this.#begun > this.#resolved || this.#unreported.size > 0 || this.#lossy > 0;
  }

  begin(report: FaultReport, echoOf: Check | null = null): Check {
    const collector = echoOf ? null : this.collector;
    return { number: this.#begun++, fault: null, report, collector, echoOf };
  }

  /** Returns whether `check` is pending, or found a fault that wasn't reported. */
  isOpen({ number, fault }: Check): boolean {
    return number >= this.#resolved || (fault !== null && !fault.reported);
  }

  /** Propagates the faults of what a launch reads, and of its own `check`, to what it writes. */
  follow(ranges: readonly Carrying[], writes: readonly boolean[], check: Check | null = null): void {
    let all = check && setOf(check);
    for (const { buffer } of ranges) all = this.join(all, buffer.faults);
    if (!all) return;
    ranges.forEach(({ buffer }, i) => {
      if (writes[i]) this.put(buffer, all);
    });
  }

  /** Makes `carrier` depend on `checks` as well. */
  attach(checks: readonly Check[], carrier: FaultCarrier): void {
    const all = checks.reduce((set, check) => this.join(set, setOf(check)), carrier.faults);
    this.put(carrier, all);
  }

  /** Propagates the faults of `source` to `target` after a copy; `isWhole` if it replaced all values of `target`. */
  followCopy(source: FaultCarrier, target: FaultCarrier, isWhole: boolean): void {
    this.put(target, this.join(source.faults, isWhole ? null : target.faults));
  }

  /** Notes that the values of `carrier` are lost, or are not, whatever was noted before. */
  setLoss(carrier: FaultCarrier, loss: Loss | null): void {
    const others = carrier.faults?.loss ? carrier.faults.withoutLoss() : carrier.faults;
    this.put(carrier, loss ? this.join(others, new FaultSet(0, null, 0, [], loss)) : others);
  }

  /** Takes the values of `carrier` for what they are if it missed an update: they are older ones. */
  acceptOlder(carrier: FaultCarrier): void {
    if (carrier.faults?.loss?.leavesOlder) this.put(carrier, carrier.faults.withoutLoss());
  }

  /** Returns the pending checks, unreported faults, and worst loss of both. */
  join(a: FaultSet | null, b: FaultSet | null): FaultSet | null {
    const first = a && this.#current(a);
    if (!b || a === b) return first;
    const second = this.#current(b);
    if (!first || !second) return first ?? second;
    return joined(first, second, this.#resolved);
  }

  /** Returns `set` without the faults that were reported: those don't propagate. */
  #current(set: FaultSet): FaultSet | null {
    const reported = new Set(set.faults.length > 0 ? set.faults.filter(isReported) : []);
    if (set.end <= this.#resolved && reported.size === set.faults.length && !set.loss) return null;
    return reported.size === 0 ? set : set.without(reported);
  }

  /** Makes `carrier` depend on exactly `set`. */
  put(carrier: FaultCarrier, set: FaultSet | null): void {
    const before = carrier.faults;
    if (before === set) return;
    if (set) this.#retain(set);
    carrier.faults = set;
    if (before) this.#release(before);
  }

  #retain(set: FaultSet): void {
    if (set.references++ > 0) return;
    if (set.end > this.#resolved) this.#pendingSets.add(set);
    if (set.loss) this.#lossy++;
    for (const fault of set.faults) countCarrier(fault, 1);
  }

  #release(set: FaultSet): void {
    if (--set.references > 0) return;
    this.#pendingSets.delete(set);
    if (set.loss) this.#lossy--;
    for (const fault of set.faults) {
      countCarrier(fault, -1);
      this.#noteOrphan(fault.echoOf ?? fault);
    }
  }

  /** Notes the faults of resolved checks, in launch order. */
  resolve(checks: readonly Check[]): void {
    const last = checks.at(-1);
    if (!last) return;
    this.#resolved = last.number + 1;
    const found = checks.flatMap(({ fault }) => fault ?? []);
    for (const set of this.#pendingSets) {
      const own = found.filter(({ number }) => set.holds(number));
      if (own.length > 0) set.faults = [...set.faults, ...own];
      for (const fault of own) countCarrier(fault, 1);
      if (set.end <= this.#resolved) this.#pendingSets.delete(set);
    }
    for (const { fault, collector } of checks) {
      if (!fault || fault.echoOf) continue;
      this.#unreported.add(fault);
      collector?.add(fault);
      this.#noteOrphan(fault);
    }
  }

  /** Returns a reader of the current values of `carrier`. Once the checks are resolved, it takes their faults. */
  reader(carrier: FaultCarrier): FaultReader {
    const set = carrier.faults;
    const began = this.#clock;
    if (set) this.#retain(set);
    const values: FaultCarrier = { faults: null };
    this.put(values, set);
    const take = () => {
      const faults = new Set(set?.faults.filter((fault) => isNews(fault, set, began)));
      if (faults.size === 0) return [];
      for (const fault of faults) this.#report(fault);
      // The next readback of the same values is clean.
      if (carrier.faults) this.put(carrier, carrier.faults.without(faults));
      return errorsOf([...faults]);
    };
    const release = () => {
      this.put(values, null);
      if (set) this.#release(set);
    };
    return { take, values, release };
  }

  /** Takes all unreported faults. They count as reported to everyone. */
  takeAll(): RetrogradError[] {
    const faults = [...this.#unreported];
    this.settle(faults);
    return errorsOf(faults);
  }

  /** Reports faults to everyone: readers that begin later don't get them. */
  settle(faults: readonly Fault[]): void {
    this.#clock++;
    for (const fault of faults) {
      this.#report(fault);
      fault.settledAt ??= this.#clock;
    }
  }

  #report(fault: Fault): void {
    for (const each of [fault, fault.echoOf]) {
      if (!each) continue;
      each.reported = true;
      this.#unreported.delete(each);
      this.#orphans.delete(each);
    }
  }

  /** A fault whose values are gone, so that no readback can report it, waits for `sync()`. Then it is announced. */
  #noteOrphan(fault: Fault): void {
    if (fault.carriers > 0 || !this.#unreported.has(fault) || this.#orphans.has(fault)) return;
    this.#orphans.add(fault);
    setTimeout(() => {
      if (!this.#orphans.has(fault)) return;
      this.announce(fault.raise());
      this.#forgetOldest();
    }, grace);
  }

  #forgetOldest(): void {
    const [oldest] = this.#orphans;
    if (oldest && this.#orphans.size > maxAnnounced) this.#report(oldest);
  }
}

/** Reports the faults of values that were read. */
export interface FaultReader {
  /** The errors of the faults, in launch order. */
  take(): RetrogradError[];
  /** The values as they were when the reader began. A loss may still be noted for them. */
  readonly values: FaultCarrier;
  release(): void;
}

/** An echo also counts for the fault that it repeats. */
function countCarrier(fault: Fault, change: 1 | -1): void {
  fault.carriers += change;
  if (fault.echoOf) fault.echoOf.carriers += change;
}

/** Returns the errors of `faults`, in launch order. */
function errorsOf(faults: readonly Fault[]): RetrogradError[] {
  return inLaunchOrder(faults).map((fault) => fault.raise());
}

function inLaunchOrder(faults: readonly Fault[]): Fault[] {
  return [...faults].sort((a, b) => a.number - b.number);
}

/** Returns whether a reader of `set` that began at `began` has not yet reported `fault`. */
function isNews({ settledAt, echoOf }: Fault, { faults }: FaultSet, began: number): boolean {
  if (echoOf) return !echoOf.reported && !faults.includes(echoOf);
  return settledAt === null || settledAt > began;
}

function isReported({ reported, echoOf }: Fault): boolean {
  return reported || (echoOf?.reported ?? false);
}
