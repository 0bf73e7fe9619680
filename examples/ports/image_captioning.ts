/** @file Image captions: a frozen CNN, a transformer over its places, and a decoder with causal and padding masks. */
import { GradientTape, init, type Tensor, tensor, tidy } from 'retrograd';
import {
  type Batch,
  type CallOptions,
  input,
  Layer,
  layers,
  losses,
  metrics,
  Model,
  model,
  ops,
  optimizers,
} from 'retrograd/keras';
import { type Curves, setKernels, uniform } from './formula.ts';

const captions = [
  ['<start> a red cat sits <end>', '<start> the cat is red! <end>'],
  ['<start> a dog runs fast <end>', '<start> the dog, it runs <end>'],
  ['<start> two birds <end>', '<start> birds in a tree <end>'],
  ['<start> a blue car stops <end>', '<start> the car is blue <end>'],
];
const [length, dim, ff, heads, perImage] = [8, 8, 12, 2, 2];
const standardize = (text: string) => text.toLowerCase().replaceAll(/[!,.?]/g, '');

function getCNNModel() {
  const image = input({ shape: [8, 8, 3] });
  let x = layers.conv2d(6, 3, { strides: 2, padding: 'same', activation: 'relu' }).apply(image);
  x = layers.conv2d(dim, 3, { strides: 2, padding: 'same', activation: 'relu' }).apply(x);
  const outputs = layers.reshape({ targetShape: [-1, x.shape.at(-1) as number] }).apply(x);
  const cnn = model({ inputs: image, outputs });
  cnn.trainable = false;
  return cnn;
}

class TransformerEncoderBlock extends Layer {
  readonly attention = layers.multiHeadAttention({ numHeads: 1, keyDim: dim, dropout: 0 });
  readonly norm1 = layers.layerNormalization();
  readonly norm2 = layers.layerNormalization();
  readonly dense = layers.dense(dim, 'relu');

  override call(inputs: Tensor, { training }: CallOptions): Tensor {
    const x = this.dense.apply(this.norm1.apply(inputs));
    const attended = this.attention.apply(x, { value: x, key: x, training }) as Tensor;
    return this.norm2.apply(ops.add(x, attended));
  }
}

class PositionalEmbedding extends Layer {
  readonly tokens: Layer;
  readonly positions = layers.embedding(length - 1, dim);

  constructor(vocabularySize: number) {
    super();
    this.tokens = layers.embedding(vocabularySize, dim);
  }

  override call(inputs: Tensor): Tensor {
    const positions = ops.arange(0, inputs.shape.at(-1) as number, 1, { dtype: 'int32' });
    const tokens = ops.multiply(this.tokens.apply(inputs), Math.sqrt(dim));
    return ops.add(tokens, this.positions.apply(positions));
  }

  override computeMask(inputs: Tensor): Tensor {
    return ops.notEqual(inputs, 0);
  }
}

class TransformerDecoderBlock extends Layer {
  readonly attention1 = layers.multiHeadAttention({ numHeads: heads, keyDim: dim, dropout: 0 });
  readonly attention2 = layers.multiHeadAttention({ numHeads: heads, keyDim: dim, dropout: 0 });
  readonly ffn1 = layers.dense(ff, 'relu');
  readonly ffn2 = layers.dense(dim);
  readonly norm1 = layers.layerNormalization();
  readonly norm2 = layers.layerNormalization();
  readonly norm3 = layers.layerNormalization();
  readonly embedding: Layer;
  readonly out: Layer;

  constructor(vocabularySize: number) {
    super();
    this.embedding = new PositionalEmbedding(vocabularySize);
    this.out = layers.dense(vocabularySize, 'softmax');
  }

  override call(tokens: Tensor, { training, ...options }: CallOptions): Tensor {
    const [encoded, mask] = [options.encoderOutputs as Tensor, options.mask as Tensor];
    const inputs = this.embedding.apply(tokens);
    const positions = ops.arange(inputs.shape[1] as number, { dtype: 'int32' });
    const causal = ops.greaterEqual(ops.expandDims(positions, { axis: 1 }), positions);
    const padding = ops.expandDims(mask, { axis: 2 });
    const combined = ops.logicalAnd(ops.expandDims(mask, { axis: 1 }), causal);
    let x = this.attention1.apply(inputs, {
      value: inputs,
      key: inputs,
      attentionMask: combined,
      training,
    }) as Tensor;
    const out1 = this.norm1.apply(ops.add(inputs, x));
    x = this.attention2.apply(out1, {
      value: encoded,
      key: encoded,
      attentionMask: padding,
      training,
    }) as Tensor;
    const out2 = this.norm2.apply(ops.add(out1, x));
    const fed = this.ffn2.apply(this.ffn1.apply(out2));
    return this.out.apply(this.norm3.apply(ops.add(fed, out2)));
  }
}

class ImageCaptioningModel extends Model {
  readonly lossTracker = metrics.mean({ name: 'loss' });
  readonly accTracker = metrics.mean({ name: 'accuracy' });
  readonly crossEntropy = losses.sparseCategoricalCrossentropy({ fromLogits: false, reduction: null });

  constructor(
    readonly cnn: Model,
    readonly encoder: Layer,
    readonly decoder: Layer,
  ) {
    super();
  }

  override get metrics() {
    return [this.lossTracker, this.accTracker];
  }

  captionLoss(imageEmbedding: Tensor, sequences: Tensor, caption: number, training: boolean) {
    const sequence = ops.take(sequences, caption, { axis: 1 });
    const part = (begin: number) => ops.slice(sequence, { begin: [0, begin], size: [-1, length - 1] });
    const yTrue = part(1);
    const mask = ops.notEqual(yTrue, 0);
    const encoderOutputs = this.encoder.apply(imageEmbedding, { training });
    const yPred = this.decoder.apply(part(0), { encoderOutputs, training, mask });
    const counted = ops.cast(mask, 'float32');
    const count = ops.sum(counted);
    const matches = ops.logicalAnd(mask, ops.equal(yTrue, ops.argMax(yPred, { axis: 2 })));
    return {
      loss: ops.divide(ops.sum(ops.multiply(this.crossEntropy.call(yTrue, yPred), counted)), count),
      accuracy: ops.divide(ops.sum(ops.cast(matches, 'float32')), count),
    };
  }

  override trainStep({ x: images, y: sequences }: Batch) {
    return tidy(() => {
      const imageEmbedding = this.cnn.apply(images);
      const found = Array.from({ length: perImage }, (_, i) => {
        using tape = new GradientTape();
        const { loss, accuracy } = this.captionLoss(imageEmbedding, sequences, i, true);
        const weights = [...this.encoder.trainableWeights, ...this.decoder.trainableWeights];
        this.optimizer?.apply(tape.gradient(loss, weights), weights);
        return { loss, accuracy };
      });
      return this.track(found);
    });
  }

  override testStep({ x: images, y: sequences }: Batch) {
    return tidy(() => {
      const imageEmbedding = this.cnn.apply(images);
      const captionLoss = (_: unknown, i: number) => this.captionLoss(imageEmbedding, sequences, i, false);
      return this.track(Array.from({ length: perImage }, captionLoss));
    });
  }

  track(found: { loss: Tensor; accuracy: Tensor }[]) {
    const sum = (values: Tensor[]) => values.reduce((total, value) => ops.add(total, value));
    this.lossTracker.updateState(sum(found.map(({ loss }) => loss)));
    this.accTracker.updateState(ops.divide(sum(found.map(({ accuracy }) => accuracy)), perImage));
    return { loss: this.lossTracker.result(), acc: this.accTracker.result() };
  }
}

class LRSchedule implements optimizers.LearningRateSchedule {
  readonly className = 'LRSchedule';

  constructor(
    readonly postWarmupLearningRate: number,
    readonly warmupSteps: number,
  ) {}

  call(step: number): number {
    return this.postWarmupLearningRate * Math.min(step / this.warmupSteps, 1);
  }

  getConfig() {
    const { postWarmupLearningRate, warmupSteps } = this;
    return { postWarmupLearningRate, warmupSteps };
  }
}

export async function run(): Promise<Curves> {
  await init();
  const vectorization = layers.textVectorization({
    outputMode: 'int',
    outputSequenceLength: length,
    standardize,
  });
  vectorization.adapt(captions.flat());
  const vocabulary = vectorization.getVocabulary();
  const images = uniform([4, 8, 8, 3], 1);
  const sequences = ops.stack(captions.map((pair) => vectorization.apply(pair)));
  const cnn = getCNNModel();
  const encoder = new TransformerEncoderBlock();
  const decoder = new TransformerDecoderBlock(vocabulary.length);
  const captioning = new ImageCaptioningModel(cnn, encoder, decoder);
  const captionOf = (tokens: Tensor, image: Tensor) =>
    decoder.apply(tokens, {
      encoderOutputs: encoder.apply(cnn.apply(image), { training: false }),
      training: false,
      mask: ops.notEqual(tokens, 0),
    });
  captionOf(
    tensor([[1, 2, 3, 4, 5, 6, 7]], { dtype: 'int32' }),
    ops.slice(images, { begin: [0], size: [1] }),
  );
  setKernels(cnn, encoder, decoder);
  captioning.compile({ optimizer: optimizers.sgd({ learningRate: new LRSchedule(0.2, 4) }) });
  const { history } = await captioning.fit(images, sequences, {
    batchSize: 2,
    epochs: 5,
    validationData: [images, sequences],
    shuffle: false,
    verbose: 0,
  });

  const words = ['<start>'];
  const confidences: number[] = [];
  for (let i = 0; i < length - 1; i++) {
    const padded = vectorization.apply([words.join(' ')]);
    const tokens = ops.slice(padded, { begin: [0, 0], size: [1, length - 1] });
    const predictions = captionOf(tokens, ops.slice(images, { begin: [0], size: [1] }));
    const probabilities = await ops.squeeze(ops.take(predictions, i, { axis: 1 })).data();
    confidences.push(Math.max(...probabilities));
    const word = vocabulary[probabilities.indexOf(confidences.at(-1) as number)] as string;
    if (word === '<end>') break;
    words.push(word);
  }
  return {
    loss: history.loss ?? [],
    accuracy: history.acc ?? [],
    validation: history.val_loss ?? [],
    confidences,
    caption: words.map((word) => vocabulary.indexOf(word)),
  };
}
