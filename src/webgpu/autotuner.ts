/**
 * @file The interface of an autotuner, as kernels see it. Kernels list and select algorithms by themselves; if an app
 * measures, its autotuner decides first. Without autotuning, a launch costs one additional null check.
 */

/** An algorithm that solves a problem. */
export interface Candidate<A = unknown> {
  /** Its name in reports and stores. */
  readonly name: string;
  readonly algorithm: A;
  /** Estimated cost, in a unit that depends on the tunable; null if there is no estimate. */
  readonly cost: number | null;
  /** Higher for less accurate algorithms, which must be clearly cheaper than those of lower rank. */
  readonly rank: number;
}

/** A kind of problem that several algorithms solve. */
export interface Tunable<P extends object, A> {
  /** Identifies the list of its algorithms to an autotuner. */
  readonly name: string;
  /** The algorithm to launch if nothing is measured. Pure; `profile` is the device's. */
  select(problem: P, profile: object): A;
}

export interface Autotuner {
  /** Changes whenever a choice changes, since earlier captures would then launch different kernels. */
  readonly version: number;
  /** Resolves once all problems requested so far are measured; null if nothing is being measured. */
  readonly measuring: Promise<void> | null;
  /** The algorithm to launch for `problem`; null if it prefers none over the selected one. `profile` is the device's. */
  choose<P extends object, A>(tunable: Tunable<P, A>, problem: P, profile: object): A | null;
}

/** Kernel variants that a device must not launch, because they compute wrong values or don't compile. */
export interface VariantBlocklist {
  /** Changes with every variant that is added. */
  readonly version: number;
  readonly names: ReadonlySet<string>;
  /** Returns `chosen` or, if that is blocked, the cheapest algorithm that isn't. */
  alternative<P extends object, A>(tunable: Tunable<P, A>, problem: P, chosen: A): A;
}

/** A less accurate algorithm must cost less than this fraction of a more accurate one. */
const worthwhile = 0.85;

/** Returns the cheapest candidate by `costOf`, which may be infinite; null if all costs are. */
export function cheapest<A>(
  candidates: readonly Candidate<A>[],
  costOf: (candidate: Candidate<A>) => number,
): Candidate<A> | null {
  const priced = candidates.map((candidate) => ({ candidate, cost: costOf(candidate) }));
  const possible = priced.filter(({ cost }) => cost < Number.POSITIVE_INFINITY);
  possible.sort((a, b) => a.candidate.rank - b.candidate.rank || a.cost - b.cost);
  const [first, ...others] = possible;
  if (!first) return null;
  let best = first;
  for (const next of others) {
    const share = next.candidate.rank > best.candidate.rank ? worthwhile : 1;
    if (next.cost < share * best.cost) best = next;
  }
  return best.candidate;
}
