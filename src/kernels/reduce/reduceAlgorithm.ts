/**
 * @file Selects how one axis is reduced: into how many chunks it is split, and how invocations share the elements. It depends
 * only on sizes and the adapter's profile, so that the same call always adds in the same order.
 */
import type { ReduceProfile } from '../selection/adapterProfile.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import {
  foldsInSubgroups,
  lanesFor,
  type Lines,
  loadsInFlight,
  orderOf,
  workgroupFor,
} from '../selection/lanes.ts';

/** The type of a partial result. It must be storable, since long axes are reduced in several launches. */
export type Accumulator = 'f32' | 'i32' | 'u32' | 'vec2<f32>' | 'vec2<u32>' | 'vec4<f32>';

export interface ReduceProblem {
  /** The axis to reduce. */
  readonly lines: Lines;
  /** WGSL type of the elements: those of the input, or accumulators of an earlier launch. */
  readonly element: string;
  readonly accumulator: Accumulator;
  /** The largest unit of elements in which the input's buffer can be bound. */
  readonly bindable: 1 | 4 | 16;
}

export interface ReduceAlgorithm {
  readonly form: ReduceProfile['form'];
  /** Elements per read. */
  readonly width: 1 | 4 | 16 | 32;
  /** Chunks that each line is split into; their results are reduced by another launch. */
  readonly chunks: number;
  /** Adjacent lines that one invocation reduces together, with a width of 1. */
  readonly linesPerLoop: 1 | 4 | 16;
  /** Reads of each line in an iteration: of the serial form, or of a lane. */
  readonly reads: number;
  /** Invocations that share a line. */
  readonly lanes: number;
  readonly workgroup: number;
  /** Whether lanes are combined by subgroup operations. */
  readonly subgroups: boolean;
  /** Lines, or groups of them that one invocation reduces together, over all chunks. */
  readonly count: number;
}

/** The minimum number of elements of a chunk: with fewer, a second launch costs more than it gains. */
const smallestChunk = 64;
/** With fewer elements in all lines, one thread reduces them in less time than a second launch takes. */
const splitElements = 2 ** 17;
/** In fewer chunks, few more threads have work. */
const fewestChunks = 4;
/** The invocations that are enough for one thread: four times its vector lanes. */
const fewInvocations = 16;
/** Elements that an iteration reads. */
const elementsPerIteration = 16;
/** Adjacent lines shorter than this are reduced together, element by element, if there are many: see `linesPerLoop`. */
const shortLine = 32;
/** From this stride in words, the elements of a line are on different memory pages, so each access should read more. */
const pageWords = 1024;

export function selectReduce(problem: ReduceProblem, profile: DeviceProfile): ReduceAlgorithm {
  return profile.reduce.form === 'serial' ? serial(problem, profile.reduce) : shared(problem, profile);
}

function serial(
  problem: ReduceProblem,
  profile: Extract<ReduceProfile, { form: 'serial' }>,
): ReduceAlgorithm {
  const { lines, accumulator } = problem;
  const width = serialWidth(problem, profile.busyInvocations);
  const units = inUnits(lines, width);
  const { chunk, busyInvocations, workgroup } = profile;
  const short = units.n <= 2 * chunk ? 1 : Math.ceil(units.n / chunk);
  const wanted = Math.ceil(busyInvocations / units.count);
  const isWorthIt = lines.count * lines.n >= splitElements && wanted >= fewestChunks;
  const chunks = Math.max(short, isWorthIt ? Math.min(wanted, Math.floor(units.n / smallestChunk)) : 1);
  const side = neighbours(lines);
  const isNarrow = width === 1 && accumulator !== 'vec4<f32>' && side >= 4;
  const isDense = chunks === 1 || lines.inner > 1;
  const linesPerLoop = isNarrow && isDense ? linesTogether(problem, chunks, busyInvocations) : 1;
  const count =
    linesPerLoop === 1
      ? units.count * chunks
      : ((lines.count * chunks) / side) * Math.ceil(side / linesPerLoop);
  const perLine = Math.ceil(units.n / chunks / (lines.inner === 1 ? width : 1));
  const reads = readsPerIteration(perLine, width * linesPerLoop, accumulator);
  return { form: 'serial', width, chunks, linesPerLoop, reads, lanes: 1, workgroup, subgroups: false, count };
}

/** Returns how many lines an invocation reduces together, element by element. More of them read more of each memory page. */
function linesTogether(
  { lines: { count, inner }, accumulator }: ReduceProblem,
  chunks: number,
  busyInvocations: number,
): 1 | 4 | 16 {
  if (!isMany(count * chunks, busyInvocations)) return 1;
  const isApart = inner >= pageWords && !accumulator.startsWith('vec');
  return isApart && count * chunks >= 16 * busyInvocations ? 16 : 4;
}

/**
 * Returns how many reads of a line, which has `perLine`, an iteration does: an iteration costs as much as several reads, and so does
 * each that is left over. Few numbers, since each is a program. Accumulators of four words are much code.
 */
function readsPerIteration(perLine: number, elements: number, accumulator: Accumulator): number {
  const most = accumulator === 'vec4<f32>' ? elementsPerIteration / 2 : elementsPerIteration;
  const fit = Math.max(1, Math.floor(most / elements));
  return perLine < 4 * fit ? Math.min(2, fit) : fit;
}

/**
 * Returns whether `lines` lines keep all threads busy if an invocation reduces four: half as many invocations as usual do,
 * since each has more to do.
 */
const isMany = (lines: number, busyInvocations: number) => lines >= 2 * busyInvocations;

/**
 * Up to this many reads, a lane takes about as long as a second launch, and the host is done earlier: 64 reads are eight iterations with
 * eight loads in flight, each some 700 cycles of latency, together 3 µs.
 */
const shortRead = 64;

/** First adds lanes, which are combined in one launch; then chunks, until each lane reads only a few elements. */
function shared(problem: ReduceProblem, profile: DeviceProfile): ReduceAlgorithm {
  const { lines, accumulator } = problem;
  const width = vectorWidth(problem);
  const { count, n, inner } = inUnits(lines, width);
  const units = { count, n: inner === 1 ? n / width : n, inner };
  const order = orderOf(lines);
  const lanes = lanesOf(profile, units, accumulator);
  const wanted = Math.ceil(profile.lines.busyInvocations / (units.count * lanes));
  const max = units.n <= shortRead * lanes ? 1 : Math.floor(units.n / (loadsInFlight * lanes));
  const chunks = Math.max(1, Math.min(wanted, max));
  return {
    form: 'lanes',
    width,
    chunks,
    linesPerLoop: 1,
    // Lines that are split are long; one program for all of them.
    reads: chunks > 1 ? maxReads(accumulator) : readsOfLane(units.n / lanes, accumulator),
    lanes,
    workgroup: workgroupFor(lanes, order),
    subgroups: foldsInSubgroups(profile, lanes, order),
    count: units.count * chunks,
  };
}

/** The maximum number of reads of a lane in an iteration: more need registers that large accumulators take. */
const maxReads = (accumulator: Accumulator): number => (accumulator.startsWith('vec') ? 4 : 8);

/** Returns how many of its `wanted` reads a lane does in an iteration: those beyond the end of a line would be for nothing. */
function readsOfLane(wanted: number, accumulator: Accumulator): number {
  const max = maxReads(accumulator);
  return [1, 2, 4].find((reads) => reads >= wanted && reads < max) ?? max;
}

/** Lanes of a row from which more of them need a barrier to combine, on GPUs with subgroups of 32. */
const lanesOfSubgroup = 32;

/**
 * Returns the number of lanes per line. A row that the lanes of a subgroup read at once has no more of them, even if units are idle
 * then: on an H100, sums of [4096, 1024] along axis 1 take 5.5 µs with 32 lanes and 7.6 with 64, of [512, 768] 2.8 and 2.9.
 */
function lanesOf(profile: DeviceProfile, lines: Lines, accumulator: Accumulator): number {
  const lanes = lanesFor(profile, lines);
  const isRow = lines.inner === 1;
  return isRow && lines.n <= maxReads(accumulator) * lanesOfSubgroup
    ? Math.min(lanes, lanesOfSubgroup)
    : lanes;
}

/** Returns the number of lines that are adjacent in memory: all rows, or the columns of a block. */
export function neighbours({ count, inner }: Lines): number {
  return inner === 1 ? count : inner;
}

/** Converts lines to units of those that one invocation reduces together. */
export function inUnits({ count, n, inner }: Lines, width: number): Lines {
  return inner === 1 ? { count, n, inner } : { count: count / width, n, inner: inner / width };
}

/** Returns 4 if lines divide into vectors of four. Accumulators of more than one word are read one by one. */
function vectorWidth({ lines: { n, inner }, element, bindable }: ReduceProblem): 1 | 4 {
  if (element.startsWith('vec') || bindable === 1) return 1;
  return (inner === 1 ? n : inner) % 4 === 0 ? 4 : 1;
}

/** Wider reads amortize the overhead of each. */
function serialWidth(problem: ReduceProblem, busyInvocations: number): 1 | 4 | 16 | 32 {
  const { lines, element, accumulator, bindable } = problem;
  const { count, n, inner } = lines;
  if (inner === 1 && n < shortLine && accumulator !== 'vec4<f32>' && isMany(count, busyInvocations)) return 1;
  const narrow = vectorWidth(problem);
  if (element !== 'f32' || bindable < 16) return narrow;
  // Sixteen large accumulators would be too much code.
  if (inner === 1) return n % 16 === 0 && accumulator !== 'vec4<f32>' ? 16 : narrow;
  // Reducing columns together must leave work for all threads, if one isn't enough.
  const least = count * n < splitElements ? fewInvocations : busyInvocations;
  const fits = (columns: number) => inner % columns === 0 && count >= columns * least;
  if (accumulator !== 'f32' || !fits(16)) return narrow;
  return inner >= pageWords && fits(32) ? 32 : 16;
}
