/** @file Launches a step of Adam for a variable whose moments are kept in 8 bits. */
import { adam8bitStep, blockOf8bit, type Adam8bitStepOptions } from '../../../shaders/adam8bit.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { DynamicScalar } from '../../webgpu/params.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'adam8bit',
  bindings: ({ summed }: Adam8bitStepOptions): Bindings => ({
    value_of: 'read_write vec4<f32>',
    moments: 'read_write vec2<u32>',
    scales: 'read_write vec2<f32>',
    gradient: 'read vec4<f32>',
    ...(summed ? { slice_sums: 'read vec4<f32>' as const } : {}),
  }),
  params: {
    count: 'u32',
    size: 'u32',
    step: 'u32',
    stream: 'u32',
    decay: 'f32',
    rate: 'f32',
    momentum_share: 'f32',
    velocity_share: 'f32',
    epsilon: 'f32',
  },
  source: adam8bitStep,
});

export interface Adam8bitLaunch {
  /** The values, [size]; their storage holds whole vectors. */
  readonly value: Storage;
  /** Codes of the moments, uint32 [⌈size / 4⌉, 2]: four momenta, four velocities. */
  readonly moments: Storage;
  /** Powers of two, float32 [blocks, 2]: of momenta, of velocities. 0 where nothing was stored yet. */
  readonly scales: Storage;
  readonly size: number;
  /** Can be read as whole vectors, as can `squares`: sums of the squares of its slices, if it is their sum. */
  readonly gradient: Tensor;
  readonly squares: Tensor | null;
  /** The share of the values that weight decay subtracts first. */
  readonly decay: number | DynamicScalar | null;
  /** The step and the variable, which select the random numbers of rounding. */
  readonly step: number | DynamicScalar;
  readonly stream: number;
  readonly rule: Readonly<
    Record<'rate' | 'momentum_share' | 'velocity_share' | 'epsilon', number | DynamicScalar>
  >;
}

/** Returns the shapes of the codes and of the scales for `size` values. */
export function adam8bitShapes(size: number): readonly [moments: number[], scales: number[]] {
  return [
    [Math.ceil(size / 4), 2],
    [Math.ceil(size / blockOf8bit), 2],
  ];
}

/** Updates a variable and its moments by one step. */
export function adam8bitKernel(launch: Adam8bitLaunch): void {
  const { value, moments, scales, size, gradient, squares, decay, step, stream, rule } = launch;
  const count = Math.ceil(size / blockOf8bit);
  if (count === 0) return;
  gradient.device.launch(kernel, {
    options: { decayed: decay !== null, summed: squares !== null },
    bindings: {
      value_of: value,
      moments,
      scales,
      gradient: gradient.storage,
      ...(squares ? { slice_sums: squares.storage } : {}),
    },
    params: { count, size, step, stream, decay: decay ?? 0, ...rule },
    workgroups: count,
  });
}
