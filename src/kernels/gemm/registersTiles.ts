/**
 * @file The tiles of the GEMM engine that invocations hold in registers, which are those of software adapters: their costs, and
 * for which sizes they are selected.
 */
import type { GemmTile, OperandLayout } from '../../../shaders/gemm.ts';

const inRegisters = { memory: 'registers', groupM: 1, groupN: 16, width: 4, subgroupQuads: false } as const;
const inSubgroupQuads = { ...inRegisters, depth: 4, subgroupQuads: true } as const;

export const registersTiles = {
  subgroupQuad: { ...inSubgroupQuads, blockM: 12, blockN: 8 },
  tallSubgroupQuad: { ...inSubgroupQuads, blockM: 24, blockN: 8 },
  narrowSubgroupQuad: { ...inSubgroupQuads, blockM: 24, blockN: 4 },
  /** Compiles as fast as `scalars`, and reads six vectors for twice the multiply-adds of its eight. */
  shortSubgroupQuad: { ...inSubgroupQuads, blockM: 8, blockN: 4 },
  block: { ...inRegisters, blockM: 8, blockN: 8, depth: 4 },
  /** Compiles as fast as `scalars`, and reads half as much if elements are read one by one. */
  steps: { ...inRegisters, blockM: 8, blockN: 8, depth: 1 },
  scalars: { ...inRegisters, blockM: 4, blockN: 4, depth: 4 },
  fewColumns: { ...inRegisters, blockM: 8, blockN: 4, depth: 4 },
  fewRows: { ...inRegisters, blockM: 4, blockN: 16, depth: 1 },
  row: { ...inRegisters, groupN: 64, blockM: 1, blockN: 4, depth: 4 },
  wideRow: { ...inRegisters, blockM: 1, blockN: 16, depth: 1 },
  small: { ...inRegisters, groupN: 64, blockM: 2, blockN: 4, depth: 1, width: 1 },
} as const satisfies Record<string, GemmTile>;

export type RegistersTileName = keyof typeof registersTiles;

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
export const registersRanges: readonly (readonly [RegistersTileName, TileRange])[] = [
  ['subgroupQuad', { min: mostly, max: anySize }],
  ['tallSubgroupQuad', { min: rarely, max: anySize }],
  ['narrowSubgroupQuad', { min: often, max: anySize }],
  ['block', { min: mostly, max: anySize }],
  ['steps', { min: always, max: anySize }],
  ['fewColumns', { min: always, max: { ...anySize, n: 4 } }],
  ['fewRows', { min: always, max: { ...anySize, m: 4 } }],
  ['row', { min: always, max: { ...anySize, m: 1 } }],
  ['wideRow', { min: always, max: { ...anySize, m: 1 } }],
];
