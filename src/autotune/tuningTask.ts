/** @file A problem that is tuned: its algorithms, and which of them are worth measuring. */
import { type Candidate, cheapest } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceProfile } from '../kernels/adapterProfiles.ts';

/** What the autotuner knows about a tunable of the kernels. */
export interface Trials<P extends object, A> {
  /** All algorithms that are correct for `problem` and may turn out the fastest. The selected one is among them. */
  algorithms(problem: P, profile: DeviceProfile): Candidate<A>[];
  /** Equal for problems that share a measurement. */
  key(problem: P): string;
  /** What is computed, for reports. */
  describe(problem: P): string;
  /** Launches `algorithm` on operands of its own. */
  launch(device: Device, problem: P, algorithm: A): void;
}

export interface TuningTask<A = unknown> {
  /** Equal for problems that share a measurement. */
  readonly key: string;
  /** What is computed, for reports. */
  readonly what: string;
  readonly candidates: readonly Candidate<A>[];
  /** The one that is launched without a measurement. */
  readonly selected: Candidate<A>;
  /** Launches `algorithm` on operands of its own; their values are undefined. */
  launch(algorithm: A): void;
}

/** Sizes that differ by less than an eighth are in one class; small ones are not. */
export function sizeClass(n: number): number {
  if (n <= 32) return n;
  const step = 2 ** (Math.floor(Math.log2(n)) - 3);
  return Math.ceil(n / step) * step;
}

/** Candidates that may be the fastest: those whose estimated cost is many times the least are left out. */
export function worthTrying<A>({ candidates, selected }: TuningTask<A>): Candidate<A>[] {
  const least = Math.min(...candidates.map(({ cost }) => cost ?? Number.POSITIVE_INFINITY));
  return candidates.filter(({ cost, name }) => name === selected.name || cost === null || cost <= 3 * least);
}

/** The fastest of the candidates that were measured; null where none was. */
export function fastest<A>(
  candidates: readonly Candidate<A>[],
  milliseconds: Readonly<Record<string, number>>,
): Candidate<A> | null {
  return cheapest(candidates, ({ name }) => milliseconds[name] ?? Number.POSITIVE_INFINITY);
}
