/**
 * @file Measures calls of one side on a device that executes nothing. Each side has a process of its own, as in an app: what another library
 * leaves to the garbage collector and to the compiler would slow down its calls. Time is the processor time of this process: other
 * programs on the machine don't count.
 */
import process from 'node:process';
import { getDevice, init } from 'retrograd';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';
import type { Contender, Job } from '../job.ts';
import { summarize } from '../measure.ts';
import { messageOf } from '../result.ts';
import { type Counts, Counter } from './counter.ts';
import { type GpuProfile, gpuProfiles, hostPeers, type LoneCall, type Side } from './result.ts';
import { type HostCase, hostCases } from './rows.ts';

/** Calls in a sample, at most, and the milliseconds that they should take. */
const maxCalls = 256;
const sampleTime = 30;
/** Processor time before the measurement, in ms: a tape is compiled after some thousand calls only. */
const warmTime = 1500;
/** Lone calls, and the calls of a burst. */
const loneCalls = 30;
const burst = 1000;

const isPeer = (side: Side): side is (typeof hostPeers)[number] =>
  (hostPeers as readonly Side[]).includes(side);
const isProfile = (side: Side): side is GpuProfile => (gpuProfiles as readonly Side[]).includes(side);

/** What a process does for the one that compares. Methods fail with the reason why this side can't run a call. */
export class MeasuredSide {
  readonly #counter = new Counter();
  #job: Job | null = null;
  /** Runs in a sample. */
  #runs = 1;

  private constructor(private readonly side: Side) {}

  static async open(side: Side): Promise<MeasuredSide> {
    if (isProfile(side)) await selectAsOn(side);
    return new MeasuredSide(side);
  }

  /** Prepares the call of this name, and warms it up. */
  async prepare(name: string): Promise<void> {
    const hostCase = hostCases.find((each) => each.name === name);
    if (!hostCase) throw new Error(`no such call: ${name}`);
    const contender = contenderOf(hostCase, this.side);
    if (typeof contender === 'string') throw new Error(contender);
    const job = await contender(hostCase.inputs());
    this.#job = job;
    this.#runs = await warm(job);
  }

  /**
   * Returns milliseconds of one run: submissions and what their promises do are included, but not what an idle device takes to answer a
   * wait.
   */
  async sample(): Promise<number> {
    const job = this.#prepared();
    await job.wait();
    const before = processorTime();
    await job.wait();
    const start = processorTime();
    await runAndWait(job, this.#runs);
    const end = processorTime();
    return (end - start - (start - before)) / this.#runs;
  }

  /** Returns what one run submits and launches. */
  count(): Promise<Counts> {
    return this.#counter.during(() => runAndWait(this.#prepared(), 1));
  }

  /** Measures when a lone call is submitted. */
  async lone(): Promise<LoneCall> {
    const job = this.#prepared();
    await runAndWait(job, maxCalls);
    const delays: number[] = [];
    let within = 0;
    for (let i = 0; i < loneCalls; i++) {
      await pause(1);
      let [start, returned] = [0, 0];
      const { first } = await this.#counter.during(async () => {
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
    const many = await this.#counter.during(() => runAndWait(job, burst));
    return {
      firstSubmission: summarize(delays).median,
      isWithinCall: within === loneCalls,
      submissionsOfMany: many.submissions,
    };
  }

  async dispose(): Promise<void> {
    await this.#job?.dispose();
    this.#job = null;
  }

  #prepared(): Job {
    if (!this.#job) throw new Error('no call is prepared.');
    return this.#job;
  }
}

export type SideMethod = Exclude<keyof MeasuredSide, 'side'>;

/** Answers a request of the process that compares: one of the methods, and its argument. */
export async function answer(
  side: MeasuredSide,
  { method, argument }: { method: SideMethod; argument: string },
): Promise<{ result?: unknown; failure?: string }> {
  try {
    return { result: await side[method](argument) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

/** Has Retrograd select kernels as on an adapter of another kind. */
async function selectAsOn(kind: GpuProfile): Promise<void> {
  readZeros();
  await init();
  await loadKernelsFor(kind);
  getDevice().profile = createProfile(getDevice(), kind);
}

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

function contenderOf(hostCase: HostCase, side: Side): Contender | string {
  const contender = isPeer(side) ? hostCase[side] : hostCase.retrograd;
  return typeof contender === 'function' ? contender : contender.unable;
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

/** Warms up, and returns the number of runs that fill a sample. */
async function warm(job: Job): Promise<number> {
  const warmUntil = processorTime() + warmTime;
  for (let runs = 1; ; ) {
    const start = processorTime();
    await runAndWait(job, runs);
    const end = processorTime();
    const took = end - start;
    const fills = runs === maxCalls || took > sampleTime / 2;
    if (fills && end > warmUntil) return runs;
    // Cold calls take longer: the last sample decides.
    runs = Math.min(maxCalls, Math.max(1, Math.ceil((runs * sampleTime) / took)));
  }
}

/** Returns after the other tasks of the event loop. */
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
