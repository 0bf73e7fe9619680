/** @file Launches transposes: as a strided copy where the innermost axis stays or a CPU computes, in tiles otherwise. */
import { tileSide, type TransposeOptions, transposeTiles } from '../../shaders/transpose.ts';
import { stridesOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { copyInto } from './copy.ts';
import { output } from './output.ts';
import { mergeAxes } from './walks.ts';

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

/** Axes shorter than this leave most of a tile empty. */
const shortestTiled = 8;

export type TransposeStrategy = 'tiles' | 'copy';

/** Axis i of the result is axis perm[i] of `x`. */
export function transposeKernel(
  x: Tensor,
  perm: readonly number[],
  spec: TensorSpec,
  strategy: TransposeStrategy = x.device.adapter.class === 'gpu' ? 'tiles' : 'copy',
): Tensor {
  const out = output(x.device, spec, 'transpose');
  if (out.size === 0) return out;
  const own = stridesOf(x.shape);
  const xStrides = perm.map((axis) => own[axis] as number);
  const outStrides = stridesOf(spec.shape);
  const walk = mergeAxes(spec.shape, [xStrides, outStrides]);
  const shape = walk.shape;
  const [from, to] = walk.strides as [number[], number[]];
  const last = shape.length - 1;
  const contiguous = from.indexOf(1);
  const isTiled =
    strategy === 'tiles' &&
    contiguous >= 0 &&
    contiguous !== last &&
    Math.min(shape[contiguous] as number, shape[last] as number) >= shortestTiled;
  if (!isTiled) {
    copyInto(x, { offset: 0, strides: xStrides }, out, { offset: 0, strides: outStrides }, spec.shape);
    return out;
  }
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
  return out;
}
