/** @file A Siamese network: triplets of images pass one embedding, whose first layers are frozen. */
import { GradientTape, init, type Tensor, tidy } from 'retrograd';
import { fromTensorSlices } from 'retrograd/data';
import { type Batch, input, Layer, layers, metrics, Model, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, setKernels, uniform } from './formula.ts';

const shape = [8, 8, 3];

type Triplet = readonly [anchor: Tensor, positive: Tensor, negative: Tensor];
type Distances = readonly [anchorToPositive: Tensor, anchorToNegative: Tensor];

class DistanceLayer extends Layer<Triplet, Distances> {
  override call([anchor, positive, negative]: Triplet): Distances {
    const distance = (x: Tensor, y: Tensor) => ops.sum(ops.square(ops.subtract(x, y)), { axis: -1 });
    return [distance(anchor, positive), distance(anchor, negative)];
  }
}

class SiameseModel extends Model<Triplet, Distances> {
  readonly lossTracker = metrics.mean({ name: 'loss' });

  constructor(
    readonly siameseNetwork: Model<Triplet, Distances>,
    readonly margin = 0.5,
  ) {
    super();
  }

  override call(inputs: Triplet): Distances {
    return this.siameseNetwork.apply(inputs);
  }

  override trainStep({ x }: Batch<Triplet, null>) {
    return tidy(() => {
      using tape = new GradientTape();
      const loss = this.tripletLoss(x);
      const weights = this.siameseNetwork.trainableWeights;
      this.optimizer?.apply(tape.gradient(loss, weights), weights);
      this.lossTracker.updateState(loss);
      return { loss: this.lossTracker.result() };
    });
  }

  override testStep({ x }: Batch<Triplet, null>) {
    this.lossTracker.updateState(this.tripletLoss(x));
    return { loss: this.lossTracker.result() };
  }

  tripletLoss(triplet: Triplet): Tensor {
    const [toPositive, toNegative] = this.siameseNetwork.apply(triplet);
    return ops.maximum(ops.add(ops.subtract(toPositive, toNegative), this.margin), 0);
  }

  override get metrics() {
    return [this.lossTracker];
  }
}

function embeddingNetwork() {
  const image = input({ shape });
  let x = layers.conv2d(6, 3, { activation: 'relu', name: 'conv1_block1_out' }).apply(image);
  x = layers.conv2d(8, 3, { activation: 'relu', name: 'conv2_block1_out' }).apply(x);
  const base = model({ inputs: image, outputs: x, name: 'base_cnn' });
  let trainable = false;
  for (const layer of base.layers) {
    if (layer.name === 'conv2_block1_out') trainable = true;
    layer.trainable = trainable;
  }
  let y = layers.flatten().apply(base.output);
  y = layers.batchNormalization().apply(layers.dense(12, 'relu').apply(y));
  y = layers.batchNormalization().apply(layers.dense(8, 'relu').apply(y));
  return model({ inputs: base.input, outputs: layers.dense(4).apply(y), name: 'Embedding' });
}

export async function run(): Promise<Curves> {
  await init();
  const embedding = embeddingNetwork();
  const anchor = input({ name: 'anchor', shape });
  const positive = input({ name: 'positive', shape });
  const negative = input({ name: 'negative', shape });
  const scaled = layers.rescaling({ scale: 2, offset: -1 });
  const distances = new DistanceLayer().apply([
    embedding.apply(scaled.apply(anchor)),
    embedding.apply(scaled.apply(positive)),
    embedding.apply(scaled.apply(negative)),
  ]);
  const network = model({ inputs: [anchor, positive, negative], outputs: distances });
  setKernels(embedding);

  const anchors = uniform([12, ...shape], 1);
  const noise = uniform([12, ...shape], 2);
  const similar = ops.add(ops.multiply(0.7, anchors), ops.multiply(0.3, noise));
  const triplets: Triplet = [anchors, similar, uniform([12, ...shape], 3)];
  const dataset = fromTensorSlices(triplets);
  const train = dataset.take(8).batch(4, { dropRemainder: false });
  const validation = dataset.skip(8).batch(4);
  const siamese = new SiameseModel(network);
  siamese.compile({ optimizer: optimizers.sgd({ learningRate: 0.02, momentum: 0.9 }), weightedMetrics: [] });
  const { history } = await siamese.fit(
    train.map((x) => [x] as const),
    {
      epochs: 4,
      validationData: validation.map((x) => [x] as const),
      verbose: 0,
    },
  );

  const [first, second, third] = triplets.map((x) =>
    embedding.apply(ops.subtract(ops.multiply(2, ops.slice(x, { begin: [0], size: [4] })), 1)),
  ) as unknown as Triplet;
  const cosineSimilarity = metrics.cosineSimilarity();
  cosineSimilarity.updateState(first, second);
  const positiveSimilarity = await cosineSimilarity.result().item();
  cosineSimilarity.resetState();
  cosineSimilarity.updateState(first, third);
  const negativeSimilarity = await cosineSimilarity.result().item();
  return {
    loss: history.loss ?? [],
    validation: history.val_loss ?? [],
    similarity: [positiveSimilarity, negativeSimilarity],
    embedding: [...(await first.data())].slice(0, 4),
  };
}
