/**
 * @file A transformer that reads a sequence of digits and predicts the next one: token and position embeddings, causal
 * attention.
 */
import { add, argMax, init, range, setRandomSeed, slice, type Tensor, tensor } from 'retrograd';
import { input, Layer, layers, model, optimizers } from 'retrograd/keras';

const length = 8;
const vocabulary = 10;
const width = 16;

class TokenAndPositionEmbedding extends Layer {
  static override readonly className = 'TokenAndPositionEmbedding';
  readonly tokens = layers.embedding({ inputDim: vocabulary, outputDim: width });
  readonly positions = layers.embedding({ inputDim: length, outputDim: width });

  override call(ids: Tensor): Tensor {
    const positions = range(0, ids.shape[1], 1, { dtype: 'int32' });
    return add(this.tokens.apply(ids), this.positions.apply(positions));
  }
}

class TransformerBlock extends Layer {
  static override readonly className = 'TransformerBlock';
  readonly attention = layers.multiHeadAttention({ numHeads: 2, keyDim: width / 2 });
  readonly feedForward = layers.dense({ units: 2 * width, activation: 'relu' });
  readonly projection = layers.dense({ units: width });
  readonly norm1 = layers.layerNormalization({ epsilon: 1e-6 });
  readonly norm2 = layers.layerNormalization({ epsilon: 1e-6 });

  override call(x: Tensor): Tensor {
    const attended = this.norm1.apply(add(x, this.attention.apply([x, x], { useCausalMask: true })));
    return this.norm2.apply(add(attended, this.projection.apply(this.feedForward.apply(attended))));
  }
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(10);
  // Each digit follows from the one before: + 3, modulo 10.
  const texts = Array.from({ length: 64 }, (_, i) =>
    Array.from({ length: length + 1 }, (_, k) => (i + 3 * k) % 10),
  );
  const x = tensor(
    texts.map((text) => text.slice(0, -1)),
    { dtype: 'int32' },
  );
  const y = tensor(
    texts.map((text) => text.slice(1)),
    { dtype: 'int32' },
  );

  const ids = input({ shape: [length], dtype: 'int32' });
  let hidden = new TokenAndPositionEmbedding().apply(ids);
  hidden = new TransformerBlock().apply(hidden);
  const net = model({
    inputs: ids,
    outputs: layers.dense({ units: vocabulary, activation: 'softmax' }).apply(hidden),
  });
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }), loss: 'sparseCategoricalCrossentropy' });
  const { history } = await net.fit(x, y, { epochs: 10, batchSize: 16, verbose: 0 });

  const probabilities = net.apply(slice(x, { begin: [0], size: [1] }));
  const next = await argMax(probabilities, { axis: -1 }).data();
  print(`loss ${history.loss[0].toFixed(3)} → ${history.loss.at(-1)?.toFixed(3)}`);
  print(`${texts[0].slice(0, -1).join(' ')}: ${next.at(-1)}`);
  return { first: history.loss[0], last: history.loss.at(-1), next: next.at(-1), expected: texts[0].at(-1) };
}
