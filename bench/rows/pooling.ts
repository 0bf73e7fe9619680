/** @file Pooling with its gradient. Rows are NHWC; jax-js gets channels first, and pools by reshaping. */
import { avgPool, GradientTape, maxPool, type Tensor } from 'retrograd';
import { fromChannelsFirst, type HostArray, normal, sizeOf, toChannelsFirst } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type Image4 = ReturnType<Tfjs['tensor4d']>;
type Kind = 'max' | 'average';
const pools = { max: maxPool, average: avgPool } as const;

/** A pool of windows of 2×2, and its gradient. */
function gradientRow(kind: Kind, [batch, size, channels]: readonly [number, number, number]): Row {
  const shape = [batch, size, size, channels];
  const result = [batch, size / 2, size / 2, channels];
  const pool = pools[kind];
  return {
    name: `${kind} pool 2×2 of ${shape.join('×')}, with gradient`,
    family: 'pooling',
    inputs: () => [normal(shape, 1), normal(result, 2)],
    check: ([, found], inputs) => {
      const [x, dy] = inputs as [HostArray, HostArray];
      return problem(found, { shape, at: (...place) => gradientAt(kind, x, dy, place) });
    },
    contenders: {
      retrograd: retrograd(
        (x, dy) => {
          const tape = new GradientTape();
          tape.watch(x);
          const y = pool(x, { poolSize: 2 });
          return [y, tape.gradient(y, x, { outputGradients: dy }) as Tensor];
        },
        { compiled: true },
      ),
      tfjs: tfjs((tf, x, dy) => {
        const by = kind === 'max' ? tf.maxPool : tf.avgPool;
        const { value, grad } = tf.valueAndGrad((given) => by(given as Image4, 2, 2, 'valid'))(
          x,
          dy as Image4,
        );
        return [value, grad];
      }),
      jaxjs: jaxjs(
        (jax, x, dy) => {
          const reduced = kind === 'max' ? jax.numpy.max : jax.numpy.mean;
          const windows = [batch, channels, size / 2, 2, size / 2, 2];
          const [value, pull] = jax.vjp((given: typeof x) => reduced(given.reshape(windows), [3, 5]), [x]);
          return [value, ...(pull(dy) as unknown as (typeof x)[])];
        },
        { inputs: [toChannelsFirst, toChannelsFirst], outputs: [fromChannelsFirst, fromChannelsFirst] },
      ),
      ort: unable('no gradients'),
    },
    work: { flops: 0, bytes: 4 * (2 * sizeOf(shape) + 2 * sizeOf(result)) },
  };
}

/** The gradient goes to the maximum of a window, or a quarter to each element. */
function gradientAt(kind: Kind, x: HostArray, dy: HostArray, place: readonly number[]): number {
  const [, height, width, channels] = x.shape as [number, number, number, number];
  const [image, row, column, channel] = place as [number, number, number, number];
  const at = (y: number, z: number) =>
    x.values[((image * height + y) * width + z) * channels + channel] as number;
  const [top, left] = [row - (row % 2), column - (column % 2)];
  const cotangent = dy.values[
    ((image * (height / 2) + top / 2) * (width / 2) + left / 2) * channels + channel
  ] as number;
  if (kind === 'average') return cotangent / 4;
  const largest = Math.max(at(top, left), at(top, left + 1), at(top + 1, left), at(top + 1, left + 1));
  return at(row, column) === largest ? cotangent : 0;
}

export const poolingFamily: Family = {
  name: 'pooling',
  rows: (adapter) => {
    const size = adapter === 'gpu' ? ([32, 112, 64] as const) : ([1, 112, 64] as const);
    return [gradientRow('max', size), gradientRow('average', size)];
  },
};
