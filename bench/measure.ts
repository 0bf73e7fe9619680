/**
 * @file Measures contenders in interleaved rounds, so that a drift of the machine affects all of them equally, and computes
 * medians with their spread.
 */
import { Bench } from 'tinybench';

/** The measured functions: many runs, then one wait until the device is done. */
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
  /** Number of runs in a sample, so that they outweigh the wait. */
  repeats: number;
}

export interface MeasureOptions {
  /** Total milliseconds per contender. Default 400. */
  budget?: number;
  /** Rounds over which a contender's samples are spread. Default: one per 80 ms, at least 5. */
  rounds?: number;
}

/** Rounds are short: other activity on a machine lasts seconds, and should affect all contenders. */
const turn = 80;
const minRounds = 5;

/**
 * The smallest duration of a sample in milliseconds, and how many times longer than an empty wait (100 ms in some browsers)
 * it must be, …
 */
const wantedSample = 20;
const wantedWaits = 8;
/** … but not more runs than this. */
const maxRepeats = 128;
const maxSamplesInRound = 32;

interface Plan {
  sample: () => Promise<void>;
  repeats: number;
  /** Samples per round. */
  samples: number;
  rounds: number;
  /** Milliseconds of the runs so far. */
  taken: number[];
}

/**
 * Measures every contender. The first runs of each, which compile kernels, aren't counted. A contender that throws gets its
 * error instead of a measurement, and doesn't affect the others.
 */
export async function measure<K extends string>(
  contenders: Readonly<Record<K, Timed>>,
  { budget = 400, rounds = Math.max(minRounds, Math.round(budget / turn)) }: MeasureOptions = {},
): Promise<Record<K, Measurement | Error>> {
  const results = {} as Record<K, Measurement | Error>;
  const plans = new Map<K, Plan>();
  const attempt = async (name: K, doing: () => Promise<void>) => {
    try {
      await doing();
    } catch (error) {
      plans.delete(name);
      results[name] = error instanceof Error ? error : new Error(String(error));
    }
  };
  for (const name of Object.keys(contenders) as K[]) {
    await attempt(name, async () => {
      plans.set(name, await plan(contenders[name], budget, rounds));
    });
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, planned] of plans) {
      if (!takesPart(planned.rounds, round, rounds)) continue;
      await attempt(name, async () => {
        planned.taken.push(...(await samplesOf(name, planned)));
      });
    }
  }
  for (const [name, { taken, repeats }] of plans) results[name] = { ...summarize(taken), repeats };
  return results;
}

/** Returns whether a contender with a budget for `own` of all rounds takes part in this one: its rounds are spread evenly. */
function takesPart(own: number, round: number, rounds: number): boolean {
  const turnsBefore = (end: number) => Math.floor((end * Math.min(own, rounds)) / rounds);
  return turnsBefore(round + 1) > turnsBefore(round);
}

async function samplesOf(name: string, { sample, samples, repeats }: Plan): Promise<number[]> {
  const now = () => performance.now();
  const bench = new Bench({ iterations: samples, time: 0, warmup: false, retainSamples: true, now });
  bench.add(name, sample, { async: true });
  await bench.run();
  const result = bench.tasks[0]?.result;
  if (result?.state === 'errored') throw result.error;
  if (result?.state !== 'completed') throw new Error(`${name} was not measured`);
  return (result.latency.samples ?? []).map((milliseconds) => milliseconds / repeats);
}

/**
 * Returns the number of runs per sample, and of samples that fit into a round's share of `budget` milliseconds. Also warms up.
 */
async function plan(contender: Timed, budget: number, rounds: number): Promise<Plan> {
  const sampleOf = (repeats: number) => async () => {
    for (let i = 0; i < repeats; i++) await contender.run();
    await contender.wait();
  };
  await sampleOf(1)();
  const wanted = Math.max(wantedSample, wantedWaits * (await idleWait(contender)));
  let repeats = 1;
  for (;;) {
    const start = performance.now();
    await sampleOf(repeats)();
    const took = performance.now() - start;
    if (took >= wanted / 2 || repeats >= maxRepeats) {
      const samples = Math.max(1, Math.min(maxSamplesInRound, Math.round(budget / rounds / took)));
      const affordable = Math.max(minRounds, Math.round(budget / took));
      // If a single run takes most of the budget, the first warm run already counts, and there are two more.
      const slow = took > 0.8 * budget;
      const [limit, taken] = slow ? [2, [took / repeats]] : [affordable, []];
      return { sample: sampleOf(repeats), repeats, samples, rounds: limit, taken };
    }
    repeats = Math.min(maxRepeats, Math.max(2 * repeats, Math.ceil((repeats * wanted) / Math.max(took, 1))));
  }
}

/** Measures how many milliseconds a wait takes with nothing to wait for. */
async function idleWait({ wait }: Timed): Promise<number> {
  const start = performance.now();
  await wait();
  return performance.now() - start;
}

export function summarize(values: readonly number[]): Omit<Measurement, 'repeats'> {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / 2 / at(0.5), samples: sorted.length };
}
