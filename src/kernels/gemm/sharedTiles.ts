/** @file The tiles of the GEMM engine in workgroup memory, which only GPUs select, and what they cost. */
import { type GemmTile, invocationsOf, type OperandLayout } from '../../../shaders/gemm.ts';
import { upTo } from '../launch/rounding.ts';

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
export const sharedTiles = {
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
} as const satisfies Record<string, GemmTile>;

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
