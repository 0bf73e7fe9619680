/** @file A transformer that classifies time series, with a warm-up of the learning rate, clipped gradients and early stopping. */
import { init, type SymbolicTensor, type Tensor } from 'retrograd';
import { callbacks, input, layers, metrics, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, setKernels, uniform } from './formula.ts';

const [length, classes, count] = [16, 2, 20];

function series(): [x: Tensor, y: Tensor] {
  const noise = uniform([count, length, 1], 1, -0.3, 0.3);
  const labels = ops.mod(ops.arange(count, { dtype: 'int32' }), classes);
  const steps = ops.reshape(ops.arange(length), [1, -1, 1]);
  const rates = ops.add(0.4, ops.multiply(0.5, ops.reshape(ops.cast(labels, 'float32'), [-1, 1, 1])));
  return [ops.add(ops.sin(ops.multiply(steps, rates)), noise), labels];
}

interface EncoderSizes {
  headSize: number;
  numHeads: number;
  ffDim: number;
  dropout?: number;
}

function transformerEncoder(
  inputs: SymbolicTensor,
  { headSize, numHeads, ffDim, dropout = 0 }: EncoderSizes,
) {
  let x = layers.multiHeadAttention({ keyDim: headSize, numHeads, dropout }).apply([inputs, inputs]);
  x = layers.dropout(dropout).apply(x);
  x = layers.layerNormalization({ epsilon: 1e-6 }).apply(x);
  const residual = ops.add(x, inputs);
  x = layers.conv1d({ filters: ffDim, kernelSize: 1, activation: 'relu' }).apply(residual);
  x = layers.dropout(dropout).apply(x);
  x = layers.conv1d({ filters: inputs.shape.at(-1) as number, kernelSize: 1 }).apply(x);
  x = layers.layerNormalization({ epsilon: 1e-6 }).apply(x);
  return ops.add(x, residual);
}

function buildModel() {
  const inputs = input({ shape: [length, 1] });
  let x: SymbolicTensor = layers.conv1d(8, 3, { padding: 'causal' }).apply(inputs);
  for (let block = 0; block < 2; block++) x = transformerEncoder(x, { headSize: 6, numHeads: 2, ffDim: 5 });
  x = layers.globalAveragePooling1d({ dataFormat: 'channelsLast' }).apply(x);
  x = layers.dense(8, 'relu').apply(x);
  return model({ inputs, outputs: layers.dense(classes, 'softmax').apply(x) });
}

export async function run(): Promise<Curves> {
  await init();
  const [x, y] = series();
  const net = buildModel();
  setKernels(net);
  const learningRate = optimizers.schedules.cosineDecay({
    initialLearningRate: 0.005,
    decaySteps: 20,
    warmupTarget: 0.03,
    warmupSteps: 4,
  });
  net.compile({
    loss: 'sparseCategoricalCrossentropy',
    optimizer: optimizers.sgd({ learningRate, momentum: 0.9, clipnorm: 1 }),
    metrics: [metrics.sparseCategoricalAccuracy()],
  });
  const { history } = await net.fit(x, y, {
    validationSplit: 0.2,
    epochs: 3,
    batchSize: 4,
    shuffle: false,
    verbose: 0,
    callbacks: [callbacks.earlyStopping({ patience: 2, restoreBestWeights: true })],
  });
  const [loss, accuracy] = await net.evaluate(x, y, { verbose: 0 });
  return {
    loss: history.loss ?? [],
    accuracy: history.sparse_categorical_accuracy ?? [],
    validation: history.val_loss ?? [],
    evaluated: [loss as number, accuracy as number],
  };
}
