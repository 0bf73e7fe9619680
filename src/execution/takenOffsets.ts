/**
 * @file The offsets that values take in one buffer of a memory plan, as a function of time: they find the lowest offset that is
 * free for the whole lifetime of a value.
 */

export interface TakenOffsets {
  /** Takes the offsets from `start` to below `end` from moment `first` to `last`. */
  take(start: number, end: number, first: number, last: number): void;
  /** Returns the lowest offset from which `size` offsets are free from moment `first` to `last`. */
  lowestFree(size: number, first: number, last: number): number;
}

interface Taken {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
}

/** The offsets of few values: a list, in the order of their starts. */
export class FewOffsets implements TakenOffsets {
  readonly #taken: Taken[] = [];

  take(start: number, end: number, first: number, last: number): void {
    const at = this.#taken.findIndex((other) => other.start > start);
    this.#taken.splice(at < 0 ? this.#taken.length : at, 0, { start, end, first, last });
  }

  lowestFree(size: number, first: number, last: number): number {
    let offset = 0;
    for (const taken of this.#taken) {
      if (offset + size <= taken.start) break;
      if (first <= taken.last && taken.first <= last) offset = Math.max(offset, taken.end);
    }
    return offset;
  }
}

/** Disjoint ranges that don't touch, in order: the start of each, then its end. */
type Ranges = number[];

/** The most ranges that a search jumps over before it takes the offset above all of them. */
const maxJumps = 1000;

/**
 * The offsets of many values: a segment tree over time. Each node has the offsets that are taken during all of its time, and those
 * that are taken at any moment of it. A lifetime is made up of O(log n) nodes. An offset is free for it if it is never taken in
 * these, nor during all of the time of a node above them.
 */
export class OffsetTree implements TakenOffsets {
  /** Moments of all leaves: a power of two. */
  readonly #width: number;
  /** By node: the root is 1, and the children of node i are 2i and 2i + 1. Nodes without values are missing. */
  readonly #always = new Map<number, Ranges>();
  readonly #ever = new Map<number, Ranges>();
  readonly #full: FullOffsets;
  /** The ranges that a search considers. */
  readonly #considered: Ranges[] = [];

  /** `moments` is one more than the last moment of any lifetime. */
  constructor(moments: number) {
    this.#width = 2 ** Math.ceil(Math.log2(moments));
    this.#full = new FullOffsets(this.#width);
  }

  take(start: number, end: number, first: number, last: number): void {
    visit(1, 0, this.#width, first, last, (node, isWhole) => {
      include(this.#ever, node, start, end);
      if (isWhole) include(this.#always, node, start, end);
    });
    this.#full.extend(start, end, first, last);
  }

  lowestFree(size: number, first: number, last: number): number {
    const considered = this.#considered;
    considered.length = 0;
    visit(1, 0, this.#width, first, last, (node, isWhole) => {
      const ranges = (isWhole ? this.#ever : this.#always).get(node);
      if (ranges) considered.push(ranges);
    });
    let offset = this.#full.highest(first, last);
    // Nodes in a row that have room at `offset`.
    let agreeing = 0;
    for (let jumps = 0, at = 0; agreeing < considered.length; at = (at + 1) % considered.length) {
      const next = firstGap(considered[at] as Ranges, offset, size);
      if (next === offset) agreeing++;
      else {
        if (++jumps > maxJumps) return Math.max(...considered.map((ranges) => ranges.at(-1) as number));
        agreeing = 1;
        offset = next;
      }
    }
    return offset;
  }
}

/**
 * For each moment, an offset below which all are taken: no search that includes the moment need begin lower. Values are placed from
 * the lowest offset on, so that this is most of what is taken. A segment tree with the maximum of each node; what is
 * added to a node is added to those of its moments that have the maximum.
 */
class FullOffsets {
  readonly #highest: Float64Array;
  /** What is still to be added to the children. */
  readonly #added: Float64Array;

  constructor(private readonly width: number) {
    this.#highest = new Float64Array(2 * width);
    this.#added = new Float64Array(2 * width);
  }

  /** Returns the highest of the offsets from moment `first` to `last`. */
  highest(first: number, last: number, node = 1, from = 0, width = this.width): number {
    if (first <= from && from + width - 1 <= last) return this.#highest[node] as number;
    this.#pass(node);
    const half = width / 2;
    const left = first < from + half ? this.highest(first, last, 2 * node, from, half) : 0;
    const right = last >= from + half ? this.highest(first, last, 2 * node + 1, from + half, half) : 0;
    return Math.max(left, right);
  }

  /** The offsets from `start` to below `end` are taken now. Only moments that are full up to `start` are full beyond it. */
  extend(
    start: number,
    end: number,
    first: number,
    last: number,
    node = 1,
    from = 0,
    width = this.width,
  ): void {
    if ((this.#highest[node] as number) < start) return;
    if (first <= from && from + width - 1 <= last) {
      if (this.#highest[node] === start) this.#add(node, end - start);
      return;
    }
    this.#pass(node);
    const half = width / 2;
    const [left, right] = [2 * node, 2 * node + 1];
    if (first < from + half) this.extend(start, end, first, last, left, from, half);
    if (last >= from + half) this.extend(start, end, first, last, right, from + half, half);
    this.#highest[node] = Math.max(this.#highest[left] as number, this.#highest[right] as number);
  }

  #add(node: number, offsets: number): void {
    this.#highest[node] = (this.#highest[node] as number) + offsets;
    this.#added[node] = (this.#added[node] as number) + offsets;
  }

  #pass(node: number): void {
    const added = this.#added[node] as number;
    if (added === 0) return;
    const before = (this.#highest[node] as number) - added;
    for (const half of [2 * node, 2 * node + 1]) if (this.#highest[half] === before) this.#add(half, added);
    this.#added[node] = 0;
  }
}

/** Calls `found` for the nodes that make up a lifetime, `isWhole`, and for all nodes above them. */
function visit(
  node: number,
  from: number,
  width: number,
  first: number,
  last: number,
  found: (node: number, isWhole: boolean) => void,
): void {
  const isWhole = first <= from && from + width - 1 <= last;
  found(node, isWhole);
  if (isWhole) return;
  const half = width / 2;
  const middle = from + half;
  if (first < middle) visit(2 * node, from, half, first, last, found);
  if (last >= middle) visit(2 * node + 1, middle, half, first, last, found);
}

function include(byNode: Map<number, Ranges>, node: number, start: number, end: number): void {
  const ranges = byNode.get(node);
  if (ranges) insert(ranges, start, end);
  else byNode.set(node, [start, end]);
}

/** Adds a range, and merges it with those that it overlaps or touches. */
function insert(ranges: Ranges, start: number, end: number): void {
  const from = firstEndingAt(ranges, start);
  let to = from;
  let [low, high] = [start, end];
  for (; to < ranges.length && (ranges[to] as number) <= end; to += 2) {
    low = Math.min(low, ranges[to] as number);
    high = Math.max(high, ranges[to + 1] as number);
  }
  if (to === from + 2) {
    ranges[from] = low;
    ranges[from + 1] = high;
  } else ranges.splice(from, to - from, low, high);
}

/** Returns the lowest place from `offset` on where `size` offsets are free. */
function firstGap(ranges: Ranges, offset: number, size: number): number {
  let free = offset;
  for (let at = firstEndingAt(ranges, offset); at < ranges.length; at += 2) {
    if (free + size <= (ranges[at] as number)) break;
    free = Math.max(free, ranges[at + 1] as number);
  }
  return free;
}

/** Returns the index of the first range that ends at `offset` or beyond. */
function firstEndingAt(ranges: Ranges, offset: number): number {
  let [from, to] = [0, ranges.length / 2];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ranges[2 * middle + 1] as number) < offset) from = middle + 1;
    else to = middle;
  }
  return 2 * from;
}
