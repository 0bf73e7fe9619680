/**
 * @file Selects how many invocations share one line of values. It depends on sizes and the adapter's profile alone, so
 * that the same call always adds in the same order.
 */
import type { LineOrder } from '../../shaders/lib/lanes.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type AdapterProfile, profileOf } from './adapterProfiles.ts';
import { bindsAsVectors } from './output.ts';

/** Lines of `n` values that lie `inner` apart. */
export interface Lines {
  count: number;
  n: number;
  inner: number;
}

/** Values per lane, at least: with fewer, a line gets fewer lanes. */
const valuesPerLane = 8;
/** Invocations that keep a large GPU busy; beyond them, more lanes only add work. */
const busyInvocations = 2 ** 17;

/** The lines along `axis` of a tensor. */
export function linesAlong(shape: Shape, axis: number): Lines {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  return { count: sizeOf(shape.slice(0, axis)) * inner, n, inner };
}

/** Lines below which a workgroup for each leaves much of a device idle. */
const fewLines = 64;

/** Whether there are so few lines, and such long ones, that each must be split over several workgroups. */
export function isFewAndLong({ lines }: AdapterProfile, { count, n }: Lines): boolean {
  return count < fewLines && n > lines.longest;
}

export function orderOf({ inner }: Lines): LineOrder {
  return inner === 1 ? 'rows' : 'columns';
}

/** Invocations of a workgroup where lines are shared; and where they aren't: few, so that small launches spread out. */
const sharedWorkgroup = 256;
const separateWorkgroup = 64;

export function workgroupFor(lanes: number): number {
  return lanes > 1 ? sharedWorkgroup : separateWorkgroup;
}

/** Lanes per line: a power of four up to a workgroup. Few different numbers, since each is a pipeline of its own. */
export function lanesFor(profile: AdapterProfile, lines: Lines): number {
  if (!profile.lines.shared) return 1;
  const { count, n, inner } = lines;
  let limit = Math.min(sharedWorkgroup, Math.floor(n / valuesPerLane));
  if (inner > 1) {
    // Neighbouring lines already access neighbouring words: a workgroup needs enough of them to fill a memory access.
    const neighbours = Math.min(inner, 8);
    limit = Math.min(limit, Math.floor(sharedWorkgroup / neighbours), Math.ceil(busyInvocations / count));
  }
  return limit < 4 ? 1 : 4 ** Math.floor(Math.log2(limit) / 2);
}

/** Elements read at once: four neighbours, of one line or of four, where tensors of these lines divide into fours. */
export function widthFor(x: Tensor, { n, inner }: Lines): 1 | 4 {
  return (inner === 1 ? n : inner) % 4 === 0 && bindsAsVectors(x) ? 4 : 1;
}

/** How a kernel that has whole lines to an invocation, or to several, is launched on tensors of `shape`. */
export interface LineLaunch {
  options: { lanes: number; order: LineOrder; width: 1 | 4; workgroup: number };
  /** Lines, elements and distances as the kernel counts them, in units of `width` along the last axis. */
  params: Lines;
  workgroups: number;
}

/** Lines of tensors that all have the layout of `x`, the last axis in fours where all of them bind so. */
export function lineLaunch(tensors: readonly Tensor[], lines: Lines): LineLaunch {
  const [x] = tensors as [Tensor];
  const width = tensors.every((t) => widthFor(t, lines) === 4) ? 4 : 1;
  const order = orderOf(lines);
  const params =
    order === 'rows'
      ? { ...lines, n: lines.n / width }
      : { ...lines, count: lines.count / width, inner: lines.inner / width };
  const lanes = lanesFor(profileOf(x.device), params);
  const workgroup = workgroupFor(lanes);
  return {
    options: { lanes, order, width, workgroup },
    params,
    workgroups: Math.ceil((params.count * lanes) / workgroup),
  };
}
