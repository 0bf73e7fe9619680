/**
 * @file Predictions of the model for a problem: each library's time, and the fraction of a machine's limit that Retrograd
 * reaches.
 */
import { type Library, libraries, type Peer, peers } from '../job.ts';
import { multiplyAdds } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { limitTime, type Machine, modelled, type ModelledLaunch, predictedTime } from './model.ts';
import type { RecordedLaunch } from './recorder.ts';
import { type BufferUse, usesOf } from './reuse.ts';

export interface Prediction {
  readonly machine: string;
  /** Fraction of the machine's limit: 1 is the shortest time that multiply-adds and bytes allow. */
  readonly share: number;
  /** The fastest peer, by the model, and its time divided by Retrograd's; null if no peer has the problem. */
  readonly best: { readonly peer: Peer; readonly ratio: number } | null;
}

/** Returns the fraction of the limit that a library's launches should reach; null if it has no launches. */
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

/** The multiply-adds that a launch executes, if known, and the bytes that it stages for them, if known from its tiles. */
type Work = { readonly executed: number; readonly staged?: number } | 'unknown';
const none: Work = { executed: 0 };

/** Returns the launches of a library, with what each executes and moves. `isRepeated`: they ran before, on the same buffers. */
export function modelledLaunches(
  report: ProblemReport,
  library: Library,
  isRepeated = false,
): ModelledLaunch[] {
  const launches = report.launches[library] ?? [];
  const works = library === 'retrograd' ? ownWork(report, launches) : peerWork(report, launches);
  const known = usefulOf(report, library);
  const rest = Math.max(0, report.fmas - known);
  const weights = launches.map((launch, i) => (works[i] === 'unknown' ? weightOf(launch) : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const uses = usesOf(launches, isRepeated);
  return launches.map((launch, i) => {
    const work = works[i] as Work;
    const what = work === 'unknown' ? { executed: (rest * (weights[i] as number)) / total } : work;
    return withBytes(launch, uses[i] as BufferUse[], what, launches.length, report.bytes);
  });
}

/**
 * The work of launches whose own is unknown is divided in proportion to their invocations and the multiply-adds in their code.
 */
const weightOf = ({ workgroups, pipeline: { workgroup, program } }: RecordedLaunch) =>
  workgroups * workgroup * (multiplyAdds(program)?.fma ?? 0);

/** Multiply-adds that the launches of known work do for the problem. */
const usefulOf = ({ gemms }: ProblemReport, library: Library) =>
  library === 'retrograd' ? gemms.reduce((sum, { useful }) => sum + useful, 0) : 0;

/**
 * Matrix multiplications are launched in the order in which they were chosen. If a problem is a single matrix multiplication,
 * the other launches only prepare it and arrange its results.
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
 * Only the stores of a peer's kernels are known, each counted once. If each result is one sum, they determine the work that
 * is executed, unless that is less than the problem needs: then stores are in loops, because no peer has a faster algorithm.
 */
function peerWork({ terms, fmas }: ProblemReport, launches: readonly RecordedLaunch[]): Work[] {
  const works = launches.map((launch): Work => {
    if (fmas === 0 || !multiplies(launch, terms)) return none;
    const { program, workgroup } = launch.pipeline;
    // If k is split, stores are of partial sums.
    return terms > 0 && !program.isAtomic
      ? { executed: launch.workgroups * workgroup * program.storedWords * terms }
      : 'unknown';
  });
  const known = works.reduce((sum, work) => (work === 'unknown' ? sum : sum + work.executed), 0);
  return known < fmas ? works.map((work) => (work === none ? none : 'unknown')) : works;
}

/** In problems of several kinds of ops, fewer multiply-adds than this are from address arithmetic and elementary functions. */
const minShare = 0.05;

/** Returns whether multiply-adds are a kernel's main work; if the problem is a single multiplication, any number counts. */
function multiplies({ pipeline: { program } }: RecordedLaunch, terms: number): boolean {
  const mix = multiplyAdds(program);
  return mix !== null && (terms > 0 || mix.fma >= minShare * mix.vector);
}

/**
 * A single launch moves the data of the problem, however large its bound buffers are. One without loops moves no more than
 * its loads and stores, and writes no more than its writable buffers: of stores in two branches, only one is executed.
 */
function withBytes(
  launch: RecordedLaunch,
  uses: readonly BufferUse[],
  { executed, staged }: Exclude<Work, 'unknown'>,
  launches: number,
  bytes: number,
): ModelledLaunch {
  const found = modelled(launch, uses, executed, staged);
  const { workgroup, program } = launch.pipeline;
  const threads = launch.workgroups * workgroup;
  const stored = 4 * threads * program.storedWords;
  const max = [
    found.bytes,
    ...(launches === 1 ? [bytes] : []),
    ...(program.loops.length === 0
      ? [4 * threads * program.mix.loadedWords + Math.min(stored, launch.writable)]
      : []),
  ];
  // An atomic sum reads and writes its word, just as partial sums are written and read: in the cache, if the buffers fit. Those
  // of one word wait for each other.
  const summed = executed > 0 && program.isAtomic ? 2 * stored : 0;
  const moved = Math.min(...max);
  const scale = moved / Math.max(1, found.bytes);
  return {
    ...found,
    bytes: moved + summed,
    chain: summed > 0 ? stored / Math.max(1, launch.writable) : 0,
    uses: [
      ...uses.map(({ bytes: size, distance }) => ({ bytes: scale * size, distance })),
      { bytes: summed, distance: found.bytes },
    ],
  };
}

/** Returns the libraries that launch something for a problem. */
export const launching = ({ launches }: ProblemReport): Library[] =>
  libraries.filter((library) => launches[library]?.length);
