/**
 * @file What launches of the matrix multiplication engine share: the choice of a tile, of vector widths and of splits
 * along k.
 */
import { gemmInvocations, type GemmTile, gemmWorkgroups, type OperandLayout } from '../../shaders/gemm.ts';
import { type DType, isFloating } from '../core/dtype.ts';
import type { AdapterClass } from '../webgpu/adapter.ts';
import { decide } from '../webgpu/choice.ts';
import type { Device } from '../webgpu/device.ts';
import type { Bindings } from '../webgpu/kernel.ts';
import type { Launch } from '../webgpu/launch.ts';
import type { ParamFields } from '../webgpu/params.ts';
import { gemmTiles, readsRows, softwareCost, softwareTiles } from './gemmTiles.ts';

/** The size of a product: `slices` times m × n, over k = segments · length. */
export interface GemmSize {
  m: number;
  n: number;
  segments: number;
  length: number;
  slices: number;
}

let forced: GemmTile | null = null;

/** Runs `body` with every product on `tile`: for tests and measurements of a single variant. */
export function withGemmTile<T>(tile: GemmTile, body: () => T): T {
  const before = forced;
  forced = tile;
  try {
    return body();
  } finally {
    forced = before;
  }
}

/** Workgroups that keep a GPU busy, roughly: a few for each of its compute units. */
const busyWorkgroups = 128;
/** Multiplications up to which a launch costs more than what it computes, so that one small kernel serves all. */
const smallProducts = { cpu: 2 ** 16, gpu: 2 ** 18 } as const;

/** Multiplications above which a stand-in takes longer than the program that it stands in for takes to compile. */
const hugeProduct = 2 ** 26;

/** Whether a product has one tile alone. WGSL's matrices are of floats, and so are the larger tiles. */
export function isSmall({ adapter }: Device, { dtype, size }: GemmFacts): boolean {
  return !isFloating(dtype) || workOf(size) <= smallProducts[adapter.class];
}

function workOf({ m, n, segments, length, slices }: GemmSize): number {
  return m * n * segments * length * slices;
}

/** Steps that a tile for matrix units takes at once, where workgroup memory has room for them, and otherwise. */
const matrixDepths = { many: 32, few: 16 };

/** The tile by which matrix units multiply; null where they don't: they take halves, and whole matrices of them. */
export function matrixTile(device: Device, { a, b, size: { m, n, slices } }: GemmFacts): GemmTile | null {
  const units = device.matrixUnits;
  if (!units || !a.half || !b.half || m < units[0] || n < units[1]) return null;
  const { large, medium } = gemmTiles;
  const isLarge = gemmWorkgroups(large, m, n, slices) >= busyWorkgroups || units[3] > 64;
  const { many, few } = matrixDepths;
  const depth = device.limits.maxComputeWorkgroupStorageSize >= 32768 && many % units[2] === 0 ? many : few;
  return { ...(isLarge ? large : medium), memory: 'matrix', depth, units };
}

/** The tile for a product. */
function chooseTile(device: Device, facts: GemmFacts): GemmTile {
  if (isSmall(device, facts)) return gemmTiles.small;
  const matrix = matrixTile(device, facts);
  if (matrix) return matrix;
  const { m, n, slices } = facts.size;
  if (device.adapter.class === 'cpu') return cheapestTile(device, facts, workOf(facts.size));
  if (m === 1) return gemmTiles.row;
  const { large, medium } = gemmTiles;
  return gemmWorkgroups(large, m, n, slices) >= busyWorkgroups ? large : medium;
}

/** The tile that costs a software adapter least, of those whose compilation `work` multiplications are worth. */
function cheapestTile({ gpu }: Device, { size: { m, n }, a, b }: GemmFacts, work: number): GemmTile {
  const reads = a.width === 4 && b.width === 4 ? 'vectors' : 'elements';
  const tiles = softwareTiles[gpu.features.has('subgroups') ? 'quads' : 'single'].filter(
    ({ tile, least, most }) => work >= least[reads] && m <= most.m && n <= most.n && readsRows(tile, a),
  );
  // What lies beyond the edges of C is computed, too.
  const costs = tiles.map(
    ({ tile }) => gemmInvocations(tile, m, n, 1) * tile.blockM * tile.blockN * softwareCost(tile, a, b),
  );
  return tiles[costs.indexOf(Math.min(...costs))]?.tile ?? gemmTiles.small;
}

/** How k is cut. `parts` is 1 where it isn't. */
export interface Split {
  parts: number;
  segmentsPerPart: number;
  stepsPerPart: number;
}

/** Invocations that fill a CPU adapter; it has few threads of four lanes. */
const busyInvocations = { cpu: 64, gpu: 16384 } as const;
/** A part has at least this many steps of k: less would not pay for its write and read. */
const stepsWorthAPart = 256;

/** How a product is launched. */
export interface GemmPlan {
  tile: GemmTile;
  a: OperandLayout;
  b: OperandLayout;
  outWidth: 1 | 4;
  flat: boolean;
  split: Split;
}

/** What a plan is made for. The layouts say what the operands allow. */
export interface GemmFacts {
  /** The kernel that walks the product. */
  of: string;
  dtype: DType;
  size: GemmSize;
  a: OperandLayout;
  b: OperandLayout;
  outWidth: 1 | 4;
}

/** Runs `run` with the plan for a product. */
export function withGemmPlan<R>(device: Device, facts: GemmFacts, run: (plan: GemmPlan) => R): R {
  const only = isFloating(facts.dtype) ? forced : null;
  const guess = planGemm(device, facts, only ?? chooseTile(device, facts));
  return only ? run(guess) : decide(device, 'product', facts, guess, run);
}

/** What a launch of a plan runs: its program, and one that stands in for it while it is being compiled. */
export function gemmPrograms<O extends { tile: GemmTile }>(
  device: Device,
  { split }: GemmPlan,
  { m, n, slices, ...rest }: GemmSize,
  options: O,
): Pick<Launch<O, Bindings, ParamFields>, 'options' | 'workgroups' | 'meanwhile'> {
  const on = (tile: GemmTile) => ({
    options: { ...options, tile },
    workgroups: gemmWorkgroups(tile, m, n, slices * split.parts),
  });
  const other = standIn(device, options.tile, { m, n, slices, ...rest });
  return { ...on(options.tile), meanwhile: other && on(other) };
}

/**
 * The tile that stands in for another: it compiles in less than half the time, and its products and sums are the same,
 * step by step. Null where none is needed.
 */
function standIn({ adapter }: Device, tile: GemmTile, size: GemmSize): GemmTile | null {
  const isLong = tile.memory === 'registers' && tile.depth === 4 && tile.blockM >= gemmTiles.block.blockM;
  // What is forced is to run itself.
  if (adapter.class === 'gpu' || forced || !isLong || workOf(size) > hugeProduct) return null;
  return gemmTiles.scalars;
}

/** The plan on a tile; with `isWhole` k isn't cut. */
export function planGemm(
  device: Device,
  { size, a, b, outWidth }: GemmFacts,
  tile: GemmTile,
  isWhole = false,
): GemmPlan {
  const flat = tile.memory !== 'registers' && wastesTiles(size, tile.depth);
  const walked = flat ? { ...size, segments: 1, length: size.segments * size.length } : size;
  const capped = <W extends 1 | 4>(width: W) => (tile.width === 1 ? 1 : width);
  // Single steps read single elements along k.
  const laid = (x: OperandLayout): OperandLayout => ({
    ...x,
    width: x.major === 'k' && tile.depth === 1 ? 1 : capped(x.width),
  });
  return {
    tile,
    a: laid(a),
    b: laid(b),
    outWidth: capped(outWidth),
    flat,
    split: isWhole ? uncut(walked) : chooseSplit(device.adapter.class, tile, walked),
  };
}

/** Whether segments fill tiles of `depth` steps so badly that walking k flat, with its divisions, is cheaper. */
function wastesTiles({ segments, length }: GemmSize, depth: number): boolean {
  return segments > 1 && Math.ceil(length / depth) * depth > 1.25 * length;
}

function uncut({ segments, length }: GemmSize): Split {
  return { parts: 1, segmentsPerPart: segments, stepsPerPart: length };
}

/** Cuts k where the product has too few blocks to fill the device. */
function chooseSplit(adapter: AdapterClass, tile: GemmTile, size: GemmSize): Split {
  const { m, n, segments, length, slices } = size;
  const whole = uncut(size);
  const invocations = gemmInvocations(tile, m, n, slices);
  const steps = segments * length;
  const wanted = Math.min(
    Math.floor(busyInvocations[adapter] / invocations),
    Math.floor(steps / stepsWorthAPart),
    64,
  );
  if (wanted < 2) return whole;
  if (segments > 1) {
    const segmentsPerPart = Math.ceil(segments / wanted);
    return { parts: Math.ceil(segments / segmentsPerPart), segmentsPerPart, stepsPerPart: length };
  }
  const stepsPerPart = Math.ceil(length / wanted / 4) * 4;
  return { parts: Math.ceil(length / stepsPerPart), segmentsPerPart: 1, stepsPerPart };
}

/** Values of the engine's own parameters. */
export function gemmParamValues(size: GemmSize, split: Split, alpha: number, splitStride: number) {
  return {
    ...size,
    splits: split.parts,
    segments_per_split: split.segmentsPerPart,
    steps_per_split: split.stepsPerPart,
    split_stride: splitStride,
    alpha,
  };
}

/** The bindings of an instance: element types follow the widths. */
export function gemmBindings(
  type: string,
  a: OperandLayout,
  b: OperandLayout,
  outWidth: 1 | 4,
  bias: boolean,
): Bindings {
  const element = (width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
  const read = ({ width, half }: OperandLayout) => {
    if (half) return `read ${width === 4 ? 'vec2<u32>' : 'u32'}`;
    return `read ${element(width)}`;
  };
  return {
    a_values: read(a),
    b_values: read(b),
    ...(bias ? { bias_values: `read ${type}` } : {}),
    c_values: `write ${element(outWidth)}`,
  } as Bindings;
}

/** 4 where every one of `sizes` is a multiple of 4. */
export function widthOf(...sizes: number[]): 1 | 4 {
  return sizes.every((n) => n % 4 === 0) ? 4 : 1;
}
