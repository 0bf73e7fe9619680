/** @file Launches random tensors and dropout. */
import { dropout, type DropoutShaderOptions, dropoutWorkgroup } from '../../shaders/dropout.ts';
import { type Distribution, random, type RandomOptions, randomWorkgroup } from '../../shaders/random.ts';
import { wgslType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Device } from '../webgpu/device.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { DynamicScalar } from '../webgpu/params.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { bindsAsVectors, output } from './launch/output.ts';

export type { Distribution };

const randomValues = defineKernel({
  name: 'random',
  bindings: ({ type }: RandomOptions): Bindings => ({ out: `write vec4<${type}>` }),
  params: {
    count: 'u32',
    seed_low: 'u32',
    seed_high: 'u32',
    low: 'f32',
    high: 'f32',
    below: 'f32',
    offset: 'u32',
    range: 'u32',
  },
  source: random,
});

const dropoutMap = defineKernel({
  name: 'dropout',
  bindings: ({ width }: DropoutShaderOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    return { x: `read ${element}`, out: `write ${element}` };
  },
  params: { count: 'u32', seed_low: 'u32', seed_high: 'u32', threshold: 'u32', scale: 'f32' },
  source: dropout,
});

/** An integer below 2^53, or its two words if they may change between replays. */
export type Seed = number | { readonly low: DynamicScalar; readonly high: DynamicScalar };

/** Returns the two key words of a seed. */
const keyOf = (seed: Seed) =>
  typeof seed === 'number'
    ? { seed_low: seed % 2 ** 32, seed_high: Math.floor(seed / 2 ** 32) }
    : { seed_low: seed.low, seed_high: seed.high };

/** Parameters of a distribution; those it doesn't use may be omitted. */
export interface RandomParams {
  /** Lower bound, or mean. */
  low?: number;
  /** Width of the interval, or standard deviation. */
  high?: number;
  /** The largest float below the upper bound. */
  below?: number;
  /** Smallest integer, as a word. */
  offset?: number;
  /** Number of integers; 0 for 2^32. */
  range?: number;
}

export function randomKernel(
  device: Device,
  spec: TensorSpec,
  distribution: Distribution,
  seed: Seed,
  params: RandomParams,
  op: string,
): Tensor {
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const count = Math.ceil(out.size / 4);
  device.launch(randomValues, {
    options: { distribution, type: wgslType(spec.dtype) },
    bindings: { out: out.storage },
    params: { low: 0, high: 0, below: 0, offset: 0, range: 0, ...params, ...keyOf(seed), count },
    workgroups: Math.ceil(count / randomWorkgroup),
  });
  return out;
}

/** Returns `x` with a fraction `rate` of its elements cleared, and the others scaled by 1 / (1 - rate). */
export function dropoutKernel(x: Tensor, rate: number, seed: Seed): Tensor {
  const out = output(x.device, x, 'dropout');
  if (out.size === 0) return out;
  const width: DropoutShaderOptions['width'] = bindsAsVectors(x) ? 4 : 1;
  const count = Math.ceil(out.size / width);
  x.device.launch(dropoutMap, {
    options: { width },
    bindings: { x: x.storage, out: out.storage },
    params: {
      count,
      ...keyOf(seed),
      threshold: Math.min(Math.round(rate * 2 ** 32), 2 ** 32 - 1),
      scale: 1 / (1 - rate),
    },
    workgroups: Math.ceil(count / dropoutWorkgroup),
  });
  return out;
}
