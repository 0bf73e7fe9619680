/** @file Logistic regression: on which side of a line a point is, with a decision threshold of one half. */
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(2);
  const x = Array.from({ length: 128 }, (_, i) => [Math.sin(i * 1.7), Math.cos(i * 2.9)]);
  const y = x.map(([a, b]) => Number(a + 2 * b > 0.3));

  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 1, activation: 'sigmoid' }),
  ]);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.1 }),
    loss: 'binaryCrossentropy',
    metrics: ['accuracy'],
  });
  await net.fit(x, y, { epochs: 15, batchSize: 32, verbose: 0 });
  const { loss, accuracy } = await net.evaluate(x, y, { verbose: 0 });

  const probabilities = await (
    await net.predict([
      [1, 1],
      [-1, -1],
    ])
  ).data();
  print(`loss ${loss.toFixed(3)}, accuracy ${accuracy.toFixed(3)}`);
  print(`inside: ${probabilities[0].toFixed(2)}, outside: ${probabilities[1].toFixed(2)}`);
  return { accuracy, inside: probabilities[0], outside: probabilities[1] };
}
