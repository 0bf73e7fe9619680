/**
 * @file A training step of ResNet-50 (He et al., 2015; strides in the 3 × 3 convolutions) at 224²: counted, not timed, since its
 * oracle would take hours. Batch normalization by the statistics of the batch.
 */
import { add, batchNormTrain, conv2d, fusedMatMul, maxPool, mean, relu, type Tensor } from 'retrograd';
import {
  filled,
  fromFiltersFirst,
  type HostArray,
  normal,
  toChannelsFirst,
  toFiltersFirst,
} from '../host.ts';
import type { JaxArray } from '../peers/jaxjs.ts';
import type { Tfjs } from '../peers/tfjs.ts';
import type { Row } from '../row.ts';
import { jaxLoss, loss, tfLoss } from '../rows/steps.ts';
import { trainingRow, type TrainingRow } from '../training.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;

const epsilon = 1e-3;
const classes = 1000;
/** Bottlenecks of each stage, and their inner channels. Each stage but the first begins with strides of 2. */
const stages = [
  { blocks: 3, channels: 64 },
  { blocks: 4, channels: 128 },
  { blocks: 6, channels: 256 },
  { blocks: 3, channels: 512 },
] as const;

/** The ops of a library. `normalized` is a convolution without bias and a batch normalization. */
interface Ops<T> {
  normalized(x: T, layer: number, stride: number): T;
  relu(x: T): T;
  add(a: T, b: T): T;
  pool(x: T): T;
  /** Another reference to x, in libraries that count them. */
  held(x: T): T;
}

/** The features after the last block. Layers are numbered in the order in which `layersOf` lists them. */
function features<T>(image: T, { normalized, relu, add, pool, held }: Ops<T>): T {
  let layer = 0;
  let x = pool(relu(normalized(image, layer++, 2)));
  stages.forEach(({ blocks }, stage) => {
    for (let block = 0; block < blocks; block++) {
      const stride = stage > 0 && block === 0 ? 2 : 1;
      const input = held(x);
      let y = relu(normalized(x, layer++, 1));
      y = relu(normalized(y, layer++, stride));
      y = normalized(y, layer++, 1);
      x = relu(add(y, block === 0 ? normalized(input, layer++, stride) : input));
    }
  });
  return x;
}

/** Sizes of all convolutions: the window, inputs and outputs. */
function layersOf(): (readonly [number, number, number])[] {
  const layers: (readonly [number, number, number])[] = [[7, 3, 64]];
  let inputs = 64;
  for (const { blocks, channels } of stages) {
    for (let block = 0; block < blocks; block++) {
      layers.push([1, inputs, channels], [3, channels, channels], [1, channels, 4 * channels]);
      if (block === 0) layers.push([1, inputs, 4 * channels]);
      inputs = 4 * channels;
    }
  }
  return layers;
}

/** Kernel, gamma and beta of each layer, then the weights and the bias of the classes. */
function parametersOf(): HostArray[] {
  const convolutions = layersOf().flatMap(([window, inputs, outputs], i) => [
    normal([window, window, inputs, outputs], i, Math.sqrt(2 / (window * window * inputs))),
    filled([outputs], 1),
    filled([outputs], 0),
  ]);
  return [...convolutions, normal([2048, classes], 99, 0.02), filled([classes], 0)];
}

const ofLayer = <T>(parameters: readonly T[], layer: number) =>
  parameters.slice(3 * layer, 3 * layer + 3) as [T, T, T];

function resNet(batch: number): TrainingRow {
  const layers = layersOf();
  return {
    name: `ResNet-50 step 224², batch ${batch}`,
    family: 'resNet',
    training: () => ({
      parameters: parametersOf(),
      batch: [normal([batch, 224, 224, 3], 1), filled([batch, classes], 1 / classes)],
      constants: [],
      rate: 0.1,
      momentum: 0.9,
    }),
    lossAt: () => {
      throw new Error('The step of ResNet-50 is only counted.');
    },
    retrograd: ({ parameters, batch: [image, wanted] }, operand) => {
      const x = features<Tensor>(image!, {
        normalized(x, layer, stride) {
          const [kernel, gamma, beta] = ofLayer(parameters, layer);
          const y = conv2d(operand(x), operand(kernel), { padding: 'same', strides: stride });
          return batchNormTrain(y, gamma, beta, { epsilon })[0];
        },
        relu: (x) => relu(x),
        add: (a, b) => add(a, b),
        pool: (x) => maxPool(x, { poolSize: 3, strides: 2, padding: 'same' }),
        held: (x) => x,
      });
      const [w, b] = parameters.slice(3 * layers.length) as [Tensor, Tensor];
      return loss(fusedMatMul(operand(mean(x, { axis: [1, 2] })), operand(w), b), wanted!);
    },
    tfjs: (tf, { parameters, batch: [image, wanted] }) => {
      const x = features<TfTensor>(image!, {
        normalized(x, layer, stride) {
          const [kernel, gamma, beta] = ofLayer(parameters, layer);
          const y = tf.conv2d(x as never, kernel as never, stride, 'same');
          const { mean, variance } = tf.moments(y, [0, 1, 2]);
          return tf.batchNorm(y, mean as never, variance as never, beta as never, gamma as never, epsilon);
        },
        relu: (x) => tf.relu(x),
        add: (a, b) => tf.add(a, b),
        pool: (x) => tf.maxPool(x as never, 3, 2, 'same') as TfTensor,
        held: (x) => x,
      });
      const [w, b] = parameters.slice(3 * layers.length) as [TfTensor, TfTensor];
      return tfLoss(tf, tf.fused.matMul({ a: tf.mean(x, [1, 2]), b: w, bias: b } as never), wanted!);
    },
    jaxjs: ({ lax, nn, numpy: np, ...jax }, { parameters, batch: [image, wanted] }) => {
      const x = features<JaxArray>(image!, {
        normalized(x, layer, stride) {
          const [kernel, gamma, beta] = ofLayer(parameters, layer);
          const y = lax.convGeneralDilated(x, kernel, [stride, stride], 'SAME');
          return nn
            .standardize(y, [0, 2, 3], { epsilon })
            .mul(gamma.reshape([1, -1, 1, 1]))
            .add(beta.reshape([1, -1, 1, 1]));
        },
        relu: (x) => nn.relu(x),
        add: (a, b) => a.add(b),
        // All values are positive, so zeros are as good as the padding of the other libraries.
        pool: (x) =>
          lax.reduceWindow(
            np.pad(x, [
              [0, 0],
              [0, 0],
              [0, 1],
              [0, 1],
            ]),
            (window) => np.max(window) as JaxArray,
            [3, 3],
            [2, 2],
          ) as JaxArray,
        held: (x) => x.ref,
      });
      const [w, b] = parameters.slice(3 * layers.length) as [JaxArray, JaxArray];
      return jaxLoss({ lax, nn, numpy: np, ...jax }, np.matmul(np.mean(x, [2, 3]), w).add(b), wanted!);
    },
    jaxLayout: [...layers.flatMap(() => [toFiltersFirst, null, null]), null, null, toChannelsFirst, null],
    jaxRestore: [...layers.flatMap(() => [fromFiltersFirst, null, null]), null, null],
  };
}

export const resNetRow: Row = trainingRow(resNet(4));
