/** @file Launches kernels that read packed weights: matmuls with few and with many rows, gathers, and float32 copies. */
import {
  dequantize,
  type DequantizeOptions,
  dequantizeWorkgroup,
} from '../../shaders/quantized/dequantize.ts';
import { quantizedBlock, quantizedGemm, type QuantizedGemmOptions } from '../../shaders/quantized/gemm.ts';
import { channelsPerLine, matVec, type MatVecOptions } from '../../shaders/quantized/matVec.ts';
import { packedBindings, perChunk } from '../../shaders/quantized/unpack.ts';
import { laneDirectives } from '../../shaders/lib/lanes.ts';
import { groupsPerLine, isInteger, zeroWordsPerLine } from '../core/packedWeights.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { QuantizedLayout } from '../tensor/quantizedTensor.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import { fillKernel } from './copies/fill.ts';
import { profileOf } from './selection/deviceProfile.ts';
import type { IndexChecking } from './indexing/indexing.ts';
import { foldsInSubgroups } from './selection/lanes.ts';
import { bindsAsVectors, output } from './launch/output.ts';
import { checkIndicesKernel } from './indexing/rows.ts';

const packedParams = {
  channels: 'u32',
  length: 'u32',
  chunks: 'u32',
  group_size: 'u32',
  groups: 'u32',
  zero_words: 'u32',
} as const;

const floats = (width: 1 | 4) => (width === 4 ? 'vec4<f32>' : 'f32');

const dequantizeWeights = defineKernel({
  name: 'quantized gather',
  bindings: (options: DequantizeOptions): Bindings => ({
    ...packedBindings(options),
    ...(options.indexed ? { indices: 'read i32' } : {}),
    out: `write ${floats(options.width)}`,
  }),
  params: { ...packedParams, count: 'u32' },
  source: dequantize,
});

const fewRows = defineKernel({
  name: 'quantized matVec',
  bindings: (options: MatVecOptions): Bindings => ({
    x: `read ${floats(options.width)}`,
    ...packedBindings(options),
    out: 'write f32',
  }),
  params: { ...packedParams, rows: 'u32', last: 'u32' },
  directives: laneDirectives,
  source: matVec,
});

const manyRows = defineKernel({
  name: 'quantized matMul',
  bindings: (options: QuantizedGemmOptions): Bindings => ({
    x: `read ${floats(options.width)}`,
    ...packedBindings(options),
    out: `write ${floats(options.writes)}`,
  }),
  params: { ...packedParams, rows: 'u32', columns: 'u32', terms: 'u32', last: 'u32' },
  source: quantizedGemm,
});

/** Packed weights and their layout. */
export interface PackedWeights extends QuantizedLayout {
  packed: Tensor;
  scales: Tensor | null;
  zeros: Tensor | null;
}

const optionsOf = ({ format, zeros, scaling }: PackedWeights) => ({
  format,
  zeros: zeros !== null,
  divided: scaling === 'divide',
});

const bindingsOf = ({ packed, scales, zeros }: PackedWeights) => ({
  packed: packed.storage,
  ...(scales ? { scales: scales.storage } : {}),
  ...(zeros ? { zeros: zeros.storage } : {}),
});

function paramsOf({ format, channels, length, groupSize }: PackedWeights) {
  const groups = groupsPerLine(length, groupSize);
  return {
    channels,
    length,
    chunks: Math.ceil(length / perChunk[format]),
    group_size: groupSize,
    groups,
    zero_words: zeroWordsPerLine(groups),
  };
}

/** Returns whether kernels of matmuls read packed weights. Otherwise a float32 copy is made, and multiplied. */
export function multipliesPacked({ device }: Tensor): boolean {
  return profileOf(device).lines.shared;
}

/** Returns the weights, or those of the channels at `indices`, as float32. */
export function dequantizeKernel(
  op: string,
  weights: PackedWeights,
  indices: Tensor | null,
  shape: Shape,
  checking: IndexChecking,
): Tensor {
  const { device } = weights.packed;
  const out = output(device, { shape, dtype: 'float32' }, op);
  if (indices && checking.check !== 'none') {
    const { channels, length } = weights;
    const whole = { addressing: 'along', mode: 'outside', batch: 1, outer: 1 } as const;
    const indexing = { ...whole, rows: channels, entries: indices.size, inner: length, limit: channels };
    checkIndicesKernel(indices, indexing, checking);
  }
  if (out.size === 0) return out;
  const params = paramsOf(weights);
  const count = (out.size / weights.length) * params.chunks;
  const options: DequantizeOptions = {
    indexed: indices !== null,
    ...optionsOf(weights),
    width: widthOf(out, weights.length),
  };
  device.launch(dequantizeWeights, {
    options,
    bindings: {
      ...bindingsOf(weights),
      ...(indices ? { indices: indices.storage } : {}),
      out: out.storage,
    },
    params: { count, ...params },
    workgroups: Math.ceil(count / dequantizeWorkgroup),
  });
  return out;
}

/** The maximum number of rows for which lanes share a channel. */
const mostFewRows = 8;

/** x times the transposed weights over their length, or times the weights over their channels; not for software adapters. */
export function quantizedMatMulKernel(
  op: string,
  x: Tensor,
  weights: PackedWeights,
  over: 'length' | 'channels',
  shape: Shape,
): Tensor {
  const spec: TensorSpec = { shape, dtype: 'float32' };
  // A sum of no terms is +0, and a channel of no weights has no scale that a kernel could read.
  if (x.size === 0) return fillKernel(x.device, spec, 0, op);
  const out = output(x.device, spec, op);
  if (out.size === 0) return out;
  const rows = sizeOf(x.shape.slice(0, -1));
  if (over === 'length' && rows <= mostFewRows) launchFewRows(x, weights, rows, out);
  else launchManyRows(x, weights, over, rows, out);
  return out;
}

const widthOf = (x: Tensor, line: number): 1 | 4 => (line % 4 === 0 && bindsAsVectors(x) ? 4 : 1);

function launchFewRows(x: Tensor, weights: PackedWeights, rows: number, out: Tensor): void {
  const { format, groupSize, length, zeros } = weights;
  const per = perChunk[format];
  const params = paramsOf(weights);
  const width = widthOf(x, length);
  // A lane for each four words of a channel, up to a workgroup of 64.
  const lanes = Math.min(64, Math.max(4, 2 ** Math.ceil(Math.log2(params.chunks))));
  const workgroup = 64;
  const isWhole = !isInteger(format) || (groupSize === length && zeros === null);
  const lines = Math.ceil(params.channels / channelsPerLine);
  const options: MatVecOptions = {
    lanes,
    ...optionsOf(weights),
    order: 'rows',
    workgroup,
    subgroups: foldsInSubgroups(profileOf(x.device), lanes, 'rows'),
    rows: ([1, 2, 4, 8] as const).find((n) => n >= rows) ?? 8,
    width,
    grouping: isWhole ? 'channel' : groupSize === length || groupSize % per === 0 ? 'chunk' : 'vector',
  };
  x.device.launch(fewRows, {
    options,
    bindings: { x: x.storage, ...bindingsOf(weights), out: out.storage },
    params: { rows, last: x.size / width - 1, ...params },
    workgroups: Math.ceil((lines * lanes) / workgroup),
    multiplications: out.size * length,
  });
}

function launchManyRows(
  x: Tensor,
  weights: PackedWeights,
  over: 'length' | 'channels',
  rows: number,
  out: Tensor,
): void {
  const { format, groupSize, length, channels, zeros } = weights;
  const [terms, columns] = over === 'length' ? [length, channels] : [channels, length];
  const width = widthOf(x, terms);
  const isOne = groupSize === length;
  const isWhole = !isInteger(format) || (isOne && zeros === null);
  const options: QuantizedGemmOptions = {
    over,
    ...optionsOf(weights),
    width,
    writes: widthOf(out, columns),
    grouping: isWhole ? 'channel' : isOne || groupSize % 32 === 0 ? 'step' : 'vector',
  };
  x.device.launch(manyRows, {
    options,
    bindings: { x: x.storage, ...bindingsOf(weights), out: out.storage },
    params: { rows, columns, terms, last: x.size / width - 1, ...paramsOf(weights) },
    workgroups: gridOf(Math.ceil(columns / quantizedBlock), Math.ceil(rows / quantizedBlock)),
    multiplications: out.size * terms,
  });
}

/** Blocks of rows beyond 65,535 are in the third dimension. */
const gridOf = (columns: number, rows: number) =>
  [columns, Math.min(rows, 65_535), Math.ceil(rows / 65_535)] as const;
