import { init } from 'retrograd';
import { callbacks, layers, optimizers, sequential } from 'retrograd/keras';

const status = document.querySelector('#status') as HTMLElement;
const element = document.querySelector('#progress') as HTMLElement;

/** Points in two rings, and the ring of each: put your data here. */
function rings(count: number): { x: number[][]; y: number[] } {
  const y = Array.from({ length: count }, (_, i) => i % 2);
  return { x: y.map((ring, i) => [Math.cos(i) * (1 + ring), Math.sin(i) * (1 + ring)]), y };
}

async function run(): Promise<void> {
  await init();
  const { x, y } = rings(512);
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
  await net.fit(x, y, { epochs: 20, callbacks: [callbacks.pageProgress({ element })] });
  const { accuracy } = await net.evaluate(x, y);
  status.textContent = `Trained: accuracy ${accuracy?.toFixed(2)}`;
}

run().catch((error: Error) => {
  status.textContent = error.message;
});
