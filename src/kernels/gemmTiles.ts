/**
 * @file The tiles of the matrix multiplication engine, and what a multiplication costs a software adapter in each.
 */
import type { GemmTile, OperandLayout } from '../../shaders/gemm.ts';

const inRegisters = { memory: 'registers', groupM: 1, groupN: 16, width: 4, quads: false } as const;
const inQuads = { ...inRegisters, depth: 4, quads: true } as const;
const inWorkgroups = { memory: 'shared', depth: 16, width: 4, quads: false } as const;

/**
 * Blocks of 8 × 8 do 64 multiplications for 16 elements read; small blocks leave more of them to spread over a device,
 * and compile in a tenth of the time.
 */
export const gemmTiles = {
  large: { ...inWorkgroups, groupM: 16, groupN: 16, blockM: 8, blockN: 8 },
  medium: { ...inWorkgroups, groupM: 8, groupN: 8, blockM: 8, blockN: 8 },
  quad: { ...inQuads, blockM: 12, blockN: 8 },
  tallQuad: { ...inQuads, blockM: 24, blockN: 8 },
  narrowQuad: { ...inQuads, blockM: 24, blockN: 4 },
  block: { ...inRegisters, blockM: 8, blockN: 8, depth: 4 },
  /** Compiles as fast as `scalars`, and reads half as much where elements are read one by one. */
  steps: { ...inRegisters, blockM: 8, blockN: 8, depth: 1 },
  scalars: { ...inRegisters, blockM: 4, blockN: 4, depth: 4 },
  row: { ...inRegisters, groupN: 64, blockM: 1, blockN: 4, depth: 4 },
  wideRow: { ...inRegisters, blockM: 1, blockN: 16, depth: 1 },
  fewRows: { ...inRegisters, blockM: 4, blockN: 16, depth: 1 },
  small: { ...inRegisters, groupN: 64, blockM: 2, blockN: 4, depth: 1, width: 1 },
} as const satisfies Record<string, GemmTile>;

/**
 * What software adapters spend on a read, on passing a value on in a quad, and on a turn of the loop, in multiply-adds of a
 * lane, as measured on SwiftShader (docs/decisions/gemm.md): a read is the check of its index, and a gather, lane after
 * lane, of each of its elements.
 */
const costs = { vector: 20, element: 8, passing: 1.5, turn: 20 } as const;

/** What reading `lines` lines of an operand costs in a step along k. */
function readingCost(
  { major, width }: OperandLayout,
  lines: number,
  { depth, width: widest }: GemmTile,
): number {
  // Single steps read single elements along k.
  const isSingle = width === 1 || widest === 1 || (major === 'k' && depth === 1);
  return lines * (isSingle ? costs.element : costs.vector / 4);
}

/** What a multiply-add costs a software adapter in a tile in registers, in multiply-adds without anything around them. */
export function softwareCost(tile: GemmTile, a: OperandLayout, b: OperandLayout): number {
  const { blockM, blockN, depth, quads } = tile;
  const ofA = readingCost(a, blockM, tile);
  const shared = quads ? ofA / 4 + costs.passing * blockM : ofA;
  return 1 + (shared + readingCost(b, blockN, tile) + costs.turn / depth) / (blockM * blockN);
}

/** Whether a tile can read A: four rows that are read at once belong to one block. */
export function readsRows({ blockM, width }: GemmTile, a: OperandLayout): boolean {
  return blockM % 4 === 0 || width === 1 || a.width === 1 || a.major === 'k';
}

/** Multiplications from which a longer program's time to compile is worth what it saves. */
const large = 2 ** 23;
const always = { vectors: 0, elements: 0 };
const mostly = { vectors: 2 ** 18, elements: large };
const seldom = { vectors: large, elements: large };
const anySize = { m: Number.POSITIVE_INFINITY, n: Number.POSITIVE_INFINITY };

/** A tile of software adapters. */
interface SoftwareTile {
  tile: GemmTile;
  /** Multiplications from which it is worth its compilation: of operands read in vectors, and of others. */
  least: { vectors: number; elements: number };
  /** The largest C that it is for. */
  most: { m: number; n: number };
}

/** Few are for all sizes, so that new sizes seldom compile anything. */
const shortTiles: readonly SoftwareTile[] = [
  { tile: gemmTiles.steps, least: always, most: anySize },
  { tile: gemmTiles.scalars, least: always, most: { ...anySize, n: 4 } },
  { tile: gemmTiles.fewRows, least: always, most: { ...anySize, m: 4 } },
  { tile: gemmTiles.row, least: always, most: { ...anySize, m: 1 } },
  { tile: gemmTiles.wideRow, least: always, most: { ...anySize, m: 1 } },
];

/** Tiles of software adapters that have quads, and of those that don't. */
export const softwareTiles: Record<'quads' | 'single', readonly SoftwareTile[]> = {
  quads: [
    { tile: gemmTiles.quad, least: mostly, most: anySize },
    { tile: gemmTiles.tallQuad, least: seldom, most: anySize },
    { tile: gemmTiles.narrowQuad, least: seldom, most: anySize },
    ...shortTiles,
  ],
  single: [{ tile: gemmTiles.block, least: mostly, most: anySize }, ...shortTiles],
};
