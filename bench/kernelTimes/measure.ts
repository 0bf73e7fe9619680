/** @file Measures the problems of bench/codegen on the GPU at hand: Retrograd's kernels and its peers'. */
import { getDevice, init, type Tensor } from 'retrograd';
import type { Problem } from '../codegen/problem.ts';
import { problems } from '../codegen/problems/index.ts';
import { matcher } from '../comparison.ts';
import { type HostArray, integers, seeded, sizeOf } from '../host.ts';
import { type Contender, type Job, libraries, type Library, type Peer, peers as peerNames } from '../job.ts';
import { captureNothing } from '../peers/ort.ts';
import { messageOf } from '../result.ts';
import { retrograd } from '../retrograd.ts';
import { type Command, capture, installCapture, Replay, timesOf } from './replay.ts';
import type { KernelRow, KernelSetting, KernelTime } from './result.ts';
import { sampleOrder } from './sample.ts';

/** Peers take their inputs from the host; more values than this take too long to prepare. */
const maxPeerValues = 2 ** 25;
/** Results are compared if a problem has fewer values in its inputs. */
const maxComparedValues = 2 ** 21;

export interface MeasureOptions {
  /** A text that is in a problem's name or family, or a /REGEXP/ that matches one; empty for all. */
  readonly filter: string;
  /** No problem is begun after this time. */
  readonly seconds: number;
  readonly peers: boolean;
  onRow(row: KernelRow): void;
}

export const problemsFor = (filter: string): Problem[] => {
  const matches = matcher(filter);
  return sampleOrder(problems.filter(({ name, family }) => matches(name) || matches(family)));
};

/** Opens Retrograd's device with WebGPU wrapped. Returns null if the device has no timestamps. */
export async function openMachine(): Promise<Omit<KernelSetting, 'versions'> | null> {
  installCapture();
  captureNothing();
  // A pool that reaches its limit destroys buffers, which captured launches still use.
  await init({ maxPooledBytes: 2 ** 35 });
  const { gpu, adapter } = getDevice();
  const { vendor, architecture, device, description, kind } = adapter;
  if (!gpu.features.has('timestamp-query')) return null;
  return {
    adapter: [vendor, architecture, device, description].filter(Boolean).join(' '),
    profile: kind,
    engine: globalThis.navigator.userAgent,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Measures problems one after another, a sample first. Call `openMachine` before. */
export async function measureKernels({ filter, seconds, peers, onRow }: MeasureOptions): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  // Dawn settles promises only while the event loop has something to do, and ONNX Runtime's waits don't keep it busy.
  const busy = setInterval(() => {}, 1);
  try {
    for (const problem of problemsFor(filter)) {
      if (performance.now() > end) break;
      onRow(await measureProblem(problem, peers));
    }
  } finally {
    clearInterval(busy);
  }
}

interface Prepared {
  readonly library: Library;
  readonly job: Job;
  readonly commands: readonly Command[];
  /** Null where inputs are large. */
  readonly results: readonly HostArray[] | null;
}

async function measureProblem(problem: Problem, withPeers: boolean): Promise<KernelRow> {
  const { name, family, fmas } = problem;
  const notes: Partial<Record<Library, string>> = {};
  const prepared = await prepareAll(problem, withPeers, notes);
  const reference = prepared.find(({ library }) => library === 'retrograd')?.results ?? null;
  const replays = prepared.map(({ job, commands }) => new Replay(job.device, commands));
  const timings = await timesOf(replays);
  const times: Partial<Record<Library, KernelTime>> = {};
  for (const [i, { library, commands, results }] of prepared.entries()) {
    const timing = timings[i];
    if (timing instanceof Error) notes[library] = messageOf(timing);
    else if (timing) {
      const compared = library === 'retrograd' ? null : reference;
      const difference = compared && results ? differenceOf(compared, results) : null;
      times[library] = { ...timing, ...launchesOf(commands), difference };
    }
  }
  for (const replay of replays) replay.dispose();
  for (const { job } of prepared) await job.dispose();
  return { name, family, fmas, times, notes };
}

function launchesOf(commands: readonly Command[]): Pick<KernelTime, 'launches' | 'kernels'> {
  const kernels = commands.map((command) => (command.kind === 'launch' ? command.label : 'copy'));
  return { launches: commands.filter(({ kind }) => kind === 'launch').length, kernels };
}

/** Captures a run of each library. None may run again before the problem is timed: see replay.ts. */
async function prepareAll(
  problem: Problem,
  withPeers: boolean,
  notes: Partial<Record<Library, string>>,
): Promise<Prepared[]> {
  const inputs = inputsOf(problem);
  const values = inputs.reduce((sum, input) => sum + input.values.length, 0);
  const contenders: Partial<Record<Library, Contender>> = { retrograd: contenderOf(problem) };
  if (withPeers) Object.assign(contenders, peersOf(problem, values, notes));
  const prepared: Prepared[] = [];
  for (const library of libraries) {
    const contender = contenders[library];
    if (!contender) continue;
    try {
      prepared.push(await prepare(library, contender, inputs, values < maxComparedValues));
    } catch (error) {
      notes[library] = messageOf(error);
    }
  }
  return prepared;
}

function contenderOf({ run }: Problem): Contender {
  const isTensor = (result: Tensor | null): result is Tensor => result !== null;
  return retrograd((...inputs) => [run(...inputs)].flat().filter(isTensor));
}

function peersOf(
  { peers = {} }: Problem,
  values: number,
  notes: Partial<Record<Library, string>>,
): Partial<Record<Peer, Contender>> {
  const contenders: Partial<Record<Peer, Contender>> = {};
  for (const peer of peerNames) {
    const contender = peers[peer];
    if (!contender) continue;
    if (typeof contender !== 'function') notes[peer] = contender.unable;
    else if (values > maxPeerValues) notes[peer] = 'not run: its inputs are large';
    else contenders[peer] = contender;
  }
  return contenders;
}

async function prepare(
  library: Library,
  contender: Contender,
  inputs: readonly HostArray[],
  reads: boolean,
): Promise<Prepared> {
  const job = await contender(inputs);
  const runOnce = async () => {
    await job.run();
    await job.wait();
  };
  try {
    await runOnce();
    const results = reads ? await job.results() : null;
    // Again, since reading may have changed what the library has ready.
    await runOnce();
    return { library, job, commands: await capture(runOnce), results };
  } catch (error) {
    await job.dispose();
    throw error;
  }
}

/** Values in [-1, 1), of which large inputs repeat a part: to draw each would take long. */
const noise = (() => {
  const random = seeded(1);
  return Float32Array.from({ length: 2 ** 16 }, () => 2 * random() - 1);
})();

function inputsOf({ inputs }: Problem): HostArray[] {
  return inputs.map(({ shape, dtype }, at) => {
    // The integers are indices into the first input.
    if (dtype === 'int32') return integers(shape, inputs[0]?.shape[0] ?? 1, 7);
    const values = new Float32Array(sizeOf(shape));
    const part = noise.subarray(977 * at);
    for (let i = 0; i < values.length; i += part.length) {
      values.set(part.subarray(0, values.length - i), i);
    }
    return { shape, values };
  });
}

/** The largest difference of all results, relative to each one's largest value. */
const differenceOf = (expected: readonly HostArray[], actual: readonly HostArray[]): number =>
  Math.max(...expected.map((each, i) => relativeDifference(each, actual[i])));

function relativeDifference(expected: HostArray, actual: HostArray | undefined): number {
  if (expected.values.length !== actual?.values.length) return Number.POSITIVE_INFINITY;
  let [largest, scale] = [0, 0];
  for (const [i, value] of expected.values.entries()) {
    const difference = Math.abs(value - (actual.values[i] ?? Number.NaN));
    if (Number.isNaN(difference)) return Number.POSITIVE_INFINITY;
    largest = Math.max(largest, difference);
    scale = Math.max(scale, Math.abs(value));
  }
  return largest / (scale || 1);
}
