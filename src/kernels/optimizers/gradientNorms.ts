/** @file Launches the norms of gradients, and computes the factors by which clipping scales them. */
import { accumulatorState } from '../../../shaders/optimizer.ts';
import {
  type ChunkOptions,
  chunkVectors,
  clipScales,
  type ScaleOptions,
  squareChunks,
} from '../../../shaders/gradientNorms.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import {
  boundGradients,
  filled,
  firstOf,
  gradientBindings,
  isPresent,
  maskOf,
  type StepVariable,
  type StepBuffers,
  total,
} from './optimizerStep.ts';

const chunkKernel = /* @__PURE__ */ defineKernel({
  name: 'squareChunks',
  bindings: ({ gradients, accumulator }: ChunkOptions): Bindings => ({
    ...gradientBindings(gradients),
    ...(accumulator === 'separate' ? { [`${accumulatorState}_of`]: 'read vec4<f32>' as const } : {}),
    ...(typeof accumulator === 'number' ? { block: 'read vec4<f32>' as const } : {}),
    sums: 'write f32',
  }),
  params: {
    starts: 'u32x8',
    sizes: 'u32x8',
    chunks: 'u32x8',
    count: 'u32',
    stride: 'u32',
    first_chunk: 'u32',
    present: 'u32',
    loss_scale: 'f32',
    accumulation_steps: 'f32',
  },
  source: squareChunks,
});

const scaleKernel = /* @__PURE__ */ defineKernel({
  name: 'clipScales',
  bindings: ({ global }: ScaleOptions): Bindings => ({
    sums: 'read f32',
    ...(global ? {} : { first_chunks: 'read u32' as const }),
    scales: 'write f32',
  }),
  params: { count: 'u32', chunks: 'u32', clip: 'f32' },
  source: clipScales,
});

/** Returns the number of chunks of a gradient of `size` values: at least one. */
export function chunksOf(size: number): number {
  return Math.max(1, Math.ceil(size / (4 * chunkVectors)));
}

export interface ChunkLaunch {
  readonly buffers: StepBuffers;
  readonly variables: readonly StepVariable[];
  readonly filler: Tensor;
  readonly lossScale: number | null;
  /** Which role of the buffers holds earlier gradients (the values are role 0), and their number including this one. */
  readonly accumulation: { readonly role: number; readonly steps: number } | null;
  readonly sums: Storage;
  /** Index in `sums` of the first variable's chunks. */
  readonly firstChunk: number;
}

/** Writes the sums of squares of the chunks of all variables. */
export function squareChunksKernel(device: Device, launch: ChunkLaunch): void {
  const { buffers, variables, filler, lossScale, accumulation, sums, firstChunk } = launch;
  const packed = buffers.kind === 'packed';
  const gradients = packed ? buffers.capacity : 1;
  const chunks = variables.map(({ size }) => chunksOf(size));
  const count = total(chunks);
  const { lanes, workgroup } = profileOf(device).optimizer.norm;
  const options: ChunkOptions = {
    gradients,
    accumulator: !accumulation ? 'none' : packed ? accumulation.role : 'separate',
    scaled: lossScale !== null,
    lanes,
    workgroup,
  };
  const { accumulator } = options;
  device.launch(chunkKernel, {
    options,
    bindings: {
      ...boundGradients(variables, gradients, filler),
      ...(accumulator === 'separate' && buffers.kind === 'separate' && accumulation
        ? { [`${accumulatorState}_of`]: buffers.storages[accumulation.role] as Storage }
        : {}),
      ...(typeof accumulator === 'number' && packed ? { block: buffers.block } : {}),
      sums,
    },
    params: {
      starts: filled(variables.map(({ start }) => start)),
      sizes: variables.map(({ size }) => size),
      chunks: filled(firstOf(chunks)),
      count,
      stride: packed ? buffers.stride : 0,
      first_chunk: firstChunk,
      present: maskOf(variables, isPresent),
      loss_scale: lossScale ?? 1,
      accumulation_steps: accumulation?.steps ?? 1,
    },
    workgroups: Math.ceil((count * lanes) / workgroup),
  });
}

/** Writes the sums of squares of the chunks of one gradient, which can be read as whole vectors. */
export function squareChunksOf(gradient: Tensor, sums: Storage, firstChunk: number): void {
  const { size } = gradient;
  squareChunksKernel(gradient.device, {
    buffers: { kind: 'separate', storages: [] },
    variables: [{ start: 0, size, gradient, sliceSums: null, decayed: false, skipped: false }],
    filler: gradient,
    lossScale: null,
    accumulation: null,
    sums,
    firstChunk,
  });
}

export interface ScaleLaunch {
  readonly sums: Storage;
  /** Total number of sums. */
  readonly chunks: number;
  /** Where the sums of each gradient begin, and the end of the last; null for one factor for all. */
  readonly firstChunks: Storage | null;
  /** Number of factors. */
  readonly count: number;
  readonly clip: number;
  readonly scales: Storage;
}

/** Writes the factors that clip gradients to the norm `clip`. */
export function clipScalesKernel(device: Device, launch: ScaleLaunch): void {
  const { sums, chunks, firstChunks, count, clip, scales } = launch;
  const { lanes, workgroup } = profileOf(device).optimizer.norm;
  device.launch(scaleKernel, {
    options: { global: firstChunks === null, lanes, workgroup },
    bindings: { sums, ...(firstChunks ? { first_chunks: firstChunks } : {}), scales },
    params: { count, chunks, clip },
    workgroups: Math.ceil((count * lanes) / workgroup),
  });
}
