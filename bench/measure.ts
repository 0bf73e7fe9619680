/**
 * @file Measuring contenders side by side: interleaved rounds, so that a drift of the machine meets all of them alike,
 * and medians with their spread.
 */
import { Bench } from 'tinybench';

/** What is measured: many runs, then one wait until the device is done. */
export interface Timed {
  run(): void | Promise<void>;
  wait(): Promise<void>;
}

export interface Measurement {
  /** Milliseconds of one run. */
  median: number;
  /** Half the distance between the quartiles, relative to the median. */
  spread: number;
  samples: number;
  /** Runs in a sample, so that the wait doesn't hide them. */
  repeats: number;
}

export interface MeasureOptions {
  /** Milliseconds that each contender may take in all. Default 400. */
  budget?: number;
  /** Rounds over which a contender's samples are spread. Default 5. */
  rounds?: number;
}

/** A sample should take so many milliseconds, … */
const wantedSample = 20;
/** … but not more runs than this. */
const mostRepeats = 128;
const mostSamplesInRound = 32;

interface Plan {
  sample: () => Promise<void>;
  repeats: number;
  samples: number;
}

/** Measures every contender. The first runs of each, which compile kernels, aren't counted. */
export async function measure<K extends string>(
  contenders: Readonly<Record<K, Timed>>,
  { budget = 400, rounds = 5 }: MeasureOptions = {},
): Promise<Record<K, Measurement>> {
  const names = Object.keys(contenders) as K[];
  const plans = {} as Record<K, Plan>;
  for (const name of names) plans[name] = await plan(contenders[name], budget / rounds);
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const { sample, samples: iterations, repeats } = plans[name];
      const bench = new Bench({ iterations, time: 0, warmup: false, retainSamples: true });
      bench.add(name, sample, { async: true });
      await bench.run();
      const result = bench.tasks[0]?.result;
      if (result?.state !== 'completed') throw new Error(`${name} failed`, { cause: result });
      samples[name].push(...(result.latency.samples ?? []).map((milliseconds) => milliseconds / repeats));
    }
  }
  const entries = names.map((name) => [name, { ...summarize(samples[name]), repeats: plans[name].repeats }]);
  return Object.fromEntries(entries) as Record<K, Measurement>;
}

/** How many runs make a sample, and how many samples fit into `budget` milliseconds. Warms up on the way. */
async function plan(contender: Timed, budget: number): Promise<Plan> {
  const sampleOf = (repeats: number) => async () => {
    for (let i = 0; i < repeats; i++) await contender.run();
    await contender.wait();
  };
  await sampleOf(1)();
  let repeats = 1;
  for (;;) {
    const start = performance.now();
    await sampleOf(repeats)();
    const took = performance.now() - start;
    if (took >= Math.min(wantedSample, budget) / 2 || repeats >= mostRepeats) {
      const samples = Math.max(1, Math.min(mostSamplesInRound, Math.round(budget / took)));
      return { sample: sampleOf(repeats), repeats, samples };
    }
    repeats = Math.min(
      mostRepeats,
      Math.max(2 * repeats, Math.ceil((repeats * wantedSample) / Math.max(took, 1))),
    );
  }
}

export function summarize(values: readonly number[]): Omit<Measurement, 'repeats'> {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / 2 / at(0.5), samples: sorted.length };
}
