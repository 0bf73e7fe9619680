/**
 * @file How the filter gradient of an image with few channels is computed from patches (shaders/convolution/patchFilterGrad.ts): pure
 * functions of the problem.
 */
import {
  filterGradBytes,
  filterGradInvocations,
  filterGradLoads,
  filterGradSize,
  type PatchFilterGradShape,
  rowGroups,
} from '../../../shaders/convolution/patchFilterGrad.ts';
import { adjacentPixels } from '../../../shaders/convolution/imageRow.ts';
import { range } from '../../../shaders/lib/text.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import type { WindowAxis } from '../../core/windows.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import type { Conv2dProblem } from './conv2dCall.ts';
import { allowsPatches, maxBytes } from './directShapes.ts';
import type { PatchFilterGradAlgorithm } from '../loading/gpuKernels.ts';

/** Sums that an invocation holds: with 48, a program takes up to 128 registers, with 18 up to 72. */
const maxSums = { many: 48, few: 18 } as const;
/** Invocations of a workgroup that every device allows. */
const maxInvocations = 256;
/** Vectors of the next patch that an invocation holds while it multiplies. */
const maxLoads = 4;
/** Rows of the kernel that a workgroup can have; of more, it has one. */
const maxRowLanes = 4;
/** Filters of a workgroup: with fewer, fewer workgroups have sums of the same filters, and partial sums take less memory. */
const maxFilters = { allRows: 32, oneRow: 64 } as const;
/** The fewest pixels of a partial sum. */
const minPixels = 256;
/** Rounds of workgroups, and how many a large GPU executes in one; 120 are whole rounds of 12 and 60 units, too. */
const rounds = 3;
const maxWorkgroups = 120;
/** Lanes that execute an instruction together. */
const waveSize = 32;
/** Waves without which a large GPU's unit has idle lanes. */
const minWaves = 4;
/** Instructions that find a rectangle and copy a vector of it, and by which factor a program with edges takes longer. */
const rectangleCost = 40;
const copyCost = 24;
const edgeCost = 1.25;
/** Rows of a rectangle. RADV unrolls eight. */
const heights = [8, 7, 4, 2] as const;

/** Invocations of a vector of filters, a row of the kernel and pixels. */
type Lanes = Pick<PatchFilterGradShape, 'width' | 'filterLanes' | 'rowLanes'>;

/** Returns how filters and rows of the kernel are distributed; null if an invocation would hold too many sums. */
function lanesOf(
  { rows, columns, inputs, outputs }: ConvolutionGeometry,
  { gemm }: Pick<AdapterProfile, 'gemm'>,
): Lanes | null {
  const most = gemm.largestBlock > 16 ? maxSums.many : maxSums.few;
  const width = ([4, 2] as const).find((count) => count * columns.window * inputs <= most);
  if (!width) return null;
  const hasAllRows = rows.window <= maxRowLanes;
  const filterGroups = Math.ceil(outputs / (hasAllRows ? maxFilters.allRows : maxFilters.oneRow));
  const filterLanes = Math.ceil(outputs / width / filterGroups);
  return { width, filterLanes, rowLanes: hasAllRows ? rows.window : 1 };
}

/** Distributes rectangles evenly among workgroups, of which there are some more than units. */
function partsOf(shape: PatchFilterGradShape, geometry: ConvolutionGeometry, units: number) {
  const { batch, rows, columns, outputs } = geometry;
  const size = filterGradSize(shape);
  const rectangles = batch * Math.ceil(rows.output / size.rows) * Math.ceil(columns.output / size.columns);
  const sharing = rowGroups(shape) * Math.ceil(outputs / shape.width / shape.filterLanes);
  const workgroups = Math.min(rounds * units, maxWorkgroups);
  const most = Math.max(
    1,
    Math.min(workgroups / sharing, (batch * rows.output * columns.output) / minPixels),
  );
  const each = Math.ceil(rectangles / Math.floor(most));
  return { each, parts: Math.ceil(rectangles / each) };
}

/** The estimated time of a workgroup, in instructions of a unit. */
function costOf(shape: PatchFilterGradShape, rectangles: number): number {
  const { channels, columns, width, height, edges } = shape;
  const waves = Math.max(minWaves, Math.ceil(filterGradInvocations(shape) / waveSize));
  const products = height * adjacentPixels * columns.window * channels * width;
  const copying = rectangleCost + copyCost * filterGradLoads(shape);
  return waves * rectangles * (products + copying) * (edges ? edgeCost : 1);
}

/** Returns the algorithm for a problem; null if there is none. */
export function filterGradAlgorithm(
  { direction, geometry }: Conv2dProblem,
  profile: Pick<AdapterProfile, 'gemm'>,
): PatchFilterGradAlgorithm | null {
  if (direction !== 'filterGrad' || !allowsPatches(geometry)) return null;
  const lanes = lanesOf(geometry, profile);
  if (!lanes) return null;
  const { rows, columns, inputs } = geometry;
  const axis = ({ window, stride }: WindowAxis) => ({ window, stride });
  const maxPixelLanes = Math.floor(maxInvocations / (lanes.filterLanes * lanes.rowLanes));
  const candidates = heights.flatMap((height) =>
    range(maxPixelLanes).map(
      (i): PatchFilterGradShape => ({
        direction,
        channels: inputs,
        rows: axis(rows),
        columns: axis(columns),
        ...lanes,
        pixelLanes: i + 1,
        height,
        edges: rows.output % height > 0 || columns.output % ((i + 1) * adjacentPixels) > 0,
      }),
    ),
  );
  let best: PatchFilterGradAlgorithm | null = null;
  let min = Number.POSITIVE_INFINITY;
  for (const shape of candidates) {
    if (filterGradBytes(shape) > maxBytes || filterGradLoads(shape) > maxLoads) continue;
    const { each, parts } = partsOf(shape, geometry, profile.gemm.units);
    const cost = costOf(shape, each);
    if (cost >= min) continue;
    min = cost;
    best = { kind: 'patches', shape, parts };
  }
  return best;
}
