/**
 * @file Convolutions of other kinds, forward: transposed, grouped, one-dimensional. Libraries that expect channels first get
 * that layout, so that no library pays for a conversion.
 */
import { conv1d, conv2d, conv2dTranspose } from 'retrograd';
import {
  fromChannelsFirst,
  type HostArray,
  normal,
  permuted,
  sizeOf,
  toChannelsFirst,
  toFiltersFirst,
} from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

interface Layer {
  batch: number;
  size: number;
  inputs: number;
  outputs: number;
}

interface Kind extends Pick<Row, 'name' | 'contenders'> {
  x: readonly number[];
  w: readonly number[];
  y: readonly number[];
  /** Multiply-adds per result. */
  terms: number;
  at(x: HostArray, w: HostArray, place: readonly number[]): number;
}

const row = ({ name, x, w, y, terms, at, contenders }: Kind): Row => ({
  name,
  family: 'convolution of other kinds',
  inputs: () => [normal(x, 1), normal(w, 2, 0.1)],
  check: ([result], [image, filter]) =>
    problem(result, { shape: y, at: (...place) => at(image as HostArray, filter as HostArray, place) }),
  contenders,
  work: { flops: 2 * terms * sizeOf(y), bytes: 4 * (sizeOf(x) + sizeOf(w) + sizeOf(y)) },
});

/** Returns an element of an array, by its indices; 0 outside. */
function element({ shape, values }: HostArray, ...place: number[]): number {
  if (place.some((index, axis) => index < 0 || index >= (shape[axis] as number))) return 0;
  return values[place.reduce((at, index, axis) => at * (shape[axis] as number) + index, 0)] as number;
}

const channelsFirst = (shape: readonly number[]) => [0, 3, 1, 2].map((axis) => shape[axis] as number);

/** Sums `term` over the taps of a window and the channels that it reads. */
function sumOver(window: number, channels: number, term: (tap: number, channel: number) => number): number {
  let sum = 0;
  for (let tap = 0; tap < window; tap++)
    for (let channel = 0; channel < channels; channel++) sum += term(tap, channel);
  return sum;
}

function grouped({ batch, size, inputs, outputs }: Layer, groups: number): Row {
  const y = [batch, size, size, outputs];
  const each = inputs / groups;
  return row({
    name: `conv ${batch}×${size}² ${inputs}→${outputs} 3×3 in ${groups} groups`,
    x: [batch, size, size, inputs],
    w: [3, 3, each, outputs],
    y,
    terms: 9 * each,
    at(x, w, [image, r, c, o]) {
      const first = Math.floor((o as number) / (outputs / groups)) * each;
      return sumOver(9, each, (tap, i) => {
        const [dy, dx] = [Math.floor(tap / 3), tap % 3];
        const pixel = element(x, image as number, (r as number) + dy - 1, (c as number) + dx - 1, first + i);
        return pixel * element(w, dy, dx, i, o as number);
      });
    },
    contenders: {
      retrograd: retrograd((x, w) => conv2d(x, w, { padding: 'same', groups })),
      tfjs: unable('no grouped convolutions'),
      jaxjs: jaxjs(
        ({ lax }, x, w) => lax.convGeneralDilated(x, w, [1, 1], 'SAME', { featureGroupCount: groups }),
        { inputs: [toChannelsFirst, toFiltersFirst], outputs: [fromChannelsFirst] },
      ),
      ort: ort(
        (graph, x, w) =>
          graph.node('Conv', [x, w], { kernel_shape: [3, 3], pads: [1, 1, 1, 1], group: groups }),
        {
          inputs: [toChannelsFirst, toFiltersFirst],
          outputs: [fromChannelsFirst],
          constants: [1],
          shapes: [channelsFirst(y)],
        },
      ),
    },
  });
}

/** Doubles the size with windows of 4×4, as decoders and generators do. */
function transposed({ batch, size, inputs, outputs }: Layer): Row {
  const x = [batch, size, size, inputs];
  const y = [batch, 2 * size, 2 * size, outputs];
  return row({
    name: `transposed conv ${batch}×${size}² ${inputs}→${outputs} 4×4 stride 2`,
    x,
    w: [4, 4, outputs, inputs],
    y,
    terms: 4 * inputs,
    at(x, w, [image, r, c, o]) {
      return sumOver(16, inputs, (tap, i) => {
        const [ky, kx] = [Math.floor(tap / 4), tap % 4];
        const [py, px] = [((r as number) + 1 - ky) / 2, ((c as number) + 1 - kx) / 2];
        if (!Number.isInteger(py) || !Number.isInteger(px)) return 0;
        return element(x, image as number, py, px, i) * element(w, ky, kx, o as number, i);
      });
    },
    contenders: {
      retrograd: retrograd((x, w) => conv2dTranspose(x, w, { strides: 2, padding: 'same' })),
      tfjs: tfjs((tf, x, w) => tf.conv2dTranspose(x as never, w as never, y as never, 2, 'same')),
      jaxjs: jaxjs(
        (jax, x, w) => {
          const image = jax.numpy.zeros(channelsFirst(y), { device: 'webgpu' });
          const pads: [number, number][] = [
            [1, 1],
            [1, 1],
          ];
          const [value, pull] = jax.vjp(
            (given: typeof x) => jax.lax.convGeneralDilated(given, w, [2, 2], pads),
            [image],
          );
          value.dispose();
          return pull(x) as unknown as (typeof x)[];
        },
        { inputs: [toChannelsFirst, toFiltersFirst], outputs: [fromChannelsFirst] },
      ),
      ort: ort(
        (graph, x, w) =>
          graph.node('ConvTranspose', [x, w], { kernel_shape: [4, 4], strides: [2, 2], pads: [1, 1, 1, 1] }),
        {
          inputs: [toChannelsFirst, toFiltersFirst],
          outputs: [fromChannelsFirst],
          constants: [1],
          shapes: [channelsFirst(y)],
        },
      ),
    },
  });
}

/** [batch, length, channels] to [batch, channels, length], and back. */
const swapped = (x: HostArray) => permuted(x, [0, 2, 1]);
/** [window, in, out] to [out, in, window]. */
const reversed = (w: HostArray) => permuted(w, [2, 1, 0]);

function sequences({ batch, size, inputs, outputs }: Layer): Row {
  const window = 5;
  const y = [batch, size, outputs];
  return row({
    name: `conv1d ${batch}×${size} ${inputs}→${outputs}, window ${window}`,
    x: [batch, size, inputs],
    w: [window, inputs, outputs],
    y,
    terms: window * inputs,
    at: (x, w, [item, t, o]) =>
      sumOver(
        window,
        inputs,
        (tap, i) => element(x, item as number, (t as number) + tap - 2, i) * element(w, tap, i, o as number),
      ),
    contenders: {
      retrograd: retrograd((x, w) => conv1d(x, w, { padding: 'same' })),
      tfjs: tfjs((tf, x, w) => tf.conv1d(x as never, w as never, 1, 'same')),
      jaxjs: jaxjs(({ lax }, x, w) => lax.convGeneralDilated(x, w, [1], 'SAME'), {
        inputs: [swapped, reversed],
        outputs: [swapped],
      }),
      ort: ort((graph, x, w) => graph.node('Conv', [x, w], { kernel_shape: [window], pads: [2, 2] }), {
        inputs: [swapped, reversed],
        outputs: [swapped],
        constants: [1],
        shapes: [[batch, outputs, size]],
      }),
    },
  });
}

export const convolutionKindsFamily: Family = {
  name: 'convolution of other kinds',
  rows: (adapter) => {
    const onGpu = adapter === 'gpu';
    const batch = onGpu ? 8 : 1;
    const [narrow, wide] = onGpu ? [128, 256] : [32, 64];
    return [
      grouped({ batch, size: 56, inputs: wide, outputs: wide }, 8),
      transposed({ batch, size: 28, inputs: wide, outputs: narrow }),
      sequences({ batch: 4 * batch, size: 1024, inputs: narrow, outputs: wide }),
    ];
  },
};
