/** @file Sums over launches: by op and layer, and only by layer. */
import type { ProfiledCall } from '../webgpu/command.ts';
import type { ProfiledLaunch } from './launches.ts';

/** The total cost of launches. */
export interface Totals {
  readonly launches: number;
  /** Time on the GPU. */
  readonly milliseconds: number;
  /** Bytes that they read and wrote, according to their bound buffers. */
  readonly bytes: number;
  /** Floating-point operations of the launches that state them; null if none do. */
  readonly flops: number | null;
}

/** The launches of one op in one layer, forward or backward. */
export interface ProfileRow extends Totals {
  /** The op; for fused launches all ops in them; for launches outside of ops the kernel. */
  readonly op: string;
  /** Names of the layers around it, outermost first, joined by slashes; empty outside of layers. */
  readonly layer: string;
  /** Whether the launches compute the gradient of `op`. */
  readonly backward: boolean;
  readonly kernels: readonly string[];
  /** GB per second, and GFLOP per second. */
  readonly bandwidth: number;
  readonly speed: number | null;
}

/** The launches of one layer. One that belongs to calls in several layers is split among them. */
export interface LayerRow extends Totals {
  readonly layer: string;
  /** The part of `milliseconds` spent on gradients. */
  readonly backwardMilliseconds: number;
}

/** Returns the name of a launch. */
export function nameOf({ calls, kernel }: ProfiledLaunch): Pick<ProfileRow, 'op' | 'layer' | 'backward'> {
  if (calls.length === 0) return { op: kernel, layer: '', backward: false };
  const backward = calls.every((call) => call.backward);
  const opOf = (call: ProfiledCall) => (call.backward && !backward ? `${call.op} (backward)` : call.op);
  return {
    op: distinct(calls.map(opOf)).join(' + '),
    layer: distinct(calls.map(({ layer }) => layer)).join(', '),
    backward,
  };
}

/** Returns the totals over all launches. */
export function totalOf(launches: readonly ProfiledLaunch[]): Totals {
  const sums = { launches: launches.length, milliseconds: 0, bytes: 0, flops: null as number | null };
  for (const launch of launches) {
    sums.milliseconds += millisecondsOf(launch);
    sums.bytes += launch.bytes;
    if (launch.flops !== null) sums.flops = (sums.flops ?? 0) + launch.flops;
  }
  return sums;
}

/** By op, layer and direction; the longest first. */
export function rowsOf(launches: readonly ProfiledLaunch[]): ProfileRow[] {
  const groups = new Map<string, ProfiledLaunch[]>();
  for (const launch of launches) {
    const { op, layer, backward } = nameOf(launch);
    const key = JSON.stringify([op, layer, backward]);
    const group = groups.get(key);
    if (group) group.push(launch);
    else groups.set(key, [launch]);
  }
  const rows = [...groups.values()].map((group) => {
    const totals = totalOf(group);
    const nanoseconds = 1e6 * totals.milliseconds;
    const rate = (count: number) => (nanoseconds > 0 ? count / nanoseconds : 0);
    return {
      ...nameOf(group[0] as ProfiledLaunch),
      ...totals,
      kernels: distinct(group.map(({ kernel }) => kernel)),
      bandwidth: rate(totals.bytes),
      speed: totals.flops === null ? null : rate(totals.flops),
    };
  });
  return rows.sort((a, b) => b.milliseconds - a.milliseconds);
}

/** By layer; the longest first. */
export function layersOf(launches: readonly ProfiledLaunch[]): LayerRow[] {
  const sums = new Map<string, { -readonly [key in keyof LayerRow]: LayerRow[key] }>();
  for (const launch of launches) {
    const calls = launch.calls.length > 0 ? launch.calls : [{ layer: '', backward: false }];
    const share = 1 / calls.length;
    for (const { layer, backward } of calls) {
      const sum = sums.get(layer) ?? {
        layer,
        launches: 0,
        milliseconds: 0,
        backwardMilliseconds: 0,
        bytes: 0,
        flops: null,
      };
      const milliseconds = share * millisecondsOf(launch);
      sum.launches += share;
      sum.milliseconds += milliseconds;
      if (backward) sum.backwardMilliseconds += milliseconds;
      sum.bytes += share * launch.bytes;
      if (launch.flops !== null) sum.flops = (sum.flops ?? 0) + share * launch.flops;
      sums.set(layer, sum);
    }
  }
  return [...sums.values()].sort((a, b) => b.milliseconds - a.milliseconds);
}

function millisecondsOf({ begin, end }: ProfiledLaunch): number {
  return Math.max(0, end - begin) / 1000;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
