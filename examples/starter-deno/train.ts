import { init } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

await init();
// Points in two rings, and the ring of each: put your data here.
const y = Array.from({ length: 512 }, (_, i) => i % 2);
const x = y.map((ring, i) => [Math.cos(i) * (1 + ring), Math.sin(i) * (1 + ring)]);

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
await net.fit(x, y, { epochs: 20, verbose: 0 });
const { accuracy } = await net.evaluate(x, y);
console.log(`accuracy ${accuracy?.toFixed(2)}`);
