/** @file Families of choices: which variants a question has, and which of them share what was measured. */
import type { Device } from '../webgpu/device.ts';

/** A variant that computes what is asked for. */
export interface Candidate<V = unknown> {
  /** What reports and stores know it by. */
  readonly name: string;
  readonly variant: V;
  /** What it is guessed to cost, in a unit of the family's own; null where nobody guesses. */
  readonly cost: number | null;
  /** Higher for variants that round more. They must be clearly faster than those below. */
  readonly rank: number;
}

export interface Family<F extends object, V> {
  /** Equal for calls that one measurement serves. */
  key(facts: F): string;
  /** What is computed, as a person says it. */
  describe(facts: F): string;
  /** All variants that are right for `facts` on `device`. */
  candidates(device: Device, facts: F): Candidate<V>[];
}

/** A question with what its family knows of it. */
export interface Asked<V = unknown> {
  readonly family: string;
  readonly key: string;
  readonly what: string;
  readonly candidates: readonly Candidate<V>[];
  /** Among the candidates. */
  readonly guess: Candidate<V>;
}

/** Sizes that differ by less than an eighth are alike; small ones aren't. */
export function sizeClass(n: number): number {
  if (n <= 32) return n;
  const step = 2 ** (Math.floor(Math.log2(n)) - 3);
  return Math.ceil(n / step) * step;
}

/** Candidates that may turn out the fastest: those that are guessed to cost many times the least are left out. */
export function worthTrying<V>({ candidates, guess }: Asked<V>): Candidate<V>[] {
  const least = Math.min(...candidates.map(({ cost }) => cost ?? Number.POSITIVE_INFINITY));
  return candidates.filter(({ cost, name }) => name === guess.name || cost === null || cost <= 3 * least);
}

/** Of two candidates of different accuracy the faster must take less than this share. */
const worthwhile = 0.85;

/** The fastest candidate, among those that were measured. Null where none was. */
export function fastest<V>(
  candidates: readonly Candidate<V>[],
  milliseconds: Readonly<Record<string, number>>,
): Candidate<V> | null {
  const timeOf = ({ name }: Candidate<V>) => milliseconds[name] ?? Number.POSITIVE_INFINITY;
  const measured = candidates.filter((candidate) => timeOf(candidate) < Number.POSITIVE_INFINITY);
  measured.sort((a, b) => a.rank - b.rank || timeOf(a) - timeOf(b));
  return measured.reduce<Candidate<V> | null>((best, next) => {
    if (!best) return next;
    const share = next.rank > best.rank ? worthwhile : 1;
    return timeOf(next) < share * timeOf(best) ? next : best;
  }, null);
}
