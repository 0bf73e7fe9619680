/** @file Ops of pretrained transformers. */
import { rotaryEmbedding } from 'retrograd';
import { normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

function rotaryRow(length: number, heads: number, size: number): Row {
  const shape = [1, length, heads, size];
  const half = size / 2;
  return {
    name: `rotaryEmbedding ${length}×${heads}×${size}`,
    family: 'pretrained',
    inputs: () => [normal(shape, 1)],
    check: ([result], [x]) =>
      problem(result, {
        shape,
        tolerance: 1e-3,
        at(...[, row, head, i]) {
          const [at, j] = [(row as number) * heads + (head as number), (i as number) % half];
          const angle = (row as number) / 10_000 ** (j / half);
          const value = (k: number) => x?.values[at * size + k] as number;
          return (i as number) < half
            ? value(j) * Math.cos(angle) - value(half + j) * Math.sin(angle)
            : value(j) * Math.sin(angle) + value(half + j) * Math.cos(angle);
        },
      }),
    contenders: {
      retrograd: retrograd((x) => rotaryEmbedding(x, null, null)),
      tfjs: tfjs((tf, x) => {
        const rates = tf.pow(10_000, tf.mul(tf.range(0, half), -1 / half));
        const angles = tf.mul(tf.reshape(tf.range(0, length), [length, 1, 1]), rates);
        const [a, b] = tf.split(x as never, 2, -1) as never[];
        const [cosine, sine] = [tf.cos(angles), tf.sin(angles)];
        return tf.concat(
          [
            tf.sub(tf.mul(a as never, cosine), tf.mul(b as never, sine)),
            tf.add(tf.mul(a as never, sine), tf.mul(b as never, cosine)),
          ],
          -1,
        );
      }),
      jaxjs: unable('it has no op for rotary embeddings'),
      ort: unable('its op reads tables of sines and cosines'),
    },
    work: { flops: 3 * sizeOf(shape), bytes: 8 * sizeOf(shape) },
  };
}

export const pretrainedFamily: Family = {
  name: 'pretrained',
  rows: (adapter) => (adapter === 'gpu' ? [rotaryRow(4096, 32, 128)] : [rotaryRow(256, 12, 64)]),
};
