/** @file k-fold cross-validation: a new model for each fold, trained on the others. */
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

function network() {
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 1, activation: 'sigmoid' }),
  ]);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.1 }),
    loss: 'binaryCrossentropy',
    metrics: ['accuracy'],
  });
  return net;
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(15);
  const x = Array.from({ length: 80 }, (_, i) => [Math.sin(i * 1.3), Math.cos(i * 2.1)]);
  const y = x.map(([a, b]) => Number(a > b));

  const folds = 4;
  const accuracies: number[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const isHeldOut = (_: unknown, i: number) => i % folds === fold;
    const isKept = (_: unknown, i: number) => i % folds !== fold;
    const net = network();
    await net.fit(x.filter(isKept), y.filter(isKept), { epochs: 10, batchSize: 20, verbose: 0 });
    const { accuracy } = await net.evaluate(x.filter(isHeldOut), y.filter(isHeldOut), { verbose: 0 });
    accuracies.push(accuracy);
    net.dispose();
  }
  const mean = accuracies.reduce((sum, accuracy) => sum + accuracy, 0) / folds;
  print(
    `accuracies ${accuracies.map((accuracy) => accuracy.toFixed(2)).join(', ')}, mean ${mean.toFixed(3)}`,
  );
  return { accuracies, mean };
}
