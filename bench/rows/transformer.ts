/**
 * @file A training step of a small language model: embeddings through gather, blocks of layer normalization, causal
 * attention and GELU, and the next token's cross-entropy.
 */
import {
  add,
  dotProductAttention,
  fusedMatMul,
  gather,
  gelu,
  layerNorm,
  matMul,
  reshape,
  slice,
  type Tensor,
} from 'retrograd';
import { crossEntropy, dense } from '../float64.ts';
import { type HostArray, integers, normal, filled, seeded } from '../host.ts';
import type { JaxArray, JaxJs } from '../peers/jaxjs.ts';
import type { Tfjs } from '../peers/tfjs.ts';
import type { Family } from '../row.ts';
import type { TrainingRow } from '../training.ts';
import { block as block64, blockParameters, epsilon, type Sizes } from '../transformer64.ts';
import { inEachPrecision, jaxLoss, loss, tfLoss } from './steps.ts';

type TfTensor = ReturnType<Tfjs['tensor']>;

interface Model extends Sizes {
  vocabulary: number;
  layers: number;
  /** Number of central differences that the gradient is compared with. */
  directions: number;
}

const matrix = (from: number, to: number, seed: number) => normal([from, to], seed, 1 / Math.sqrt(from));
const bias = (size: number, seed: number) => normal([size], seed, 0.02);

function blockWeights(width: number, seed: number): HostArray[] {
  const normalization = () => [filled([width], 1), filled([width], 0)];
  return [
    ...normalization(),
    matrix(width, 3 * width, seed),
    bias(3 * width, seed + 1),
    matrix(width, width, seed + 2),
    bias(width, seed + 3),
    ...normalization(),
    matrix(width, 4 * width, seed + 4),
    bias(4 * width, seed + 5),
    matrix(4 * width, width, seed + 6),
    bias(width, seed + 7),
  ];
}

/** Embeddings of tokens and positions, the blocks, and the output's weights. */
const weightsOf = ({ vocabulary, length, width, layers }: Model): HostArray[] => [
  normal([vocabulary, width], 1, 0.5),
  normal([length, width], 2, 0.5),
  ...Array.from({ length: layers }, (_, layer) => blockWeights(width, 10 * (layer + 1))).flat(),
  matrix(width, vocabulary, 3),
];

function nextTokens({ batch, length, vocabulary }: Model): HostArray {
  const random = seeded(5);
  const values = new Float32Array(batch * length * vocabulary);
  for (let row = 0; row < batch * length; row++)
    values[row * vocabulary + Math.floor(random() * vocabulary)] = 1;
  return { shape: [batch * length, vocabulary], values };
}

/** Returns the parameters of each block. */
const blocksOf = <T>(parameters: readonly T[]): T[][] =>
  Array.from({ length: (parameters.length - 3) / blockParameters }, (_, i) =>
    parameters.slice(2 + i * blockParameters, 2 + (i + 1) * blockParameters),
  );

function ownBlock(
  x: Tensor,
  weights: Tensor[],
  { batch, length, width, heads }: Model,
  operand: (x: Tensor) => Tensor,
): Tensor {
  const [g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2] = weights as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  const rows = batch * length;
  const projected = (y: Tensor, w: Tensor, b: Tensor) => fusedMatMul(operand(y), operand(w), b);
  const qkv = projected(layerNorm(x, g1, b1, { epsilon }), wqkv, bqkv);
  const part = (i: number) =>
    reshape(slice(qkv, { begin: [0, i * width], size: [rows, width] }), {
      shape: [batch, length, heads, width / heads],
    });
  const attended = dotProductAttention(part(0), part(1), part(2), { isCausal: true });
  const middle = add(x, projected(reshape(attended, { shape: [rows, width] }), wo, bo));
  const expanded = gelu(projected(layerNorm(middle, g2, b2, { epsilon }), w1, c1), { approximate: true });
  return add(middle, projected(expanded, w2, c2));
}

function tfBlock(
  tf: Tfjs,
  x: TfTensor,
  weights: TfTensor[],
  { batch, length, width, heads }: Model,
): TfTensor {
  const of = (i: number) => weights[i] as TfTensor;
  const projected = (a: TfTensor, i: number): TfTensor =>
    tf.fused.matMul({ a, b: of(i), bias: of(i + 1) } as never) as TfTensor;
  const normalized = (a: TfTensor, i: number) => {
    const { mean, variance } = tf.moments(a, -1, true);
    const scale = tf.mul(tf.rsqrt(tf.add(variance, epsilon)), of(i));
    return tf.add(tf.mul(tf.sub(a, mean), scale), of(i + 1)) as TfTensor;
  };
  const byHeads = (a: TfTensor) =>
    tf.transpose(tf.reshape(a, [batch, length, heads, width / heads]), [0, 2, 1, 3]) as TfTensor;
  const [q, k, v] = tf.split(projected(normalized(x, 0), 2), 3, 1).map((a) => byHeads(a as TfTensor));
  const places = tf.range(0, length, 1, 'int32');
  const later = tf.greater(tf.reshape(places, [1, length]), tf.reshape(places, [length, 1]));
  const scores = tf.mul(tf.matMul(q!, k!, false, true), Math.sqrt(heads / width));
  const seen = tf.softmax(tf.add(scores, tf.mul(tf.cast(later, 'float32'), -1e9)) as TfTensor);
  const attended = tf.reshape(tf.transpose(tf.matMul(seen, v!), [0, 2, 1, 3]), [batch * length, width]);
  const middle = tf.add(x, projected(attended as TfTensor, 4)) as TfTensor;
  const wide = projected(normalized(middle, 6), 8);
  const inner = tf.mul(tf.add(wide, tf.mul(tf.pow(wide, 3), 0.044715)), Math.sqrt(2 / Math.PI));
  const expanded = tf.mul(tf.mul(wide, 0.5), tf.add(tf.tanh(inner), 1)) as TfTensor;
  return tf.add(middle, projected(expanded, 10)) as TfTensor;
}

function jaxBlock({ numpy: np, nn }: JaxJs, x: JaxArray, weights: JaxArray[], model: Model): JaxArray {
  const { batch, length, width, heads } = model;
  const of = (i: number) => weights[i] as JaxArray;
  const projected = (a: JaxArray, i: number) => np.matmul(a, of(i)).add(of(i + 1));
  const normalized = (a: JaxArray, i: number) =>
    nn
      .standardize(a, -1, { epsilon })
      .mul(of(i))
      .add(of(i + 1));
  const qkv = projected(normalized(x.ref, 0), 2);
  const part = (i: number) =>
    qkv.ref.slice([], [i * width, (i + 1) * width]).reshape([batch, length, heads, width / heads]);
  const attended = nn.dotProductAttention(part(0), part(1), part(2), { isCausal: true });
  qkv.dispose();
  const middle = x.add(projected(attended.reshape([batch * length, width]), 4));
  const expanded = nn.gelu(projected(normalized(middle.ref, 6), 8));
  return middle.add(projected(expanded, 10));
}

function transformer(model: Model): TrainingRow {
  const { batch, length, width, layers, vocabulary } = model;
  const rows = batch * length;
  return {
    name: `transformer step ${layers} × ${width}, ${model.heads} heads, batch ${batch}×${length}`,
    family: 'transformer',
    training: () => ({
      parameters: weightsOf(model),
      batch: [integers([batch, length], vocabulary, 4), nextTokens(model)],
      constants: [],
      rate: 0.1,
      momentum: 0.9,
    }),
    directions: model.directions,
    lossAt(parameters, [ids, wanted]) {
      const [tokens, positions] = parameters as [Float64Array, Float64Array];
      const embedded = Float64Array.from({ length: rows * width }, (_, i) => {
        const [row, j] = [Math.floor(i / width), i % width];
        const token = ids?.values[row] as number;
        return (tokens[token * width + j] as number) + (positions[(row % length) * width + j] as number);
      });
      const states = blocksOf(parameters).reduce<Float64Array>(
        (x, weights) => block64(x, weights, model),
        embedded,
      );
      const logits = dense(states, rows, parameters.at(-1) as Float64Array, null);
      return crossEntropy(logits, wanted?.values ?? [], rows);
    },
    retrograd({ parameters, batch: [ids, wanted] }, operand) {
      const [tokens, positions] = parameters as [Tensor, Tensor];
      const embedded = reshape(add(gather(tokens, ids!), positions), { shape: [rows, width] });
      const states = blocksOf(parameters).reduce(
        (x, weights) => ownBlock(x, weights, model, operand),
        embedded,
      );
      return loss(matMul(operand(states), operand(parameters.at(-1) as Tensor)), wanted!);
    },
    tfjs(tf, { parameters, batch: [ids, wanted] }) {
      const [tokens, positions] = parameters as [TfTensor, TfTensor];
      const embedded = tf.reshape(tf.add(tf.gather(tokens, ids as never), positions), [rows, width]);
      const states = blocksOf(parameters).reduce<TfTensor>(
        (x, weights) => tfBlock(tf, x, weights, model),
        embedded,
      );
      return tfLoss(tf, tf.matMul(states, parameters.at(-1) as TfTensor), wanted!);
    },
    jaxjs(jax, { parameters, batch: [ids, wanted] }) {
      const [tokens, positions] = parameters as [JaxArray, JaxArray];
      const embedded = jax.numpy.take(tokens, ids!, 0).add(positions).reshape([rows, width]);
      const states = blocksOf(parameters).reduce((x, weights) => jaxBlock(jax, x, weights, model), embedded);
      return jaxLoss(jax, jax.numpy.matmul(states, parameters.at(-1) as JaxArray), wanted!);
    },
  };
}

export const transformerFamily: Family = {
  name: 'transformer',
  rows: (adapter) =>
    inEachPrecision(adapter, [
      transformer(
        adapter === 'gpu'
          ? // GPT-2-small's block.
            { batch: 1, length: 1024, width: 768, heads: 12, layers: 1, vocabulary: 1024, directions: 1 }
          : { batch: 4, length: 32, width: 64, heads: 4, layers: 2, vocabulary: 256, directions: 6 },
      ),
    ]),
};
