/** @file Tiles of the matrix multiplication engine as candidates. */
import { gemmInvocations, type GemmTile, type OperandLayout } from '../../shaders/gemm.ts';
import type { Device } from '../gpu/device.ts';
import { type GemmFacts, type GemmPlan, gemmTiles, isSmall, matrixTile, planGemm } from '../kernels/gemm.ts';
import { type Candidate, type Family, sizeClass } from './family.ts';

type TileName = keyof typeof gemmTiles;

/** What a multiplication costs in a tile, by class of adapters. Tiles that aren't named don't suit the class. */
const costs: Readonly<Record<'cpu' | 'gpu', Partial<Record<TileName, number>>>> = {
  // SwiftShader, of 576 × 256 with k 512.
  cpu: { tallQuad: 0.8, quad: 1, narrowQuad: 1, block: 1.6, scalars: 2.5, wideRow: 3.5, row: 4, small: 8 },
  // Not measured: the reads of memory that a product needs.
  gpu: { large: 1, medium: 1.15, block: 2, scalars: 3, row: 4, small: 6 },
};

/** The same of matrix units. Not measured: an eighth, as makers say. */
const matrixCost = 0.125;

interface PricedTile {
  name: string;
  tile: GemmTile;
  cost: number;
}

/** Invocations that fill a device. */
const busy = { cpu: 8, gpu: 16384 } as const;

function runsOn(
  { gpu, limits }: Device,
  { quads, groupM, groupN, memory, blockM, depth }: GemmTile,
): boolean {
  if (quads && !gpu.features.has('subgroups')) return false;
  if (groupM * groupN > limits.maxComputeInvocationsPerWorkgroup) return false;
  // Tiles of both operands; they are as wide as they are high.
  const bytes = memory === 'shared' ? 2 * 4 * groupM * blockM * depth : 0;
  return bytes <= limits.maxComputeWorkgroupStorageSize;
}

/** Four rows of A that are read at once belong to one block. */
function reads({ blockM, width }: GemmTile, { a }: GemmFacts): boolean {
  return blockM % 4 === 0 || width === 1 || a.width === 1 || a.major === 'k';
}

const layoutText = ({ major, width, half }: OperandLayout) => `${major}${width}${half ? 'h' : ''}`;

export const productFamily: Family<GemmFacts, GemmPlan> = {
  key({ of, dtype, size, a, b, outWidth }) {
    const { m, n, segments, length, slices } = size;
    const sizes = [m, n, length, segments, slices].map(sizeClass).join(' ');
    return `${of} ${dtype} ${sizes} ${layoutText(a)} ${layoutText(b)} ${outWidth}`;
  },

  describe({ of, size: { m, n, segments, length, slices } }) {
    const k = segments > 1 ? `${segments} · ${length}` : `${length}`;
    return `tile of ${of}, ${slices > 1 ? `${slices} times ` : ''}${m} × ${n}, k ${k}`;
  },

  candidates(device, facts) {
    if (isSmall(facts)) {
      return [{ name: 'small', variant: planGemm(device, facts, gemmTiles.small), cost: null, rank: 0 }];
    }
    const { m, n, segments, length, slices } = facts.size;
    const { class: adapter } = device.adapter;
    const rows = Object.entries(costs[adapter]) as [TileName, number][];
    const tiles: PricedTile[] = rows.map(([name, cost]) => ({ name, tile: gemmTiles[name], cost }));
    const units = matrixTile(device, facts);
    if (units) tiles.unshift({ name: 'matrix units', tile: units, cost: matrixCost });
    const fitting = tiles.filter(({ tile }) => runsOn(device, tile) && reads(tile, facts));
    return fitting.flatMap(({ name, tile, cost }): Candidate<GemmPlan>[] => {
      const plan = planGemm(device, facts, tile);
      const invocations = gemmInvocations(tile, m, n, slices);
      const padded = invocations * tile.blockM * tile.blockN * segments * length;
      const idle = Math.max(1, busy[adapter] / (invocations * plan.split.parts));
      const candidate = { name, variant: plan, cost: padded * cost * idle, rank: 0 };
      if (plan.split.parts === 1) return [candidate];
      const whole = planGemm(device, facts, tile, true);
      const wholeCost = padded * cost * Math.max(1, busy[adapter] / invocations);
      return [candidate, { name: `${name}, k in one part`, variant: whole, cost: wholeCost, rank: 0 }];
    });
  },
};
