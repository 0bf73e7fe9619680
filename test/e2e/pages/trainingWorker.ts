/** @file The whole library in a dedicated worker: training that a page only hears of. For test/e2e/training-worker.test.ts. */
import { getDevice, init } from '../../../src/index.ts';
import { saveWeights } from '../../../src/io/index.ts';
import { callbacks } from '../../../src/keras/index.ts';
import { classifier, stripes } from './stripes.ts';

export type ToWorker = { type: 'train'; epochs: number } | { type: 'stop' };

export type FromWorker =
  | { type: 'epoch'; epoch: number; logs: Record<string, number> }
  | {
      type: 'trained';
      loss: number[];
      measured: Record<string, number>;
      probabilities: number[][];
      weights: Uint8Array<ArrayBuffer>;
    }
  | { type: 'stopped'; reason: string; epochs: number }
  | { type: 'failed'; message: string };

/** The library's types speak of a page's globals. */
const worker = globalThis as unknown as {
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};

let controller = new AbortController();

async function train(epochs: number): Promise<void> {
  await init();
  getDevice().gpu.onuncapturederror = ({ error }) =>
    worker.postMessage({ type: 'failed', message: `Uncaptured GPU error: ${error.message}` });
  const net = classifier();
  const { x, y } = stripes(96);
  const tell = {
    onEpochEnd: (epoch: number, logs: Record<string, number>) => {
      worker.postMessage({ type: 'epoch', epoch, logs: { ...logs } });
    },
  };
  const checkpoint = callbacks.modelCheckpoint({
    filepath: 'worker/last.safetensors',
    saveWeightsOnly: true,
    sink: callbacks.sinks.originFiles(),
  });
  controller = new AbortController();
  const { signal } = controller;
  const options = { epochs, batchSize: 16, validationSplit: 0.25, seed: 3, signal };
  try {
    const { history } = await net.fit(x, y, { ...options, callbacks: [checkpoint, tell] });
    const measured = await net.evaluate(x, y);
    const probabilities = (await (await net.predict(x.subarray(0, 2 * 144))).array()) as number[][];
    const weights = await saveWeights(net);
    const loss = history.loss as number[];
    worker.postMessage({ type: 'trained', loss, measured, probabilities, weights }, [weights.buffer]);
  } catch (error) {
    if (!signal.aborted) throw error;
    const epochsDone = net.history?.epoch.length ?? 0;
    worker.postMessage({ type: 'stopped', reason: String(error), epochs: epochsDone });
  } finally {
    net.dispose();
  }
}

worker.onmessage = ({ data }) => {
  if (data.type === 'stop') return controller.abort(new Error('the page has had enough'));
  train(data.epochs).catch((error: Error) => {
    worker.postMessage({ type: 'failed', message: error.stack ?? error.message });
  });
};
