/** @file Launches rotary embeddings. */
import { rotary, type RotaryOptions, rotaryWorkgroup } from '../../../shaders/rotary.ts';
import { bitsOf } from '../../core/bits.ts';
import { sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'rotaryEmbedding',
  bindings: ({ width, positions, frequencies }: RotaryOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    return {
      x: `read ${element}`,
      ...(positions === 'none' ? {} : { positions: 'read i32' }),
      ...(frequencies ? { frequencies: `read ${element}` } : {}),
      out: `write ${element}`,
    };
  },
  params: {
    count: 'u32',
    units: 'u32',
    blocks: 'u32',
    rows: 'u32',
    size: 'u32',
    half: 'u32',
    rate: 'f32',
    low: 'u32x8',
    middle: 'u32x8',
    high: 'u32x8',
  },
  reads: ({ frequencies }) => [
    ...(['count', 'units', 'blocks', 'rows', 'size', 'half'] as const),
    ...(frequencies ? (['rate'] as const) : (['low', 'middle', 'high'] as const)),
  ],
  source: rotary,
});

/** How an embedding is computed. */
export interface Rotation {
  interleaved: boolean;
  inverse: boolean;
  /** How many features of a head are rotated; even. */
  rotated: number;
  maxWavelength: number;
  /** Positions are divided by it. */
  scalingFactor: number;
}

/** The maximum number of features that are rotated by frequencies from the parameters: three digits of base 8. */
export const maxRotated = 2 * 8 ** 3;

/** Below this number of invocations, heads aren't shared on a GPU: more of them hide latency. */
const busyInvocations = 2 ** 15;

/** Rotates `x` [..., length, heads, size]; `positions` is a scalar, the first one, or of the last axes of [..., length]. */
export function rotaryKernel(
  x: Tensor,
  positions: Tensor | null,
  frequencies: Tensor | null,
  { interleaved, inverse, rotated, maxWavelength, scalingFactor }: Rotation,
): Tensor {
  const out = output(x.device, x, 'rotaryEmbedding');
  if (out.size === 0) return out;
  const [length, headCount, size] = x.shape.slice(-3) as [number, number, number];
  const half = rotated / 2;
  const whole = [x, out, ...(frequencies ? [frequencies] : [])];
  const width: 1 | 4 = half % 4 === 0 && size % 4 === 0 && whole.every(bindsAsVectors) ? 4 : 1;
  const units = (size - half) / width;
  const lines = sizeOf(x.shape.slice(0, -1));
  const { shared } = profileOf(x.device).lines;
  const heads: RotaryOptions['heads'] =
    ([4, 2] as const).find(
      (n) => headCount % n === 0 && (!shared || (lines / n) * units >= busyInvocations),
    ) ?? 1;
  const count = (lines / heads) * units;
  const power = (pair: number) => bitsOf(maxWavelength ** (-pair / half), 'float32');
  const digits = Array.from({ length: 8 }, (_, digit) => digit);
  const isEach = positions !== null && positions.rank > 0;
  const found: RotaryOptions['positions'] = isEach ? 'each' : positions ? 'first' : 'none';
  x.device.launch(kernel, {
    options: {
      interleaved,
      inverse,
      width,
      heads,
      positions: found,
      frequencies: frequencies !== null,
    },
    bindings: {
      x: x.storage,
      ...(positions ? { positions: positions.storage } : {}),
      ...(frequencies ? { frequencies: frequencies.storage } : {}),
      out: out.storage,
    },
    params: {
      count,
      units,
      blocks: headCount / heads,
      rows: isEach ? positions.size : length,
      size: size / width,
      half: half / width,
      rate: 1 / scalingFactor,
      low: digits.map((digit) => bitsOf(maxWavelength ** (-digit / half) / scalingFactor, 'float32')),
      middle: digits.map((digit) => power(8 * digit)),
      high: digits.map((digit) => power(64 * digit)),
    },
    workgroups: Math.ceil(count / rotaryWorkgroup),
  });
  return out;
}
