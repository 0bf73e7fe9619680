/** @file What each library launches for one training step: `npm run codegen -- --steps`. */
import { getDevice, init } from 'retrograd';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';
import { type Contender, type Library, libraries, type Peer } from '../job.ts';
import { messageOf } from '../result.ts';
import type { Row } from '../row.ts';
import { perceptualFamily } from '../rows/perceptual.ts';
import { stepFamily } from '../rows/steps.ts';
import { transformerFamily } from '../rows/transformer.ts';
import type { ProblemReport } from './measure.ts';
import { modelledLaunches } from './predict.ts';
import { resNetRow } from './resNet.ts';
import { type RecordedLaunch, type Recorder, recordLaunches } from './recorder.ts';

/** Counts of one library's step. */
export interface StepCounts {
  readonly launches: number;
  readonly pipelines: number;
  /** Bytes that its launches read and write, at most: see `toStepMarkdown`. */
  readonly read: number;
  readonly written: number;
}

export interface StepReport {
  readonly name: string;
  /** Bytes of parameters, batch and constants. */
  readonly bytes: number;
  readonly counts: Readonly<Partial<Record<Library, StepCounts>>>;
  /** Why a peer has none. */
  readonly notes: Readonly<Partial<Record<Peer, string>>>;
}

/**
 * Steps of sizes for GPUs, in float32, which all libraries have. Without those of layers: a launch of `lstmSteps` binds whole sequences
 * and reads a step of them, so that its bytes would say nothing.
 */
const rows: readonly Row[] = [
  ...[stepFamily, transformerFamily, perceptualFamily].flatMap((family) =>
    family
      .rows('gpu')
      .filter(
        ({ name, contenders }) => typeof contenders.tfjs === 'function' && !name.includes('layer step'),
      ),
  ),
  resNetRow,
];

export interface StepRun {
  /** Where the layer writes its reports. */
  readonly folder: string;
  readonly filter: string | RegExp;
  readonly onStep?: (report: StepReport) => void;
}

/** Runs two steps of each row in each library, and counts the second: the first also compiles. Once per process. */
export async function measureSteps({ folder, filter, onStep }: StepRun): Promise<StepReport[]> {
  const matches = (text: string) => (typeof filter === 'string' ? text.includes(filter) : filter.test(text));
  const recorder = recordLaunches(folder);
  await init();
  const device = getDevice();
  device.pool.sizeFor = (bytes) => 16 * Math.ceil(bytes / 16);
  await loadKernelsFor('discrete');
  device.profile = createProfile(device, 'discrete');
  const reports: StepReport[] = [];
  for (const row of rows.filter(({ name }) => matches(name))) {
    const report = await stepReport(row, recorder);
    reports.push(report);
    onStep?.(report);
  }
  return reports;
}

async function stepReport(row: Row, recorder: Recorder): Promise<StepReport> {
  const counts: Partial<Record<Library, StepCounts>> = {};
  const notes: Partial<Record<Peer, string>> = {};
  for (const library of libraries) {
    const contender = row.contenders[library];
    if (typeof contender !== 'function') continue;
    try {
      counts[library] = countsOf(await launchesOfStep(contender, library, recorder), library);
    } catch (error) {
      if (library === 'retrograd') throw error;
      notes[library] = messageOf(error);
    }
  }
  const bytes = row.inputs().reduce((sum, { values }) => sum + 4 * values.length, 0);
  return { name: row.name, bytes, counts, notes };
}

async function launchesOfStep(
  contender: Contender,
  library: Library,
  recorder: Recorder,
): Promise<RecordedLaunch[]> {
  // Dawn settles promises only while the event loop has something to do.
  const busy = setInterval(() => {}, 1);
  try {
    const job = await contender([]);
    // Nothing is executed, so fault words, which Retrograd's wait would read, are undefined.
    const wait = () => (library === 'retrograd' ? getDevice().finish() : job.wait());
    await job.run();
    await wait();
    recorder.take();
    await job.run();
    await wait();
    const launches = recorder.take();
    await job.dispose();
    return launches;
  } finally {
    clearInterval(busy);
  }
}

/**
 * Counts launches and bytes. A launch reads and writes the buffers that it binds, or as much as it loads and stores if that
 * is less and it has no loops.
 */
export function countsOf(launches: readonly RecordedLaunch[], library: Library): StepCounts {
  const report: ProblemReport = {
    name: '',
    family: '',
    profile: 'discrete',
    bytes: Number.POSITIVE_INFINITY,
    fmas: 0,
    terms: 0,
    gemms: [],
    launches: { [library]: launches },
    notes: {},
  };
  let [read, written] = [0, 0];
  modelledLaunches(report, library).forEach(({ bytes }, i) => {
    const { pipeline, workgroups, writable } = launches[i] as RecordedLaunch;
    const { loops, storedWords } = pipeline.program;
    const stored = loops.length > 0 ? writable : 4 * workgroups * pipeline.workgroup * storedWords;
    const stores = Math.min(bytes, writable, stored);
    written += stores;
    read += bytes - stores;
  });
  const pipelines = new Set(launches.map(({ pipeline }) => pipeline)).size;
  return { launches: launches.length, pipelines, read, written };
}
