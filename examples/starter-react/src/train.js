import { init } from 'retrograd';
import { callbacks, layers, optimizers, sequential } from 'retrograd/keras';

/** Points in two rings, and the ring of each: put your data here. */
function rings() {
  const y = Array.from({ length: 512 }, (_, i) => i % 2);
  return { x: y.map((ring, i) => [Math.cos(i) * (1 + ring), Math.sin(i) * (1 + ring)]), y };
}

/**
 * Trains a model, and returns its accuracy. `onEpoch` is called for each epoch; if it returns false, training ends.
 * @param {(epoch: number, loss: number) => boolean} onEpoch
 */
export async function train(onEpoch) {
  await init();
  const { x, y } = rings();
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 16, activation: 'tanh' }),
    layers.dense({ units: 2, activation: 'softmax' }),
  ]);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.03 }),
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
  });
  const progress = callbacks.lambdaCallback({
    onEpochEnd: (epoch, logs) => {
      if (!onEpoch(epoch, logs.loss)) net.stopTraining = true;
    },
  });
  await net.fit(x, y, { epochs: 20, verbose: 0, callbacks: [progress] });
  const { accuracy } = await net.evaluate(x, y);
  return accuracy;
}
