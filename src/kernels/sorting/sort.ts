/** @file Launches the grouping of indices by key. */
import { maxIterations } from '../launch/iterationLimit.ts';
import {
  countDigits,
  countingSort,
  keyBounds,
  placeDigits,
  radix,
  type RadixOptions,
  scanDigits,
  sortWorkgroup,
  tileLength,
} from '../../../shaders/sort.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { fillKernel } from '../copies/fill.ts';
import { output } from '../launch/output.ts';

/** Iterations of a loop: `end` is exclusive. */
type LoopRange = readonly [begin: number, end: number];

/**
 * Splits long loops of single invocations over several launches. Returns those of a kernel with consecutive loops of `lengths`: the
 * range of each loop that each launch executes. `cost` is how many iterations one counts for, if invocations that are executed
 * together diverge.
 */
export function splitLoops(lengths: readonly number[], cost = 1): LoopRange[][] {
  const max = Math.floor(maxIterations / cost);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const launches: LoopRange[][] = [];
  for (let from = 0; from < Math.max(total, 1); from += max) {
    let before = 0;
    launches.push(
      lengths.map((length) => {
        const within = (at: number) => Math.min(length, Math.max(0, at - before));
        const range: LoopRange = [within(from), within(from + max)];
        before += length;
        return range;
      }),
    );
  }
  return launches;
}

export interface Grouping {
  /** Positions of the keys, sorted by key and then by position. */
  order: Tensor;
  /** Where the positions of each key from 0 to `total` begin in `order`. */
  offsets: Tensor;
}

/** A radix sort in parallel, or a counting sort by one invocation. */
export type GroupingAlgorithm = 'radix' | 'counting';

const readOrder = ({ first }: RadixOptions): Bindings => (first ? {} : { order: 'read u32' });

const count = defineKernel({
  name: 'sort count',
  bindings: (options: RadixOptions): Bindings => ({
    keys: 'read u32',
    ...readOrder(options),
    counts: 'write u32',
  }),
  params: { count: 'u32', tiles: 'u32', shift: 'u32' },
  source: countDigits,
});

const scan = defineKernel({
  name: 'sort scan',
  bindings: { counts: 'read_write u32', totals: 'write u32' },
  params: { tiles: 'u32' },
  source: scanDigits,
});

const place = defineKernel({
  name: 'sort place',
  bindings: (options: RadixOptions): Bindings => ({
    keys: 'read u32',
    ...readOrder(options),
    counts: 'read u32',
    totals: 'read u32',
    sorted: 'write u32',
  }),
  params: { count: 'u32', tiles: 'u32', shift: 'u32' },
  source: placeDigits,
});

const bounds = defineKernel({
  name: 'sort bounds',
  bindings: { keys: 'read u32', order: 'read u32', offsets: 'write u32' },
  params: { count: 'u32', total: 'u32' },
  source: keyBounds,
});

const counting = defineKernel({
  name: 'sort counting',
  bindings: { keys: 'read u32', order: 'write u32', offsets: 'read_write u32' },
  params: {
    count_begin: 'u32',
    count_end: 'u32',
    sum_begin: 'u32',
    sum_end: 'u32',
    place_begin: 'u32',
    place_end: 'u32',
  },
  source: countingSort,
});

/** Groups `keys` (uint32, each at most `total`). The results are temporaries, freed by the scope. */
export function groupByKey(op: string, keys: Tensor, total: number, algorithm: GroupingAlgorithm): Grouping {
  return algorithm === 'counting' ? groupByCounting(op, keys, total) : groupByRadix(op, keys, total);
}

const words = (device: Device, op: string, size: number) =>
  output(device, { shape: [size], dtype: 'uint32' }, op);

function groupByCounting(op: string, keys: Tensor, total: number): Grouping {
  const { device, size } = keys;
  const order = words(device, op, size);
  const offsets = fillKernel(device, { shape: [total + 3], dtype: 'uint32' }, 0, op);
  for (const [count, sum, place] of splitLoops([size, total + 1, size]) as [
    LoopRange,
    LoopRange,
    LoopRange,
  ][])
    device.launch(counting, {
      options: {},
      bindings: { keys: keys.storage, order: order.storage, offsets: offsets.storage },
      params: {
        count_begin: count[0],
        count_end: count[1],
        sum_begin: sum[0],
        sum_end: sum[1],
        place_begin: place[0],
        place_end: place[1],
      },
      workgroups: 1,
    });
  return { order, offsets };
}

function groupByRadix(op: string, keys: Tensor, total: number): Grouping {
  const { device, size } = keys;
  const tiles = Math.ceil(size / tileLength);
  const counts = words(device, op, radix * tiles);
  const totals = words(device, op, radix);
  let order: Tensor | null = null;
  for (let shift = 0; shift < 32 && total >= 2 ** shift; shift += Math.log2(radix)) {
    const options = { first: order === null };
    const read = { keys: keys.storage, ...(order ? { order: order.storage } : {}) };
    const params = { count: size, tiles, shift };
    device.launch(count, {
      options,
      bindings: { ...read, counts: counts.storage },
      params,
      workgroups: tiles,
    });
    device.launch(scan, {
      options: {},
      bindings: { counts: counts.storage, totals: totals.storage },
      params: { tiles },
      workgroups: radix,
    });
    const sorted = words(device, op, size);
    device.launch(place, {
      options,
      bindings: { ...read, counts: counts.storage, totals: totals.storage, sorted: sorted.storage },
      params,
      workgroups: tiles,
    });
    order?.dispose();
    order = sorted;
  }
  const offsets = words(device, op, total + 1);
  device.launch(bounds, {
    options: {},
    bindings: { keys: keys.storage, order: (order as Tensor).storage, offsets: offsets.storage },
    params: { count: size, total },
    workgroups: Math.ceil((total + 1) / sortWorkgroup),
  });
  return { order: order as Tensor, offsets };
}
