/** Trains in a worker: the page stays free. Tensors stay here; numbers and bytes are posted. */
import { init } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

export type Message = { epoch: number; loss: number } | { accuracy: number } | { error: string };

const post = (message: Message) => postMessage(message);

addEventListener('message', async ({ data: { x, y } }: MessageEvent<{ x: number[][]; y: number[] }>) => {
  try {
    await init();
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
    const report = {
      onEpochEnd: (epoch: number, logs: Record<string, number>) => post({ epoch, loss: logs.loss ?? 0 }),
    };
    await net.fit(x, y, { epochs: 20, callbacks: report });
    const { accuracy = 0 } = await net.evaluate(x, y);
    post({ accuracy });
  } catch (error) {
    post({ error: String(error) });
  }
});
