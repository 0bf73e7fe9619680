/**
 * @file Launches placed slices: several slices in one launch, so that each element of the result is written about once, however
 * many there are. The slices are sorted along the axis that separates them most; each launch takes the next of them, and
 * writes the elements from where the launch before ended to where its own slices end.
 */
import {
  geometryWords,
  placeSlices,
  type PlaceSlicesOptions,
  placeSlicesWorkgroup,
} from '../../../shaders/placeSlices.ts';
import { type Shape, sizeOf, stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { kernels } from '../loading/loadKernels.ts';
import { padKernel } from './pad.ts';

/** Parameters of eight words, in which the numbers of all slices follow each other. */
const geometry = {
  geometry_0: 'u32x8',
  geometry_1: 'u32x8',
  geometry_2: 'u32x8',
  geometry_3: 'u32x8',
  geometry_4: 'u32x8',
  geometry_5: 'u32x8',
  geometry_6: 'u32x8',
} as const;
const words = Object.keys(geometry) as (keyof typeof geometry)[];

const kernel = defineKernel({
  name: 'place slices',
  bindings: ({ slices, width, adds }: PlaceSlicesOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    const inputs = Array.from({ length: slices }, (_, i) => [`in_${i}`, `read ${element}`] as const);
    const out = [['out', `${adds === 'none' ? 'write' : 'read_write'} ${element}`] as const];
    return Object.fromEntries<Bindings[string]>([...inputs, ...out]);
  },
  // 256 bytes in all, which is what a launch has.
  params: { ...geometry, count: 'u32', first: 'u32', written: 'u32' },
  reads: ({ slices, rank, adds }: PlaceSlicesOptions) => [
    ...words.slice(0, Math.ceil(geometryWords(slices, rank) / 8)),
    'count',
    'first',
    ...(adds === 'none' ? [] : (['written'] as const)),
  ],
  source: placeSlices,
});

type Numbers = Record<(typeof words)[number], number[]>;

/** A tensor, and the element of the result at which its first one is placed. */
export interface Slice {
  readonly values: Tensor;
  readonly begin: readonly number[];
}

/** A slice on the merged axes of the result. */
interface Block {
  readonly values: Tensor;
  begin: number[];
  size: number[];
}

/** Places float32 `slices`, all of the rank of `spec`, into zeros. Elements of several slices are summed. */
export function placeSlicesKernel(op: string, slices: readonly Slice[], spec: TensorSpec): Tensor {
  const placed = slices.filter(({ values }) => values.size > 0);
  const [only] = placed;
  if (!only) return kernels().fillKernel((slices[0] as Slice).values.device, spec, 0, op);
  if (placed.length === 1) return padKernel(op, only.values, only.begin, spec, 'constant');
  const out = output(only.values.device, spec, op);
  // A scalar is one element of one axis.
  launchBands(out, ...mergeWholeAxes(spec.shape.length > 0 ? spec.shape : [1], placed));
  return out;
}

function launchBands(out: Tensor, shape: number[], blocks: readonly Block[]): void {
  const axis = separatingAxis(shape, blocks);
  const width = inVectors(out, shape, blocks) ? 4 : 1;
  const begins = (block: Block) => block.begin[axis] as number;
  const ends = (block: Block) => begins(block) + (block.size[axis] as number);
  const sorted = blocks.toSorted((a, b) => begins(a) - begins(b));
  const total = shape[axis] as number;
  const most = slicesPerLaunch(out, shape.length);
  let written = 0;
  for (let next = 0; next < sorted.length; next += most) {
    const members = sorted.slice(next, next + most);
    const first = Math.min(written, begins(members[0] as Block));
    const last = Math.max(...members.map(ends));
    const reached = Math.max(written, last);
    // The last launch also writes the zeros after all slices.
    const end = next + most >= sorted.length && reached < total ? total : last;
    launchBand(out, members, { shape, width, axis, first, end, written });
    written = reached;
  }
}

interface Band {
  /** Of the result, on the merged axes; in vectors if `width` is 4. */
  readonly shape: Shape;
  readonly width: 1 | 4;
  readonly axis: number;
  readonly first: number;
  readonly end: number;
  /** Elements before this one, on the axis, have been written. */
  readonly written: number;
}

function launchBand(out: Tensor, members: readonly Block[], band: Band): void {
  const { shape, width, axis, first, end, written } = band;
  const adds: PlaceSlicesOptions['adds'] = written > first ? axis : 'none';
  const sizes = shape.map((n, i) => (i === axis ? end - first : n));
  const strides = stridesOf(shape);
  // A slice may begin before the band: WGSL's unsigned differences wrap around.
  const inBand = (begin: readonly number[]) => begin.map((n, i) => (i === axis ? n - first : n));
  const numbers = [sizes, strides, ...members.flatMap(({ begin, size }) => [inBand(begin), size])].flat();
  const count = sizeOf(sizes);
  out.device.launch(kernel, {
    options: { slices: members.length, rank: shape.length, width, adds },
    bindings: Object.fromEntries([
      ...members.map(({ values }, i) => [`in_${i}`, values.storage] as const),
      ['out', out.storage] as const,
    ]),
    params: {
      ...(Object.fromEntries(words.map((name, i) => [name, numbers.slice(8 * i, 8 * i + 8)])) as Numbers),
      count,
      first: first * (strides[axis] as number),
      written: written - first,
    },
    workgroups: Math.ceil(count / placeSlicesWorkgroup),
  });
}

/** Merges each axis of which all slices cover the whole into the axis before it. */
function mergeWholeAxes(shape: Shape, slices: readonly Slice[]): [shape: number[], blocks: Block[]] {
  const merged: number[] = [];
  const blocks = slices.map(({ values }): Block => ({ values, begin: [], size: [] }));
  shape.forEach((n, axis) => {
    const last = merged.length - 1;
    const isWhole = slices.every(({ values }) => (values.shape[axis] ?? 1) === n);
    if (isWhole && last >= 0) {
      merged[last] = (merged[last] as number) * n;
      for (const { begin, size } of blocks)
        for (const list of [begin, size]) list[last] = (list[last] as number) * n;
    } else {
      merged.push(n);
      blocks.forEach(({ begin, size }, i) => {
        const { values, begin: given } = slices[i] as Slice;
        begin.push(given[axis] ?? 0);
        size.push(values.shape[axis] ?? 1);
      });
    }
  });
  return [merged, blocks];
}

/** The axis of which the slices cover the smallest parts. */
function separatingAxis(shape: Shape, blocks: readonly Block[]): number {
  const covered = shape.map(
    (n, axis) => blocks.reduce((sum, { size }) => sum + (size[axis] as number), 0) / n,
  );
  return covered.indexOf(Math.min(...covered));
}

/** Divides the last axis of the result and of all blocks by four, if vectors can be read and written. */
function inVectors(out: Tensor, shape: number[], blocks: readonly Block[]): boolean {
  const lists = [shape, ...blocks.flatMap(({ begin, size }) => [begin, size])];
  const last = shape.length - 1;
  const isAligned = lists.every((list) => (list[last] as number) % 4 === 0);
  if (!isAligned || ![out, ...blocks.map(({ values }) => values)].every(bindsAsVectors)) return false;
  for (const list of lists) list[last] = (list[last] as number) / 4;
  return true;
}

/** How many slices a launch binds: as many as its buffers and its parameters hold. */
function slicesPerLaunch({ device }: Tensor, rank: number): number {
  const inGeometry = Math.floor(((words.length * 8) / rank - 2) / 2);
  return Math.min(7, inGeometry, device.limits.maxStorageBuffersPerShaderStage - 1);
}
