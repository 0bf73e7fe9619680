/** @file Grad-CAM: the gradient of a class with respect to the last feature maps shows where a classifier looks. */
import { GradientTape, init, type Tensor } from 'retrograd';
import { input, layers, losses, type Model, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

function classifier() {
  const image = input({ shape: [16, 16, 3] });
  let x = layers.rescaling({ scale: 2, offset: -1 }).apply(image);
  x = layers.conv2d(8, 3, { strides: 2, padding: 'same', useBias: false }).apply(x);
  x = layers.batchNormalization().apply(x);
  x = layers.activation('relu').apply(x);
  const shortcut = layers.conv2d(12, 1, { strides: 2, padding: 'same' }).apply(x);
  x = layers.separableConv2d(12, 3, { padding: 'same', activation: 'relu' }).apply(x);
  x = layers.maxPooling2d(3, { strides: 2, padding: 'same' }).apply(x);
  x = layers.add({ name: 'block_out' }).apply([x, shortcut]);
  x = layers.globalAveragePooling2d().apply(x);
  return model({ inputs: image, outputs: layers.dense(4, { name: 'predictions' }).apply(x) });
}

/** What speaks for a class, from 0 to 1, for each place of the layer's feature maps; by default for the class that is predicted. */
async function heatmapOf(image: Tensor, net: Model, layerName: string, given?: number) {
  const { output: maps } = net.getLayer(layerName);
  const gradModel = model({ inputs: net.input, outputs: [maps, net.output] });
  const tape = new GradientTape();
  const [features, predictions] = gradModel.apply(image) as [Tensor, Tensor];
  const index = given ?? (await ops.argMax(predictions, { axis: -1 }).item());
  const score = ops.take(predictions, index, { axis: 1 });
  const gradients = tape.gradient(score, features) as Tensor;
  const importance = ops.mean(gradients, { axis: [0, 1, 2] });
  const map = ops.squeeze(ops.matMul(features, ops.expandDims(importance, { axis: -1 })));
  return { heatmap: ops.divide(ops.maximum(map, 0), ops.max(map)), index };
}

/** 256 colours from blue over green to red. */
function colours(): Tensor {
  const t = ops.linspace(0, 1, 256);
  const rising = ops.subtract(ops.multiply(4, t), 2);
  const channels = [rising, ops.subtract(2, ops.abs(rising)), ops.negative(rising)];
  const [red, green, falling] = channels as [Tensor, Tensor, Tensor];
  return ops.clip(ops.stack([red, green, falling], { axis: 1 }), 0, 1);
}

function superimpose(image: Tensor, heatmap: Tensor, alpha = 0.4): Tensor {
  const levels = ops.cast(ops.multiply(255, heatmap), 'int32');
  const jet = ops.image.resize(ops.take(colours(), levels, { axis: 0 }), [16, 16], {
    interpolation: 'bilinear',
  });
  return ops.clip(ops.add(ops.multiply(jet, alpha), image), 0, 1);
}

export async function run(): Promise<Curves> {
  await init();
  const [images, labels] = [uniform([16, 16, 16, 3], 1), integers([16], 2, 4)];
  const net = classifier();
  setKernels(net);
  net.compile({
    optimizer: optimizers.sgd({ learningRate: 0.05, momentum: 0.9, nesterov: true }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
    metrics: ['accuracy'],
  });
  const { history } = await net.fit(images, labels, { epochs: 3, batchSize: 8, shuffle: false, verbose: 0 });
  const image = ops.slice(images, { begin: [2], size: [1] });
  const { heatmap, index } = await heatmapOf(image, net, 'block_out');
  const { heatmap: other } = await heatmapOf(image, net, 'block_out', (index + 1) % 4);
  const overlay = superimpose(ops.squeeze(image, { axis: 0 }), heatmap);
  return {
    loss: history.loss ?? [],
    class: [index],
    heatmap: [...(await heatmap.data())],
    other: [...(await other.data())],
    overlay: [...(await ops.mean(overlay, { axis: [1, 2] }).data())],
  };
}
