/**
 * @file The tiles of the GEMM engine, which adapters they suit, and their estimated costs.
 */
import { type GemmTile, invocationsOf, type OperandLayout } from '../../shaders/gemm.ts';

const inRegisters = { memory: 'registers', groupM: 1, groupN: 16, width: 4, subgroupQuads: false } as const;
const inSubgroupQuads = { ...inRegisters, depth: 4, subgroupQuads: true } as const;
const inWorkgroups = { memory: 'shared', depth: 16, width: 4, subgroupQuads: false, skew: 2 } as const;
/**
 * A block of 8 × 8 does 64 multiplications for 16 elements read, in some 120 registers; one of 8 × 4 takes 88, one of 4 × 4
 * 72. With larger blocks, a small tile would have too few invocations, each holding too much of the next k tile.
 */
const largeBlocks = { ...inWorkgroups, blockM: 8, blockN: 8 } as const;
const tallBlocks = { ...inWorkgroups, blockM: 8, blockN: 4 } as const;
const wideBlocks = { ...inWorkgroups, blockM: 4, blockN: 8 } as const;
const smallBlocks = { ...inWorkgroups, blockM: 4, blockN: 4 } as const;

/**
 * Tiles in workgroup memory have several shapes, so that layers with few channels don't fill them with padding: channels
 * come in multiples of 16, 24, 32, 48 or 64.
 */
export const gemmTiles = {
  large: { ...largeBlocks, groupM: 16, groupN: 16 },
  medium: { ...wideBlocks, groupM: 16, groupN: 8 },
  tall: { ...tallBlocks, groupM: 16, groupN: 16 },
  wide: { ...wideBlocks, groupM: 16, groupN: 16 },
  narrow: { ...tallBlocks, groupM: 16, groupN: 12 },
  slim: { ...tallBlocks, groupM: 16, groupN: 8 },
  square: { ...smallBlocks, groupM: 16, groupN: 16 },
  smallTall: { ...smallBlocks, groupM: 16, groupN: 8 },
  smallWide: { ...smallBlocks, groupM: 8, groupN: 16 },
  smallSquare: { ...smallBlocks, groupM: 12, groupN: 12 },
  tiny: { ...smallBlocks, groupM: 8, groupN: 8 },
  columns24: { ...smallBlocks, groupM: 16, groupN: 6 },
  rows24: { ...smallBlocks, groupM: 6, groupN: 16 },
  columns16: { ...smallBlocks, groupM: 16, groupN: 4 },
  rows16: { ...smallBlocks, groupM: 4, groupN: 16 },
  // For few tiles: groups of invocations share k, in k tiles that fit in 16 KiB.
  tinyTwoGroups: { ...smallBlocks, groupM: 8, groupN: 8, groupK: 2, depth: 32 },
  tinyFourGroups: { ...smallBlocks, groupM: 8, groupN: 8, groupK: 4, depth: 64 },
  columns16Rows32EightGroups: { ...smallBlocks, groupM: 8, groupN: 4, groupK: 8, depth: 64 },
  columns4: { ...smallBlocks, groupM: 64, groupN: 1, depth: 8 },
  subgroupQuad: { ...inSubgroupQuads, blockM: 12, blockN: 8 },
  tallSubgroupQuad: { ...inSubgroupQuads, blockM: 24, blockN: 8 },
  narrowSubgroupQuad: { ...inSubgroupQuads, blockM: 24, blockN: 4 },
  /** Compiles as fast as `scalars`, and reads six vectors for twice the multiply-adds of its eight. */
  shortSubgroupQuad: { ...inSubgroupQuads, blockM: 8, blockN: 4 },
  block: { ...inRegisters, blockM: 8, blockN: 8, depth: 4 },
  /** Compiles as fast as `scalars`, and reads half as much if elements are read one by one. */
  steps: { ...inRegisters, blockM: 8, blockN: 8, depth: 1 },
  scalars: { ...inRegisters, blockM: 4, blockN: 4, depth: 4 },
  fewRows: { ...inRegisters, blockM: 4, blockN: 16, depth: 1 },
  row: { ...inRegisters, groupN: 64, blockM: 1, blockN: 4, depth: 4 },
  wideRow: { ...inRegisters, blockM: 1, blockN: 16, depth: 1 },
  small: { ...inRegisters, groupN: 64, blockM: 2, blockN: 4, depth: 1, width: 1 },
} as const satisfies Record<string, GemmTile>;

export type GemmTileName = keyof typeof gemmTiles;

/**
 * The cost on SwiftShader of a read, of passing a value on within a quad, and of an iteration of the k loop, in multiply-adds
 * of a lane (docs/decisions/gemm.md). A read is a bounds check and, lane after lane, a gather of each element.
 */
const costs = { vector: 20, element: 8, passing: 1.5, iteration: 20 } as const;

/** Returns the cost of reading `lines` lines of an operand in a step along k. */
function readingCost(
  { major, width }: OperandLayout,
  lines: number,
  { depth, width: widest }: GemmTile,
): number {
  // Tiles of depth 1 read single elements along k.
  const isSingle = width === 1 || widest === 1 || (major === 'k' && depth === 1);
  return lines * (isSingle ? costs.element : costs.vector / 4);
}

/** Returns the cost of a multiply-add on a software adapter, in a tile in registers. The unit is a multiply-add alone. */
export function registersCost(tile: GemmTile, a: OperandLayout, b: OperandLayout): number {
  const { blockM, blockN, depth, subgroupQuads } = tile;
  const ofA = readingCost(a, blockM, tile);
  const shared = subgroupQuads ? ofA / 4 + costs.passing * blockM : ofA;
  return 1 + (shared + readingCost(b, blockN, tile) + costs.iteration / depth) / (blockM * blockN);
}

/** Returns the least multiple that is no less than `n`. */
export const upTo = (multiple: number, n: number): number => Math.ceil(n / multiple) * multiple;

/** Invocations per instruction (the subgroup size). */
const lanes = 32;

/** Vector instructions for each vector that an invocation loads: computing its index, and storing it in workgroup memory. */
const loadCost = 4;

/**
 * Vector instructions per multiply-add in workgroup memory, as counted by `npm run codegen`. Idle lanes count. Large blocks
 * transpose what they load, so that some invocations load from A and some from B: both branches count.
 */
export function instructionCost(tile: GemmTile): number {
  const { blockM, blockN } = tile;
  const threads = invocationsOf(tile);
  const transposed = blockM * blockN < 64 ? 1 : 2;
  const issued = upTo(lanes, threads) / threads;
  return issued * (1 + (transposed * loadCost * loadedVectors(tile)) / productsOf(tile));
}

/** Multiply-adds of an invocation in a k tile. */
export function productsOf({ groupK = 1, blockM, blockN, depth }: GemmTile): number {
  return (blockM * blockN * depth) / groupK;
}

/** Returns the number of vectors of four that an invocation loads from a k tile of both operands. */
export function loadedVectors(tile: GemmTile): number {
  const { groupM, groupN, blockM, blockN, depth } = tile;
  const each = (lines: number) => Math.ceil((lines * depth) / (4 * invocationsOf(tile)));
  return each(groupM * blockM) + each(groupN * blockN);
}

/**
 * Returns the time to load a tile's operands from the cache that all units share, per multiply-add, in multiply-adds: a unit gets
 * some 16 bytes per cycle.
 */
export function cacheCost({ groupM, groupN, blockM, blockN }: GemmTile): number {
  return 16 / (groupM * blockM) + 16 / (groupN * blockN);
}

/** The cost of a multiply-add with subgroup matrices: an H100 took 0.24 of the time of float32, without them, for a matmul of 4096. */
export const subgroupMatrixCost = 0.25;

/** Bytes of workgroup memory used by a tile. */
export function workgroupBytes(
  { memory, groupM, groupN, blockM, blockN, depth, skew = 0 }: GemmTile,
  a: OperandLayout,
  b: OperandLayout,
): number {
  if (memory !== 'shared') return 0;
  const vectors = (lines: number, { major }: OperandLayout) =>
    (depth / 4) * (lines + (major === 'k' ? skew : 0));
  return 16 * (vectors(groupM * blockM, a) + vectors(groupN * blockN, b));
}

/** Returns whether a tile can read A: four rows that are read as a vector must belong to one block. */
export function readsRows({ blockM, width }: Pick<GemmTile, 'blockM' | 'width'>, a: OperandLayout): boolean {
  return blockM % 4 === 0 || width === 1 || a.width === 1 || a.major === 'k';
}

/** The sizes for which a software adapter selects a tile without measuring it. */
export interface TileRange {
  /**
   * The minimum number of multiplications for which the program is worth compiling: if both operands are read in vectors, and
   * otherwise.
   */
  readonly min: { readonly vectors: number; readonly elements: number };
  /** The largest C. */
  readonly max: { readonly m: number; readonly n: number };
}

const large = 2 ** 23;
const always = { vectors: 0, elements: 0 };
const mostly = { vectors: 2 ** 18, elements: large };
const often = { vectors: 2 ** 20, elements: 2 ** 20 };
const rarely = { vectors: large, elements: large };
const anySize = { m: Number.POSITIVE_INFINITY, n: Number.POSITIVE_INFINITY };

/** Few tiles are selected for all sizes, so that new sizes rarely compile anything. */
export const registersRanges: readonly (readonly [GemmTileName, TileRange])[] = [
  ['subgroupQuad', { min: mostly, max: anySize }],
  ['tallSubgroupQuad', { min: rarely, max: anySize }],
  ['narrowSubgroupQuad', { min: often, max: anySize }],
  ['block', { min: mostly, max: anySize }],
  ['steps', { min: always, max: anySize }],
  ['scalars', { min: always, max: { ...anySize, n: 4 } }],
  ['fewRows', { min: always, max: { ...anySize, m: 4 } }],
  ['row', { min: always, max: { ...anySize, m: 1 } }],
  ['wideRow', { min: always, max: { ...anySize, m: 1 } }],
];
