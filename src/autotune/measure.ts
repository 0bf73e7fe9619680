/** @file Measures candidates in interleaved rounds, so that other load on the machine affects all of them. */
import type { Device } from '../webgpu/device.ts';
import { timePasses } from '../webgpu/timing.ts';

/** Work to be timed. */
export interface Timed {
  readonly name: string;
  /** Appends the work to the device's stream. */
  run(): void;
}

/** Milliseconds of `times` runs in total. */
export type Stopwatch = (device: Device, subject: Timed, times: number) => Promise<number>;

/** GPU time if the device has timestamps, otherwise the time from submission to completion. */
export const stopwatch: Stopwatch = async (device, subject, times) => {
  const run = () => {
    for (let i = 0; i < times; i++) subject.run();
  };
  const onDevice = await timePasses(device, run);
  if (onDevice !== null) return onDevice;
  device.flush();
  await device.submittedWorkDone();
  const start = performance.now();
  run();
  device.flush();
  await device.submittedWorkDone();
  return performance.now() - start;
};

const rounds = 5;
/** The minimum time of a measurement: browser clocks have a resolution of 0.1 ms. */
const minMilliseconds = 1;
const maxRepeats = 64;
/** A candidate that takes this many times as long as the best isn't timed again. */
const hopeless = 1.5;

/** Median milliseconds per run of each subject. `isOver` ends it early. */
export async function measure(
  device: Device,
  subjects: readonly Timed[],
  watch: Stopwatch,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  // The first run is slower than any other: its memory isn't allocated yet.
  for (const subject of subjects) await watch(device, subject, 1);
  const times = new Map<Timed, number[]>();
  const repeats = new Map<Timed, number>();
  for (const subject of subjects) {
    const once = await watch(device, subject, 1);
    times.set(subject, [once]);
    const wanted = once > 0 ? Math.ceil(minMilliseconds / once) : maxRepeats;
    repeats.set(subject, Math.min(maxRepeats, Math.max(1, wanted)));
  }
  let left = [...subjects];
  for (let round = 0; round < rounds && left.length > 1; round++) {
    if (isOver()) break;
    for (const subject of left) {
      const count = repeats.get(subject) as number;
      const took = (await watch(device, subject, count)) / count;
      if (round === 0) times.set(subject, []);
      times.get(subject)?.push(took);
    }
    const best = Math.min(...left.map((subject) => median(times.get(subject) as number[])));
    left = left.filter((subject) => median(times.get(subject) as number[]) <= hopeless * best);
  }
  return Object.fromEntries([...times].map(([{ name }, taken]) => [name, median(taken)]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
