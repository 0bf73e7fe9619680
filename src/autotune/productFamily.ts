/** @file Tiles of the matrix multiplication engine as candidates. */
import { gemmInvocations, type GemmTile, type OperandLayout } from '../../shaders/gemm.ts';
import type { Device } from '../webgpu/device.ts';
import { type GemmFacts, type GemmPlan, isSmall, matrixTile, planGemm } from '../kernels/gemm.ts';
import { gemmTiles, readsRows, softwareCost } from '../kernels/gemmTiles.ts';
import { type Candidate, type Family, sizeClass } from './family.ts';

type TileName = keyof typeof gemmTiles;

/** What a multiplication costs a GPU in a tile. Not measured: the reads of memory that a product needs. */
const gpuCosts: Partial<Record<TileName, number>> = {
  large: 1,
  medium: 1.15,
  block: 2,
  scalars: 3,
  row: 4,
  small: 6,
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

/** The tiles that an adapter's class is suited by, priced for a product. */
function pricedTiles({ adapter }: Device, { a, b }: GemmFacts): PricedTile[] {
  const tiles = Object.entries(gemmTiles) as [TileName, GemmTile][];
  return tiles.flatMap(([name, tile]): PricedTile[] => {
    if (adapter.class === 'cpu') {
      return tile.memory === 'registers' ? [{ name, tile, cost: softwareCost(tile, a, b) }] : [];
    }
    const cost = gpuCosts[name];
    return cost === undefined ? [] : [{ name, tile, cost }];
  });
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
    if (isSmall(device, facts)) {
      return [{ name: 'small', variant: planGemm(device, facts, gemmTiles.small), cost: null, rank: 0 }];
    }
    const { m, n, segments, length, slices } = facts.size;
    const { class: adapter } = device.adapter;
    const tiles = pricedTiles(device, facts);
    const units = matrixTile(device, facts);
    if (units) tiles.unshift({ name: 'matrix units', tile: units, cost: matrixCost });
    const fitting = tiles.filter(({ tile }) => runsOn(device, tile) && readsRows(tile, facts.a));
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
