/**
 * @file Measures calls on a device that executes nothing, in turns, so that a drift of the machine affects all sides equally. Time is
 * the processor time of this process: other programs on the machine don't count.
 */
import process from 'node:process';
import { getDevice, init } from 'retrograd';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';
import { matcher } from '../comparison.ts';
import type { Contender, Job } from '../job.ts';
import { summarize } from '../measure.ts';
import { messageOf } from '../result.ts';
import { Counter } from './counter.ts';
import {
  gpuProfiles,
  type GpuProfile,
  hostPeers,
  type HostRow,
  type HostTime,
  type LoneCall,
  type Side,
  sides,
} from './result.ts';
import { hostCases, type HostCase } from './rows.ts';

/** Calls in a sample, at most, and the milliseconds that they should take. */
const maxCalls = 256;
const sampleTime = 12;
/** Processor time of each side before the measurement, in ms: a call of many functions is compiled after hundreds of calls only. */
const warmTime = 800;
const samplesEach = 30;
/** Lone calls of each side, and the calls of a burst. */
const loneCalls = 30;
const burst = 1000;

/** One side of a case, ready to run. */
interface Prepared {
  readonly side: Side;
  readonly job: Job;
  /** Runs in a sample. */
  runs: number;
  readonly taken: number[];
}

export const casesFor = (filter: string): HostCase[] => {
  const matches = matcher(filter);
  return hostCases.filter(({ name }) => matches(name));
};

/** Has Retrograd select kernels as on an adapter of another kind. */
const profiles = new Map<GpuProfile, object>();

/** What nothing computes is undefined: it reads as zeros, fault words included. */
function readZeros(): void {
  const { prototype } = GPUBuffer;
  const { getMappedRange } = prototype;
  prototype.getMappedRange = function (...range) {
    const bytes = getMappedRange.apply(this, range);
    if (this.usage & GPUBufferUsage.MAP_READ) new Uint8Array(bytes).fill(0);
    return bytes;
  };
}

async function openProfiles(): Promise<void> {
  readZeros();
  await init();
  for (const kind of gpuProfiles) {
    await loadKernelsFor(kind);
    profiles.set(kind, createProfile(getDevice(), kind));
  }
}

function useProfileOf(side: Side): void {
  const profile = profiles.get(side as GpuProfile);
  if (profile) getDevice().profile = profile;
}

/** Measures the cases that match `filter`, and then when a lone call is submitted. */
export async function measureHost(
  filter: string,
  onRow: (row: HostRow) => void,
): Promise<Partial<Record<Side, LoneCall>>> {
  await openProfiles();
  const counter = new Counter();
  for (const each of casesFor(filter)) onRow(await measureCase(each, counter));
  return measureLone(hostCases[0] as HostCase, counter);
}

const isPeer = (side: Side): side is (typeof hostPeers)[number] =>
  (hostPeers as readonly Side[]).includes(side);

function contenderOf(hostCase: HostCase, side: Side): Contender | string {
  const contender = isPeer(side) ? hostCase[side] : hostCase.retrograd;
  return typeof contender === 'function' ? contender : contender.unable;
}

async function prepareAll(hostCase: HostCase, notes: Partial<Record<Side, string>>): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const side of sides) {
    const contender = contenderOf(hostCase, side);
    if (typeof contender === 'string') {
      notes[side] = contender;
      continue;
    }
    useProfileOf(side);
    try {
      prepared.push({ side, job: await contender(hostCase.inputs()), runs: 1, taken: [] });
    } catch (error) {
      notes[side] = messageOf(error);
    }
  }
  return prepared;
}

async function measureCase(hostCase: HostCase, counter: Counter): Promise<HostRow> {
  const { name, calls = 1 } = hostCase;
  const notes: Partial<Record<Side, string>> = {};
  const times: Partial<Record<Side, HostTime>> = {};
  let prepared = await prepareAll(hostCase, notes);
  const attempt = async (each: Prepared, doing: () => Promise<void>) => {
    useProfileOf(each.side);
    try {
      await doing();
    } catch (error) {
      notes[each.side] = messageOf(error);
      prepared = prepared.filter((other) => other !== each);
    }
  };
  for (const each of prepared) await attempt(each, () => warm(each));
  for (let i = 0; i < samplesEach; i++) {
    for (const each of prepared) {
      await attempt(each, async () => {
        each.taken.push(await sample(each));
      });
    }
  }
  for (const each of prepared) {
    await attempt(each, async () => {
      const { median, spread, samples } = summarize(each.taken);
      const { submissions, launches } = await counter.during(() => runAndWait(each.job, 1));
      const counted = { submissions: submissions / calls, launches: launches / calls };
      times[each.side] = { microseconds: (1000 * median) / calls, spread, samples, ...counted };
    });
    await each.job.dispose();
  }
  return { name, times, notes };
}

async function runAndWait({ run, wait }: Job, runs: number): Promise<void> {
  for (let i = 0; i < runs; i++) {
    const running = run();
    if (running) await running;
  }
  await wait();
}

/** Milliseconds that this process has spent on a processor. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Warms up, and finds the number of runs that fill a sample. */
async function warm(each: Prepared): Promise<void> {
  const warmUntil = processorTime() + warmTime;
  for (;;) {
    const start = processorTime();
    await runAndWait(each.job, each.runs);
    const end = processorTime();
    const took = end - start;
    const fills = each.runs === maxCalls || took > sampleTime / 2;
    if (fills && end > warmUntil) return;
    // Cold calls take longer: the last sample decides.
    each.runs = Math.min(maxCalls, Math.max(1, Math.ceil((each.runs * sampleTime) / took)));
  }
}

/**
 * Milliseconds of one run: submissions and what their promises do are included, but not what an idle device takes to answer a wait.
 */
async function sample({ job, runs }: Prepared): Promise<number> {
  await job.wait();
  const before = processorTime();
  await job.wait();
  const start = processorTime();
  await runAndWait(job, runs);
  const end = processorTime();
  return (end - start - (start - before)) / runs;
}

/** Returns after the other tasks of the event loop. */
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function measureLone(hostCase: HostCase, counter: Counter): Promise<Partial<Record<Side, LoneCall>>> {
  const found: Partial<Record<Side, LoneCall>> = {};
  for (const { side, job } of await prepareAll(hostCase, {})) {
    useProfileOf(side);
    await runAndWait(job, maxCalls);
    const delays: number[] = [];
    let within = 0;
    for (let i = 0; i < loneCalls; i++) {
      await pause(1);
      let [start, returned] = [0, 0];
      const { first } = await counter.during(async () => {
        start = performance.now();
        await job.run();
        returned = performance.now();
        await pause(20);
        // Otherwise a library that submits at a wait would never submit.
        await job.wait();
      });
      if (first === null) continue;
      delays.push(1000 * (first - start));
      if (first < returned) within++;
    }
    const many = await counter.during(() => runAndWait(job, burst));
    found[side] = {
      firstSubmission: summarize(delays).median,
      isWithinCall: within === loneCalls,
      submissionsOfMany: many.submissions,
    };
    await job.dispose();
  }
  return found;
}
