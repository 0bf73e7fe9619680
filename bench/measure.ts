/**
 * @file Measuring contenders side by side: interleaved rounds, so that a drift of the machine meets all of them alike,
 * and medians with their spread.
 */
import { Bench } from 'tinybench';

/** What is measured: one call computes and waits until the device is done. */
export type Contender = () => Promise<void>;

export interface Measurement {
  /** Milliseconds, of one call. */
  median: number;
  /** Half the distance between the quartiles, relative to the median. */
  spread: number;
  samples: number;
}

export interface MeasureOptions {
  /** Milliseconds that each contender may take in all. Default 400. */
  budget?: number;
  /** Rounds over which a contender's calls are spread. Default 5. */
  rounds?: number;
}

/** Measures every contender. The first call of each, which compiles kernels, isn't counted. */
export async function measure<K extends string>(
  contenders: Readonly<Record<K, Contender>>,
  { budget = 400, rounds = 5 }: MeasureOptions = {},
): Promise<Record<K, Measurement>> {
  const names = Object.keys(contenders) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  const calls = {} as Record<K, number>;
  for (const name of names) {
    await contenders[name]();
    const start = performance.now();
    await contenders[name]();
    const once = Math.max(0.05, performance.now() - start);
    calls[name] = Math.max(2, Math.min(64, Math.round(budget / rounds / once)));
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const bench = new Bench({ iterations: calls[name], time: 0, warmup: false, retainSamples: true });
      bench.add(name, contenders[name], { async: true });
      await bench.run();
      const result = bench.tasks[0]?.result;
      if (result?.state !== 'completed') throw new Error(`${name} failed`, { cause: result });
      samples[name].push(...(result.latency.samples ?? []));
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(samples[name])])) as Record<K, Measurement>;
}

function summarize(values: readonly number[]): Measurement {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { median: at(0.5), spread: (at(0.75) - at(0.25)) / 2 / at(0.5), samples: sorted.length };
}
