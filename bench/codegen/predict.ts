/** @file Predictions of the model for a problem: each library's time, and Retrograd's share of a machine's limit. */
import { type Library, libraries, type Peer, peers } from '../job.ts';
import { multiplyAdds } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { limitTime, type Machine, modelled, type ModelledLaunch, predictedTime } from './model.ts';
import type { RecordedLaunch } from './recorder.ts';

export interface Prediction {
  readonly machine: string;
  /** Of the machine's limit: 1 is the least time that multiply-adds and bytes allow. */
  readonly share: number;
  /** The fastest peer, by the model, and its time over Retrograd's; null where no peer has the problem. */
  readonly best: { readonly peer: Peer; readonly ratio: number } | null;
}

/** The share of the limit that a library's launches should reach; null where it has none. */
export function predictedShare(report: ProblemReport, library: Library, machine: Machine): number | null {
  const launches = modelledLaunches(report, library);
  if (launches.length === 0) return null;
  const time = predictedTime(launches, machine);
  return limitTime(report.fmas, report.bytes, machine) / time;
}

export function predict(report: ProblemReport, machine: Machine): Prediction {
  const share = predictedShare(report, 'retrograd', machine) ?? 0;
  const ratios = peers.flatMap((peer) => {
    const reached = predictedShare(report, peer, machine);
    return reached === null ? [] : [{ peer, ratio: share / reached }];
  });
  return { machine: machine.name, share, best: ratios.sort((a, b) => a.ratio - b.ratio)[0] ?? null };
}

const isGemm = ({ pipeline: { label } }: RecordedLaunch) => /^retrograd (matMul|conv2d)/.test(label);

/** What a launch executes, as far as it is known; and what it stages for that, where its tiles say it. */
type Work = { readonly executed: number; readonly staged?: number } | 'unknown';
const none: Work = { executed: 0 };

/** The launches of a library, with what each executes and moves. */
export function modelledLaunches(report: ProblemReport, library: Library): ModelledLaunch[] {
  const launches = report.launches[library] ?? [];
  const works = library === 'retrograd' ? ownWork(report, launches) : peerWork(report, launches);
  const known = usefulOf(report, library);
  const rest = Math.max(0, report.fmas - known);
  const weights = launches.map((launch, i) => (works[i] === 'unknown' ? weightOf(launch) : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return launches.map((launch, i) => {
    const work = works[i] as Work;
    const what = work === 'unknown' ? { executed: (rest * (weights[i] as number)) / total } : work;
    return withBytes(launch, what, launches.length, report.bytes);
  });
}

/** What launches of unknown work share is divided by their invocations and the multiply-adds of their code. */
const weightOf = ({ workgroups, pipeline: { workgroup, program } }: RecordedLaunch) =>
  workgroups * workgroup * (multiplyAdds(program)?.fma ?? 0);

/** Multiply-adds that the launches of known work do for the problem. */
const usefulOf = ({ gemms }: ProblemReport, library: Library) =>
  library === 'retrograd' ? gemms.reduce((sum, { useful }) => sum + useful, 0) : 0;

/**
 * Matrix multiplications are launched in the order in which they were chosen. In a problem that is one of them, the other
 * launches only prepare it and arrange its results.
 */
function ownWork({ gemms, fmas, terms }: ProblemReport, launches: readonly RecordedLaunch[]): Work[] {
  const waiting = [...gemms];
  const isOneGemm = terms > 0 && gemms.length > 0;
  return launches.map((launch) => {
    if (isGemm(launch)) return waiting.shift() ?? none;
    return fmas > 0 && !isOneGemm && multiplies(launch, terms) ? 'unknown' : none;
  });
}

/**
 * Of a peer's kernels only their stores are known, each counted once. Where each result is one sum, they say what is
 * executed, unless that is less than what is asked for: then stores are in loops, as no peer has a faster algorithm.
 */
function peerWork({ terms, fmas }: ProblemReport, launches: readonly RecordedLaunch[]): Work[] {
  const works = launches.map((launch): Work => {
    if (fmas === 0 || !multiplies(launch, terms)) return none;
    const { program, workgroup } = launch.pipeline;
    // Where k is shared out, stores are of partial sums.
    return terms > 0 && !program.isAtomic
      ? { executed: launch.workgroups * workgroup * program.storedWords * terms }
      : 'unknown';
  });
  const known = works.reduce((sum, work) => (work === 'unknown' ? sum : sum + work.executed), 0);
  return known < fmas ? works.map((work) => (work === none ? none : 'unknown')) : works;
}

/** Among ops of several kinds, fewer multiply-adds are of address arithmetic and of elementary functions. */
const leastShare = 0.05;

/** Whether multiply-adds are what a kernel is for: where the problem is one multiplication, however few they are. */
function multiplies({ pipeline: { program } }: RecordedLaunch, terms: number): boolean {
  const mix = multiplyAdds(program);
  return mix !== null && (terms > 0 || mix.fma >= leastShare * mix.vector);
}

/**
 * A single launch moves what the problem has, however large the buffers that it binds. One without loops moves no more
 * than its loads and stores, and writes no more than the buffers that it may write: of stores in two branches, one is executed.
 */
function withBytes(
  launch: RecordedLaunch,
  { executed, staged }: Exclude<Work, 'unknown'>,
  launches: number,
  bytes: number,
): ModelledLaunch {
  const found = modelled(launch, executed, staged);
  const { workgroup, program } = launch.pipeline;
  const threads = launch.workgroups * workgroup;
  const stored = 4 * threads * program.storedWords;
  const most = [
    found.bytes,
    ...(launches === 1 ? [bytes] : []),
    ...(program.loops.length === 0
      ? [4 * threads * program.mix.loadedWords + Math.min(stored, launch.writable)]
      : []),
  ];
  // An atomic sum reads and writes its word, as partial sums are written and read.
  const summed = executed > 0 && program.isAtomic ? 2 * stored : 0;
  return { ...found, bytes: Math.min(...most) + summed };
}

/** The libraries that launch something for a problem. */
export const launching = ({ launches }: ProblemReport): Library[] =>
  libraries.filter((library) => launches[library]?.length);
