/** @file A vision transformer: patches of an image as a sequence, in custom layers that a model's configuration names. */
import { init, type Tensor } from 'retrograd';
import {
  cloneModel,
  input,
  type KerasTensor,
  Layer,
  type LayerOptions,
  layers,
  losses,
  metrics,
  model,
  ops,
  optimizers,
  sequential,
} from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const [size, patch, width, classes] = [12, 4, 8, 3];

function mlp(x: KerasTensor, hiddenUnits: readonly number[], dropoutRate: number): KerasTensor {
  for (const units of hiddenUnits)
    x = layers.dropout(dropoutRate).apply(layers.dense(units, 'gelu').apply(x));
  return x;
}

class Patches extends Layer {
  static override readonly className: string = 'Patches';
  readonly patchSize: number;

  constructor({ patchSize, ...options }: LayerOptions & { patchSize: number }) {
    super(options);
    this.patchSize = patchSize;
  }

  override call(images: Tensor): Tensor {
    const { patchSize } = this;
    const [batch, height, width, channels] = images.shape as [number, number, number, number];
    const count = Math.floor(height / patchSize) * Math.floor(width / patchSize);
    const patches = ops.image.extractPatches(images, { size: patchSize });
    return ops.reshape(patches, [batch, count, patchSize * patchSize * channels]);
  }

  override getConfig() {
    return { ...super.getConfig(), patchSize: this.patchSize };
  }
}

class PatchEncoder extends Layer {
  static override readonly className: string = 'PatchEncoder';
  readonly numPatches: number;
  readonly projectionDim: number;
  readonly projection: Layer;
  readonly positionEmbedding: Layer;

  constructor({
    numPatches,
    projectionDim,
    ...options
  }: LayerOptions & { numPatches: number; projectionDim: number }) {
    super(options);
    this.numPatches = numPatches;
    this.projectionDim = projectionDim;
    this.projection = layers.dense(projectionDim);
    this.positionEmbedding = layers.embedding(numPatches, projectionDim);
  }

  override call(patches: Tensor): Tensor {
    const positions = ops.expandDims(ops.arange(0, this.numPatches, 1, { dtype: 'int32' }), { axis: 0 });
    return ops.add(this.projection.apply(patches), this.positionEmbedding.apply(positions));
  }

  override getConfig() {
    const { numPatches, projectionDim } = this;
    return { ...super.getConfig(), numPatches, projectionDim };
  }
}

function createClassifier(images: Tensor) {
  const inputs = input({ shape: [8, 8, 3] });
  const normalization = layers.normalization();
  normalization.adapt(images);
  const preprocessing = sequential([normalization, layers.resizing(size, size)], { name: 'preprocessing' });
  const patches = new Patches({ patchSize: patch }).apply(preprocessing.apply(inputs));
  const numPatches = (size / patch) ** 2;
  let encoded = new PatchEncoder({ numPatches, projectionDim: width }).apply(patches);
  for (let block = 0; block < 2; block++) {
    const x1 = layers.layerNormalization({ epsilon: 1e-6 }).apply(encoded);
    const attention = layers.multiHeadAttention({ numHeads: 2, keyDim: width, dropout: 0 });
    const x2 = layers.add().apply([attention.apply([x1, x1]), encoded]);
    const x3 = layers.layerNormalization({ epsilon: 1e-6 }).apply(x2);
    encoded = layers.add().apply([mlp(x3, [width * 2, width], 0), x2]);
  }
  const normalized = layers.layerNormalization({ epsilon: 1e-6 }).apply(encoded);
  const representation = layers.dropout(0).apply(layers.flatten().apply(normalized));
  return model({ inputs, outputs: layers.dense(classes).apply(mlp(representation, [12, 8], 0)) });
}

export async function run(): Promise<Curves> {
  await init();
  const images = ops.multiply(255, uniform([16, 8, 8, 3], 1));
  const labels = integers([16], 2, classes);
  const net = createClassifier(images);
  setKernels(net);
  net.compile({
    optimizer: optimizers.adamW({ learningRate: 0.001, weightDecay: 0.0001 }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
    metrics: [
      metrics.sparseCategoricalAccuracy({ name: 'accuracy' }),
      metrics.sparseTopKCategoricalAccuracy({ k: 2, name: 'top-2-accuracy' }),
    ],
  });
  const { history } = await net.fit(images, labels, {
    batchSize: 4,
    epochs: 4,
    validationSplit: 0.25,
    shuffle: false,
    verbose: 0,
  });
  const restored = cloneModel(net, { customObjects: { Patches, PatchEncoder } });
  restored.setWeights(net.getWeights());
  const logits = await restored.predict(ops.slice(images, { begin: [0], size: [3] }));
  return {
    loss: history.loss ?? [],
    top2: history['top-2-accuracy'] ?? [],
    validation: history.val_loss ?? [],
    probabilities: [...(await ops.softmax(logits).data())],
  };
}
