/** @file Launches transposes: through tiles in workgroup memory, or as a strided copy. */
import { tileSide, type TransposeOptions, transposeTiles } from '../../../shaders/transpose.ts';
import { stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { copyInto } from './copy.ts';
import { output } from '../launch/output.ts';
import { mergeAxes } from '../launch/strided.ts';

const tiles = defineKernel({
  name: 'transpose',
  bindings: (_: TransposeOptions): Bindings => ({ x: 'read u32', out: 'write u32' }),
  params: {
    shape: 'u32x8',
    x_strides: 'u32x8',
    out_strides: 'u32x8',
    count: 'u32',
    rows: 'u32',
    columns: 'u32',
    row_tiles: 'u32',
    column_tiles: 'u32',
    row_stride: 'u32',
    column_stride: 'u32',
  },
  source: transposeTiles,
});

/** Shorter axes leave most of a tile empty. */
const shortestTiled = 8;

/** A transpose as merged axes: sizes of the result's axes, and the strides of `x` and of the result along them. */
export interface TransposeProblem {
  readonly shape: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export type TransposeAlgorithm =
  | { readonly kind: 'copy' }
  /** `contiguous` is the axis of the result along which `x` is contiguous: tiles are transposed between it and the last. */
  | { readonly kind: 'tiles'; readonly contiguous: number };

function selectTranspose(
  { shape, from }: TransposeProblem,
  { transpose }: AdapterProfile,
): TransposeAlgorithm {
  const last = shape.length - 1;
  const contiguous = from.indexOf(1);
  const isTiled =
    transpose === 'tiles' &&
    contiguous >= 0 &&
    contiguous !== last &&
    Math.min(shape[contiguous] as number, shape[last] as number) >= shortestTiled;
  return isTiled ? { kind: 'tiles', contiguous } : { kind: 'copy' };
}

/** Axis i of the result is axis perm[i] of `x`. */
export function transposeKernel(x: Tensor, perm: readonly number[], spec: TensorSpec): Tensor {
  const out = output(x.device, spec, 'transpose');
  if (out.size === 0) return out;
  const own = stridesOf(x.shape);
  const xStrides = perm.map((axis) => own[axis] as number);
  const outStrides = stridesOf(spec.shape);
  const { shape, strides } = mergeAxes(spec.shape, [xStrides, outStrides]);
  const [from, to] = strides as [number[], number[]];
  const problem: TransposeProblem = { shape, from, to };
  const algorithm = selectTranspose(problem, profileOf(x.device));
  if (algorithm.kind === 'tiles') launchTiles(x, out, problem, algorithm.contiguous);
  else copyInto(x, { offset: 0, strides: xStrides }, out, { offset: 0, strides: outStrides }, spec.shape);
  return out;
}

function launchTiles(
  x: Tensor,
  out: Tensor,
  { shape, from, to }: TransposeProblem,
  contiguous: number,
): void {
  const last = shape.length - 1;
  const batch = shape.map((_, i) => i).filter((i) => i !== contiguous && i !== last);
  const pick = (numbers: readonly number[]) => batch.map((i) => numbers[i] as number);
  const [rows, columns] = [shape[contiguous] as number, shape[last] as number];
  const [row_tiles, column_tiles] = [Math.ceil(rows / tileSide), Math.ceil(columns / tileSide)];
  const count = (out.size / rows / columns) * row_tiles * column_tiles;
  x.device.launch(tiles, {
    options: { rank: batch.length },
    bindings: { x: x.storage, out: out.storage },
    params: {
      shape: pick(shape),
      x_strides: pick(from),
      out_strides: pick(to),
      count,
      rows,
      columns,
      row_tiles,
      column_tiles,
      row_stride: to[contiguous] as number,
      column_stride: from[last] as number,
    },
    workgroups: count,
  });
}
