/**
 * @file Chooses how many invocations share one line of values. The choice depends on sizes and the adapter's class
 * alone, so that the same call always adds in the same order.
 */
import type { LineOrder } from '../../shaders/lib/lanes.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { Device } from '../webgpu/device.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { bindsAsVectors } from './output.ts';

/** Lines of `n` values that lie `inner` apart. */
export interface Lines {
  count: number;
  n: number;
  inner: number;
}

/** Values that a lane has to itself, at least, before a line is given more lanes. */
const valuesPerLane = 8;
/** Invocations that keep a large GPU busy; beyond them, more lanes only add work. */
const busyInvocations = 2 ** 17;

/** The lines along `axis` of a tensor. */
export function linesAlong(shape: Shape, axis: number): Lines {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  return { count: sizeOf(shape.slice(0, axis)) * inner, n, inner };
}

/** Whether whole lines, one to a workgroup at most, would leave much of the device idle. */
export function isFewAndLong(device: Device, { count, n }: Lines): boolean {
  return device.adapter.class === 'cpu' ? count < 64 && n > 4096 : count < 64 && n > 65536;
}

export function orderOf({ inner }: Lines): LineOrder {
  return inner === 1 ? 'rows' : 'columns';
}

/** Invocations of a workgroup where lines are shared, and where they aren't: few, so that small launches spread out. */
const sharedWorkgroup = 256;
const separateWorkgroup = 64;

export function workgroupFor(lanes: number): number {
  return lanes > 1 ? sharedWorkgroup : separateWorkgroup;
}

/** Lanes of a line: a power of four, at most a workgroup; few different ones, as each is a pipeline of its own. */
export function lanesFor(device: Device, lines: Lines): number {
  // Software adapters run a workgroup's invocations one after another: sharing a line only costs them barriers.
  if (device.adapter.class === 'cpu') return 1;
  const { count, n, inner } = lines;
  let limit = Math.min(sharedWorkgroup, Math.floor(n / valuesPerLane));
  if (inner > 1) {
    // Neighbouring lines already read neighbouring words. Leave a workgroup enough of them to fill a memory access.
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
  const lanes = lanesFor(x.device, params);
  const workgroup = workgroupFor(lanes);
  return {
    options: { lanes, order, width, workgroup },
    params,
    workgroups: Math.ceil((params.count * lanes) / workgroup),
  };
}
