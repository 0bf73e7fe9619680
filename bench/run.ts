/** @file Runs a row: every contender is prepared, checked against the oracle, measured in turn with the others, and freed. */
import { getDevice, init } from 'retrograd';
import type { HostArray } from './host.ts';
import { countBuffers, peakBytesOf } from './bufferBytes.ts';
import { kernelsOf, type LaunchedKernels } from './kernels.ts';
import { type Contender, type Job, type Library, libraries } from './job.ts';
import { type MeasureOptions, measure } from './measure.ts';
import { messageOf, type RowResult, rowResult } from './result.ts';
import { type Limits, roofline } from './roofline.ts';
import type { AdapterClass, Row } from './row.ts';

/** Called with each contender before it runs, to identify the one that crashed a browser. */
export type Stage = (library: Library | null, doing: string) => void;

export interface RunOptions extends MeasureOptions {
  /** Contenders that are left out, with the reason. */
  without?: Partial<Record<Library, string>>;
  limits?: Limits | null;
  stage?: Stage;
  /** Whether results are compared with the oracle. Default true; false on a device that executes nothing. */
  checked?: boolean;
}

export async function adapterClass(): Promise<AdapterClass> {
  await init();
  return getDevice().adapter.class;
}

/** Returns the kernels that Retrograd launches for a row, without measuring it. */
export async function kernelsOfRow({ inputs, contenders }: Row): Promise<LaunchedKernels> {
  const { retrograd } = contenders;
  if (typeof retrograd !== 'function') return { kernels: [] };
  const job = await retrograd(inputs());
  try {
    return await kernelsOf(job);
  } finally {
    await job.dispose();
  }
}

export async function runRow(given: Row, options: RunOptions = {}): Promise<RowResult> {
  const { without = {}, limits = null, stage = () => {}, checked = true } = options;
  const row = checked ? given : { ...given, check: () => null };
  if (row.bytes) countBuffers();
  const notes: Partial<Record<Library, string>> = { ...without };
  const ready: [Library, Job][] = [];
  const inputs = row.inputs();
  for (const library of libraries) {
    if (notes[library] !== undefined) continue;
    const contender = row.contenders[library];
    if (typeof contender !== 'function') {
      notes[library] = contender.unable;
      continue;
    }
    stage(library, 'prepared');
    const { job, fault } = await prepared(row, library, inputs, contender, stage);
    if (job) ready.push([library, job]);
    else {
      notes[library] = fault;
      if (fault?.startsWith('failed')) stage(library, fault);
    }
  }
  const values: Partial<Record<Library, number>> = {};
  const spread: Partial<Record<Library, number>> = {};
  let launched: LaunchedKernels = { kernels: [] };
  try {
    const own = ready.find(([library]) => library === 'retrograd')?.[1];
    if (own && !row.bytes) launched = await kernelsOf(own);
    const found = await (row.bytes ? peaksOf(ready, stage) : timesOf(ready, stage, options));
    for (const [library, job] of ready) {
      const one = found[library];
      const fault = one instanceof Error ? `failed: ${messageOf(one)}` : await faultAfter(row, job, inputs);
      if (fault !== null || !one || one instanceof Error) {
        notes[library] = fault ?? 'failed';
        stage(library, notes[library]);
        continue;
      }
      values[library] = row.ops ? (1000 * one.value) / row.ops : one.value;
      if (one.spread !== undefined) spread[library] = one.spread;
    }
  } finally {
    stage(null, 'freed');
    for (const [library, job] of ready) await freed(job, library, stage);
  }
  const timed = !row.bytes && !row.ops && values.retrograd !== undefined;
  return rowResult(row.name, row.family, row.bytes ? 'MiB' : row.ops ? 'µs/op' : 'ms', {
    values,
    spread,
    notes,
    ...launched,
    roofline: row.work && limits && timed ? roofline(row.work, limits, values.retrograd as number) : null,
  });
}

interface Figure {
  value: number;
  spread?: number;
}
type Figures = Partial<Record<Library, Figure | Error>>;

/** Measures a run in milliseconds. */
async function timesOf(
  ready: readonly [Library, Job][],
  stage: Stage,
  options: MeasureOptions,
): Promise<Figures> {
  const announcing = ready.map(([library, job]) => [library, announced(job, library, stage)]);
  const measured = await measure(Object.fromEntries(announcing) as Record<Library, Job>, options);
  const entries = Object.entries(measured).map(([library, measurement]) =>
    measurement instanceof Error
      ? [library, measurement]
      : [library, { value: measurement.median, spread: measurement.spread }],
  );
  return Object.fromEntries(entries) as Figures;
}

/** Number of runs after which pools have reached their size. */
const runsOfPeak = 4;

/** Peak MiB since the page was opened. */
async function peaksOf(ready: readonly [Library, Job][], stage: Stage): Promise<Figures> {
  const figures: Figures = {};
  for (const [library, job] of ready) {
    stage(library, 'run');
    try {
      for (let i = 0; i < runsOfPeak; i++) {
        await job.run();
        await job.wait();
      }
      figures[library] = { value: peakBytesOf(job.device) / 2 ** 20 };
    } catch (error) {
      figures[library] = error instanceof Error ? error : new Error(String(error));
    }
  }
  return figures;
}

/** Returns a job that announces when it is measured. */
function announced(job: Job, library: Library, stage: Stage): Job {
  let reported = Number.NEGATIVE_INFINITY;
  return {
    ...job,
    run() {
      // Rarely: every run that takes minutes is reported, without disturbing short runs.
      if (performance.now() - reported > 10_000) {
        stage(library, 'measured');
        reported = performance.now();
      }
      return job.run();
    },
  };
}

interface Prepared {
  job?: Job;
  fault?: string;
}

/** Returns a job with correct results, or the problem with them. */
async function prepared(
  row: Row,
  library: Library,
  inputs: readonly HostArray[],
  contender: Contender,
  stage: Stage,
): Promise<Prepared> {
  let job: Job | undefined;
  try {
    job = await contender(inputs);
    errorsOf(job.device);
    const fault = wrong(row.check(await job.results(), inputs)) ?? reported(job);
    if (fault === null) return { job };
    await freed(job, library, stage);
    return { fault };
  } catch (error) {
    if (job) await freed(job, library, stage);
    return { fault: `failed: ${messageOf(error)}` };
  }
}

/** A broken job may fail to dispose; the others' numbers remain valid. */
async function freed(job: Job, library: Library, stage: Stage): Promise<void> {
  try {
    await job.dispose();
  } catch (error) {
    stage(library, `failed: ${messageOf(error)}`);
  }
}

const wrong = (fault: string | null) => (fault === null ? null : `wrong: ${fault}`);

/** Returns the first error that `device` has reported since the last call. */
function reported({ device }: Job): string | null {
  const error = errorsOf(device).splice(0)[0];
  return error === undefined ? null : `failed: ${messageOf(error)}`;
}

const watched = new WeakMap<GPUDevice, string[]>();

/** Uncaptured errors on the device: with one, the measured work isn't the whole computation. */
function errorsOf(device: GPUDevice): string[] {
  const known = watched.get(device);
  if (known) return known;
  const errors: string[] = [];
  device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message));
  void device.lost.then(({ message }) => errors.push(`the device was lost: ${message}`));
  watched.set(device, errors);
  return errors;
}

/** Problems during the measurement: errors on the device, or results that are wrong afterwards. */
async function faultAfter(row: Row, job: Job, inputs: readonly HostArray[]): Promise<string | null> {
  return reported(job) ?? (job.stateful ? null : wrong(row.check(await job.results(), inputs)));
}
