/** @file Compiles problems, and reports what each library launches for them. */
import { getDevice, init, type Tensor, tidy, zeros } from 'retrograd';
import type { AdapterKind } from '../../src/webgpu/adapter.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';
import type { HostArray } from '../host.ts';
import { type Contender, type Library, type Peer, peers as peerNames } from '../job.ts';
import { captureNothing } from '../peers/ort.ts';
import { messageOf } from '../result.ts';
import { type GemmWork, watchGemms } from './gemmWork.ts';
import { type InputSpec, type Problem, sizeOf } from './problem.ts';
import { recordLaunches, type RecordedLaunch, type Recorder } from './recorder.ts';

export interface ProblemReport {
  readonly name: string;
  readonly family: string;
  readonly profile: AdapterKind;
  /** Bytes of inputs and results. */
  readonly bytes: number;
  readonly fmas: number;
  readonly terms: number;
  /** Retrograd's matrix multiplications. */
  readonly gemms: readonly GemmWork[];
  readonly launches: Readonly<Partial<Record<Library, readonly RecordedLaunch[]>>>;
  /** Why a peer has no launches. */
  readonly notes: Readonly<Partial<Record<Peer, string>>>;
}

export interface MeasureOptions {
  /** Where the layer writes its reports. */
  readonly folder: string;
  /** The profiles by which kernels are selected, one after another. */
  readonly profiles: readonly AdapterKind[];
  readonly peers: boolean;
  readonly onProblem?: (report: ProblemReport) => void;
}

/** Compiles `problems`, in order. Once per process. */
export async function measure(
  problems: readonly Problem[],
  { folder, profiles, peers, onProblem }: MeasureOptions,
): Promise<ProblemReport[]> {
  const recorder = recordLaunches(folder);
  await init();
  const device = getDevice();
  // As those of peers: what a pool rounds up is never moved.
  device.pool.sizeFor = (bytes) => 16 * Math.ceil(bytes / 16);
  const takeGemms = watchGemms(device);
  const reports: ProblemReport[] = [];
  const jobs = profiles.flatMap((profile) => problems.map((problem) => ({ profile, problem })));
  /** Peers know nothing of profiles. */
  const found = new Map<Problem, PeerLaunches>();
  for (const { profile, problem } of jobs) {
    await loadKernelsFor(profile);
    device.profile = createProfile(device, profile);
    const { name, family, fmas, terms } = problem;
    const { launches: own, bytes } = await launchesOf(problem, recorder);
    const gemms = takeGemms();
    const known = peers ? (found.get(problem) ?? (await peerLaunches(problem, recorder))) : noPeers;
    found.set(problem, known);
    const { launches, notes } = known;
    const report: ProblemReport = {
      name,
      family,
      profile,
      bytes,
      fmas,
      terms,
      gemms,
      launches: { retrograd: own, ...launches },
      notes,
    };
    reports.push(report);
    onProblem?.(report);
  }
  return reports;
}

/** Nothing is executed, so readbacks are undefined, including fault words, which `sync` would report. */
async function launchesOf({ inputs, run }: Problem, recorder: Recorder) {
  const tensors: Tensor[] = inputs.map(({ shape, dtype }) => zeros([...shape], { dtype }));
  await getDevice().finish();
  recorder.take();
  let bytes = inputs.reduce((sum, { shape }) => sum + 4 * sizeOf(shape), 0);
  tidy(() => {
    for (const result of [run(...tensors)].flat()) bytes += 4 * (result?.size ?? 0);
  });
  await getDevice().finish();
  for (const tensor of tensors) tensor.dispose();
  return { launches: recorder.take(), bytes };
}

const hostArray = ({ shape, dtype }: InputSpec): HostArray => ({
  shape,
  values: dtype === 'int32' ? new Int32Array(sizeOf(shape)) : new Float32Array(sizeOf(shape)),
});

/** Largest number of elements uploaded for a peer; peers take their inputs from the host. */
const maxUploaded = 2 ** 24;

interface PeerLaunches {
  readonly launches: Readonly<Partial<Record<Peer, readonly RecordedLaunch[]>>>;
  readonly notes: ProblemReport['notes'];
}

const noPeers: PeerLaunches = { launches: {}, notes: {} };

async function peerLaunches({ inputs, peers = {} }: Problem, recorder: Recorder): Promise<PeerLaunches> {
  const launches: Partial<Record<Peer, readonly RecordedLaunch[]>> = {};
  const notes: Partial<Record<Peer, string>> = {};
  const isLarge = inputs.some(({ shape }) => sizeOf(shape) > maxUploaded);
  for (const peer of peerNames) {
    const contender = peers[peer];
    if (!contender) continue;
    if (typeof contender !== 'function') notes[peer] = contender.unable;
    else if (isLarge) notes[peer] = 'not compiled: its inputs are large';
    else {
      try {
        launches[peer] = await launchesOfPeer(contender, inputs, recorder);
      } catch (error) {
        notes[peer] = messageOf(error);
      }
    }
  }
  return { launches, notes };
}

async function launchesOfPeer(contender: Contender, inputs: readonly InputSpec[], recorder: Recorder) {
  captureNothing();
  // Dawn settles promises only while the event loop has something to do, and ONNX Runtime's waits don't keep it busy.
  const busy = setInterval(() => {}, 1);
  try {
    const job = await contender(inputs.map(hostArray));
    await job.run();
    await job.wait();
    recorder.take();
    await job.run();
    await job.wait();
    const launches = recorder.take();
    await job.dispose();
    return launches;
  } finally {
    clearInterval(busy);
  }
}
