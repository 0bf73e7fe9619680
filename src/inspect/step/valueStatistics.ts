/** @file Collects the statistics of tensors on the device. They are computed immediately, and read together at the end. */
import { histogramBins, recordWords } from '../../../shaders/statistics.ts';
import { statisticsGroups, statisticsKernel, statisticsWords } from '../../kernels/reduce/statistics.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Storage } from '../../webgpu/storage.ts';
import { readBuffers } from './readBuffers.ts';
import type { ValueStatistics } from './reportData.ts';

const slabWords = 2 ** 18;

/** Statistics of a tensor that haven't been read yet. */
export interface PendingStatistics {
  readonly size: number;
  readonly slab: number;
  readonly base: number;
}

/** Launches the statistics kernels, and reads the results. */
export class StatisticsCollector {
  readonly #slabs: { storage: Storage; used: number }[] = [];
  readonly #known = new WeakMap<Storage, PendingStatistics>();
  readonly #pending: PendingStatistics[] = [];
  #launches = 0;
  #bytes = 0;

  constructor(private readonly device: Device) {}

  /** Number of launches made so far. */
  get launches(): number {
    return this.#launches;
  }

  /** Bytes that `read` reads. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the statistics of the values that `x` has now. Tensors that share values are processed once. */
  of(x: Tensor, { isMutable = false } = {}): PendingStatistics {
    const storage = x.storage;
    const known = isMutable ? undefined : this.#known.get(storage);
    if (known?.size === x.size) return known;
    const words = statisticsWords(x.size);
    const { slab, base } = this.#room(words);
    const made = { size: x.size, slab, base };
    this.#pending.push(made);
    if (!isMutable) this.#known.set(storage, made);
    if (x.size === 0) return made;
    statisticsKernel(x, (this.#slabs[slab] as { storage: Storage }).storage, base);
    this.#launches += 2;
    return made;
  }

  #room(words: number): { slab: number; base: number } {
    let last = this.#slabs.at(-1);
    if (!last || last.used + words > slabWords) {
      last = { storage: this.device.eager.allocate(4 * slabWords, 'step inspector'), used: 0 };
      this.#slabs.push(last);
    }
    const base = last.used;
    last.used += words;
    this.#bytes += 4 * words;
    return { slab: this.#slabs.length - 1, base };
  }

  /** Reads all statistics in one readback. */
  async read(): Promise<(pending: PendingStatistics) => ValueStatistics> {
    const ranges = this.#slabs.map(({ storage, used }) => ({ storage, bytes: 4 * used }));
    const slabs = (await readBuffers(this.device, ranges)).map((bytes) => new DataView(bytes));
    const decoded = new Map<PendingStatistics, ValueStatistics>();
    return (pending) => {
      const known = decoded.get(pending) ?? decode(slabs[pending.slab] as DataView, pending);
      decoded.set(pending, known);
      return known;
    };
  }

  dispose(): void {
    for (const { storage } of this.#slabs.splice(0)) storage.release();
  }
}

/** Combines the records of the workgroups, in float64. */
function decode(words: DataView, { size, base }: PendingStatistics): ValueStatistics {
  const records = Array.from({ length: size > 0 ? statisticsGroups(size) : 0 }, (_, group) => {
    const at = (word: number) => 4 * (base + group * recordWords + word);
    return {
      float: (word: number) => words.getFloat32(at(word), true),
      count: (word: number) => words.getUint32(at(word), true),
    };
  });
  const sum = (value: (record: (typeof records)[number]) => number) =>
    records.reduce((total, record) => total + value(record), 0);
  const zeros = sum(({ count }) => count(3));
  const infinities = sum(({ count }) => count(4));
  const nans = sum(({ count }) => count(5));
  const first = Math.min(...records.map(({ count }) => count(6)));
  const finite = size - infinities - nans;
  const min = Math.min(...records.map(({ float }) => float(0)));
  const max = Math.max(...records.map(({ float }) => float(1)));
  const scale = Math.max(Math.abs(min), Math.abs(max), 2 ** -126);
  const hasValues = finite > 0;
  return {
    count: size,
    min: hasValues ? min : null,
    max: hasValues ? max : null,
    mean: hasValues ? numberOrNull(sum(({ float }) => float(2)) / finite) : null,
    norm: hasValues ? scale * Math.sqrt(sum(({ float }) => float(8))) : null,
    zeros,
    infinities,
    nans,
    firstNonFinite: first < size ? first : null,
    histogram: Array.from({ length: histogramBins }, (_, bin) => sum(({ count }) => count(16 + bin))),
  };
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
