/**
 * @file Selects how many invocations share one line of values. It depends only on sizes and the adapter's profile, so that
 * the same call always adds in the same order.
 */
import type { LineOrder } from '../../../shaders/lib/lanes.ts';
import type { LineOptions } from '../../../shaders/lib/lines.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from './adapterProfile.ts';
import { type DeviceProfile, profileOf } from './deviceProfile.ts';
import { bindsAsVectors } from '../launch/output.ts';
import { maxIterations } from '../launch/iterationLimit.ts';

/** Lines of `n` values with stride `inner`. */
export interface Lines {
  count: number;
  n: number;
  inner: number;
}

/** Elements (or vectors) that a lane reads together if there is work for the whole device. */
export const loadsInFlight = 4;
/** The maximum number of elements (or vectors) that a lane keeps in registers. */
const maxKept = 8;

/** Returns the lines along `axis` of a tensor. */
export function linesAlong(shape: Shape, axis: number): Lines {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  return { count: sizeOf(shape.slice(0, axis)) * inner, n, inner };
}

/** With fewer lines than this, one workgroup per line leaves much of a device idle. */
const fewLines = 64;

/** The longest line for a single invocation, which iterates over it up to four times. */
const longestAlone = Math.floor(maxIterations / 4);

/** Returns whether each line must be split over several workgroups: lines are few and long, or too long for one invocation. */
export function mustSplit({ lines: { shared, longest } }: AdapterProfile, { count, n }: Lines): boolean {
  return n > longest && (count < fewLines || (!shared && n > longestAlone));
}

export function orderOf({ inner }: Lines): LineOrder {
  return inner === 1 ? 'rows' : 'columns';
}

/** The maximum number of invocations of a workgroup. */
const largestWorkgroup = 256;
/** Invocations of a workgroup of several lines: few, so that small launches spread out. */
const smallWorkgroup = 64;
/** From this many lanes, a row gets its own workgroup. */
const ownWorkgroup = 32;

/** Returns the number of invocations of a workgroup whose lines have `lanes` lanes each. */
export function workgroupFor(lanes: number, order: LineOrder): number {
  if (lanes === 1) return smallWorkgroup;
  if (order === 'columns') return largestWorkgroup;
  return lanes >= ownWorkgroup ? lanes : smallWorkgroup;
}

/** Returns the maximum number of lanes of a line. */
function maxLanes({ inner }: Lines): number {
  if (inner === 1) return largestWorkgroup;
  // Adjacent lines access adjacent words: a workgroup needs enough of them to fill a memory access.
  return 2 ** Math.floor(Math.log2(largestWorkgroup / Math.min(inner, 8)));
}

/**
 * Returns the number of lanes per line: 1, or a power of two from 4 up. Each reads a few elements at once, or fewer if that
 * would leave much of a device idle. `lines` are in units of one read.
 */
export function lanesFor({ lines: { shared, busyInvocations } }: AdapterProfile, lines: Lines): number {
  if (!shared) return 1;
  const { count, n, inner } = lines;
  const isEnough = (lanes: number) => {
    const isBusy = count * lanes >= busyInvocations;
    const isShort = n <= loadsInFlight * lanes;
    // Lanes of a row read adjacent elements; lanes of a column gain nothing but parallelism from sharing.
    return inner === 1 ? lanes >= n || (isShort && isBusy) : isShort || isBusy;
  };
  if (isEnough(1)) return 1;
  const max = maxLanes(lines);
  let lanes = smallestShare;
  while (lanes < max && !isEnough(lanes)) lanes *= 2;
  return lanes;
}

/** The minimum number of lanes of a shared line: the minimum subgroup size. */
const smallestShare = 4;

/** Returns whether rows of `lanes` lanes are reduced through subgroups. */
export function foldsInSubgroups({ subgroups }: DeviceProfile, lanes: number, order: LineOrder): boolean {
  return subgroups && lanes > 1 && order === 'rows';
}

/** Returns how many units of a line of `n` each lane keeps in registers: 0 if too many, or if lines aren't shared. */
function keptPerLane({ lines: { shared } }: AdapterProfile, n: number, lanes: number): 0 | 1 | 2 | 4 | 8 {
  const units = Math.ceil(n / lanes);
  if (!shared || units > maxKept) return 0;
  return ([1, 2, 4, 8] as const).find((kept) => kept >= units) ?? 0;
}

/** Elements per read: four adjacent ones, of one line or of four, if the tensor can be read in fours. */
export function widthFor(x: Tensor, { n, inner }: Lines): 1 | 4 {
  return (inner === 1 ? n : inner) % 4 === 0 && bindsAsVectors(x) ? 4 : 1;
}

/** The shortest line, in reads, from which an invocation that has it alone reads several elements per iteration. */
const shortestUnrolled = { 1: 16, 4: 32 } as const;

/**
 * Returns how many elements (or vectors) of a line of `n` an invocation that has it alone reads in an iteration. A software adapter
 * pays for each iteration as for several reads, also for those that are left over.
 */
function readsAlone(
  { lines: { shared } }: AdapterProfile,
  n: number,
  width: 1 | 4,
  shortest: number,
): 1 | 4 | 8 {
  if (shared || n < shortest) return 1;
  return width === 1 && n >= 64 ? 8 : 4;
}

/** The maximum number of elements of an unrolled line of vectors that hold elements of four lines. */
const longestOfVectors = 8;

/**
 * Returns whether lines are unrolled: on a software adapter the loops over a short line take longer than its elements. Each length is a
 * program of its own, which takes 50 ms to compile with 32 elements, and 160 with 77, so there must be many elements.
 */
function areUnrolled({ lines: { shared } }: AdapterProfile, { count, n }: Lines): boolean {
  const size = count * n;
  return !shared && size >= 2 ** 14 && n <= (size < 2 ** 17 ? 32 : 80);
}

/** How a kernel that computes whole lines, by one or several invocations each, is launched. */
export interface LineLaunch {
  options: LineOptions;
  /** Lines, elements and strides as the kernel counts them, in units of `width` along the last axis. */
  params: Lines;
  workgroups: number;
}

/**
 * Returns the launch for tensors with the same layout; the last axis is read in fours if all of them allow it. `shortest` is the length
 * in reads from which a kernel gains by reading several elements per iteration.
 */
export function lineLaunch(tensors: readonly Tensor[], lines: Lines, shortest?: number): LineLaunch {
  const [x] = tensors as [Tensor];
  const profile = profileOf(x.device);
  const order = orderOf(lines);
  const whole = areUnrolled(profile, lines);
  const isTooLong = whole && order === 'columns' && lines.n > longestOfVectors;
  const width = !isTooLong && tensors.every((t) => widthFor(t, lines) === 4) ? 4 : 1;
  const { count, n, inner } = lines;
  const params =
    order === 'rows' ? { count, n: n / width, inner } : { count: count / width, n, inner: inner / width };
  const lanes = lanesFor(profile, params);
  const workgroup = workgroupFor(lanes, order);
  const subgroups = foldsInSubgroups(profile, lanes, order);
  const kept = whole ? params.n : keptPerLane(profile, params.n, lanes);
  const reads = readsAlone(profile, params.n, width, shortest ?? shortestUnrolled[width]);
  return {
    options: { lanes, order, width, workgroup, subgroups, kept, reads, ...(whole && { whole }) },
    params,
    workgroups: Math.ceil((params.count * lanes) / workgroup),
  };
}
