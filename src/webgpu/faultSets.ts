/** @file Sets of pending checks and of the faults that checks have found: what the values in a buffer depend on. */
import type { RetrogradError } from '../core/errors.ts';
import { type Loss, worseOf } from './losses.ts';

/** A fault that a check found. */
export interface Fault {
  readonly number: number;
  /** Makes a new error at each call, since several readers may report it. */
  raise(): RetrogradError;
  reported: boolean;
  /** When it was reported to everyone, by the tracker's clock; null if it wasn't. */
  settledAt: number | null;
  /** Number of sets in use that hold it, or an echo of it. */
  carriers: number;
  readonly echoOf: Fault | null;
}

/** Something that holds values: a buffer. */
export interface FaultCarrier {
  faults: FaultSet | null;
}

/** Pending checks, faults, and the worst loss. Shared by the buffers with the same dependences. */
export class FaultSet {
  /** Buffers and readers that refer to it. */
  references = 0;

  constructor(
    /** The number of the check that bit 0 of `pending` stands for. */
    readonly base: number,
    /**
     * Null for all checks from `base` to `end`. Long work, in which each call depends on all before it, has only such sets: joining
     * them takes the same time however many checks they hold.
     */
    readonly pending: bigint | null,
    /** One more than the highest number in it. */
    readonly end: number,
    public faults: readonly Fault[] = [],
    readonly loss: Loss | null = null,
  ) {}

  /** Returns the checks from number `base` on. */
  pendingFrom(base: number): bigint {
    const all = this.pending ?? (1n << BigInt(this.end - this.base)) - 1n;
    const shift = BigInt(base - this.base);
    return shift >= 0n ? all >> shift : all << -shift;
  }

  holds(number: number): boolean {
    if (number < this.base || number >= this.end) return false;
    return this.pending === null || (this.pendingFrom(number) & 1n) === 1n;
  }

  without(faults: ReadonlySet<Fault>): FaultSet {
    const left = this.faults.filter((fault) => !faults.has(fault));
    return new FaultSet(this.base, this.pending, this.end, left, this.loss);
  }

  withoutLoss(): FaultSet {
    return new FaultSet(this.base, this.pending, this.end, this.faults);
  }
}

/** Returns a set of one pending check. */
export function setOf({ number }: { readonly number: number }): FaultSet {
  return new FaultSet(number, null, number + 1);
}

/**
 * Returns the pending checks from number `resolved` on, the faults, and the worst loss of both sets: one of them, if it has all of
 * that.
 */
export function joined(first: FaultSet, second: FaultSet, resolved: number): FaultSet {
  const faults = [...new Set([...first.faults, ...second.faults])];
  const loss = worseOf(first.loss, second.loss);
  const hasAll = (set: FaultSet) => faults.length === set.faults.length && loss === set.loss;
  const [ofFirst, ofSecond] = [rangeFrom(first, resolved), rangeFrom(second, resolved)];
  const range = ofFirst && ofSecond && joinedRange(ofFirst, ofSecond);
  if (range) {
    if (hasAll(first) && sameRange(range, ofFirst)) return first;
    if (hasAll(second) && sameRange(range, ofSecond)) return second;
    return new FaultSet(range.begin, null, range.end, faults, loss);
  }
  // From the first that may be pending: sets stay as wide as the work between their checks, however many calls came before.
  const base = Math.max(resolved, Math.min(first.base, second.base));
  const [left, right] = [first.pendingFrom(base), second.pendingFrom(base)];
  const pending = left | right;
  if (pending === left && hasAll(first)) return first;
  if (pending === right && hasAll(second)) return second;
  return new FaultSet(base, pending, Math.max(first.end, second.end), faults, loss);
}

/** All checks from number `begin` to `end`. */
interface CheckRange {
  readonly begin: number;
  readonly end: number;
}

/** Returns the checks of `set` from number `from` on; null if some are missing between them. */
function rangeFrom({ base, pending, end }: FaultSet, from: number): CheckRange | null {
  if (end <= from) return { begin: from, end: from };
  return pending === null ? { begin: Math.max(base, from), end } : null;
}

/** Returns the checks of both; null if some are missing between them. */
function joinedRange(a: CheckRange, b: CheckRange): CheckRange | null {
  if (a.begin === a.end) return b;
  if (b.begin === b.end) return a;
  if (a.begin > b.end || b.begin > a.end) return null;
  return { begin: Math.min(a.begin, b.begin), end: Math.max(a.end, b.end) };
}

function sameRange(a: CheckRange, b: CheckRange): boolean {
  return a.begin === b.begin && a.end === b.end;
}
