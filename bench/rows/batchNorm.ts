/** @file Batch normalization in training: the moments of the batch, and gradients through them. */
import { batchNormTrain, GradientTape, type Tensor } from 'retrograd';
import { type HostArray, normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { type JaxArray, type JaxJs, jaxjs } from '../peers/jaxjs.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;
type Shape = readonly [batch: number, height: number, width: number, channels: number];
const epsilon = 1e-3;
const axes = [0, 1, 2];

function tfBatchNorm(tf: Tfjs, x: TfTensor, gamma: TfTensor, beta: TfTensor): TfTensor {
  const { mean, variance } = tf.moments(x, axes);
  return tf.batchNorm(x as never, mean as never, variance as never, beta as never, gamma as never, epsilon);
}

const jaxBatchNorm = ({ nn }: JaxJs, x: JaxArray, gamma: JaxArray, beta: JaxArray): JaxArray =>
  nn.standardize(x, axes, { epsilon }).mul(gamma).add(beta);

/** A channel in float64: normalized values by pixel, and their scale. */
function normalized({ shape, values }: HostArray, channel: number) {
  const channels = shape[3] as number;
  const x = Float64Array.from(
    { length: values.length / channels },
    (_, i) => values[i * channels + channel]!,
  );
  const mean = x.reduce((a, b) => a + b) / x.length;
  const scale = 1 / Math.sqrt(x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length + epsilon);
  return { values: x.map((v) => (v - mean) * scale), scale };
}

const pixelOf = ([, height, width]: Shape, [image, row, column]: readonly number[]) =>
  ((image as number) * height + (row as number)) * width + (column as number);

const inputsOf = (shape: Shape) => [normal(shape, 1, 2), normal([shape[3]], 2), normal([shape[3]], 3)];

function forwardRow(shape: Shape): Row {
  return {
    name: `batchNorm, training, ${shape.join('×')}`,
    family: 'normalization',
    inputs: () => inputsOf(shape),
    check: ([y], [x, gamma, beta]) =>
      problem(y, {
        shape,
        count: 32,
        at(...place) {
          const channel = place[3] as number;
          const value = normalized(x as HostArray, channel).values[pixelOf(shape, place)] as number;
          return value * (gamma?.values[channel] as number) + (beta?.values[channel] as number);
        },
      }),
    contenders: {
      retrograd: retrograd((x, gamma, beta) => batchNormTrain(x, gamma, beta, { epsilon })[0]),
      tfjs: tfjs((tf, x, gamma, beta) => tfBatchNorm(tf, x!, gamma!, beta!)),
      jaxjs: jaxjs((jax, x, gamma, beta) => jaxBatchNorm(jax, x!, gamma!, beta!)),
      ort: unable('no training'),
    },
    work: { flops: 0, bytes: 12 * sizeOf(shape) },
  };
}

function gradientRow(shape: Shape): Row {
  return {
    name: `batchNorm, training, ${shape.join('×')}, with gradient`,
    family: 'normalization',
    inputs: () => [...inputsOf(shape), normal(shape, 4)],
    check: ([dx], [x, gamma, , dy]) =>
      problem(dx, {
        shape,
        count: 32,
        at(...place) {
          const channel = place[3] as number;
          const { values, scale } = normalized(x as HostArray, channel);
          const cotangents = values.map((_, i) => dy?.values[i * shape[3] + channel] as number);
          const mean = cotangents.reduce((a, b) => a + b) / values.length;
          const along = cotangents.reduce((sum, v, i) => sum + v * (values[i] as number), 0) / values.length;
          const pixel = pixelOf(shape, place);
          const centred = (cotangents[pixel] as number) - mean - (values[pixel] as number) * along;
          return (gamma?.values[channel] as number) * scale * centred;
        },
      }),
    contenders: {
      retrograd: retrograd(
        (x, gamma, beta, dy) => {
          const tape = new GradientTape();
          tape.watch([x!, gamma!, beta!]);
          const [y] = batchNormTrain(x!, gamma!, beta!, { epsilon });
          return tape.gradient(y, [x!, gamma!, beta!], { outputGradients: dy! }) as Tensor[];
        },
        { compiled: true },
      ),
      tfjs: tfjs((tf, x, gamma, beta, dy) =>
        tf.grads((...given: TfTensor[]) => tfBatchNorm(tf, given[0]!, given[1]!, given[2]!))(
          [x!, gamma!, beta!],
          dy,
        ),
      ),
      jaxjs: jaxjs((jax, x, gamma, beta, dy) => {
        const [y, pull] = jax.vjp(
          (...given: JaxArray[]) => jaxBatchNorm(jax, given[0]!, given[1]!, given[2]!),
          [x!, gamma!, beta!],
        );
        y.dispose();
        return pull(dy!) as unknown as JaxArray[];
      }),
      ort: unable('no gradients'),
    },
    work: { flops: 0, bytes: 20 * sizeOf(shape) },
  };
}

export const batchNormFamily: Family = {
  name: 'batchNorm',
  rows: (adapter) => {
    const shape: Shape = adapter === 'gpu' ? [32, 56, 56, 256] : [4, 28, 28, 64];
    return [forwardRow(shape), gradientRow(shape)];
  },
};
