/** @file A tunable problem: its algorithms, and which of them are worth measuring. */
import { type Candidate, cheapest } from '../webgpu/autotuner.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceProfile } from '../kernels/selection/deviceProfile.ts';

/** The autotuner's view of a tunable of the kernels. */
export interface Trials<P extends object, A> {
  /** All algorithms that are correct for `problem` and may be the fastest, including the selected one. */
  algorithms(problem: P, profile: DeviceProfile): Candidate<A>[];
  /** Equal for problems that share a measurement. */
  key(problem: P): string;
  /** What is computed, for reports. */
  describe(problem: P): string;
  /** Launches `algorithm` on new operands. */
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
  /** Launches `algorithm` on new operands with undefined values. */
  launch(algorithm: A): void;
}

/** Large sizes that differ by less than an eighth are in one class; each small size is its own class. */
export function sizeClass(n: number): number {
  if (n <= 32) return n;
  const step = 2 ** (Math.floor(Math.log2(n)) - 3);
  return Math.ceil(n / step) * step;
}

/** Returns the candidates that may be the fastest, without those whose estimated cost is many times the least. */
export function worthTrying<A>({ candidates, selected }: TuningTask<A>): Candidate<A>[] {
  const min = Math.min(...candidates.map(({ cost }) => cost ?? Number.POSITIVE_INFINITY));
  return candidates.filter(({ cost, name }) => name === selected.name || cost === null || cost <= 3 * min);
}

/** Returns the fastest of the candidates that were measured; null if none were. */
export function fastest<A>(
  candidates: readonly Candidate<A>[],
  milliseconds: Readonly<Record<string, number>>,
): Candidate<A> | null {
  return cheapest(candidates, ({ name }) => milliseconds[name] ?? Number.POSITIVE_INFINITY);
}
