/** @file A page whose model trains in a worker, for test/e2e/training-worker.test.ts. */
import { init } from '../../../src/index.ts';
import { loadWeights, readSafetensors } from '../../../src/io/index.ts';
import { callbacks } from '../../../src/keras/index.ts';
import { MainThread, type Span } from './mainThread.ts';
import { classifier, stripes } from './stripes.ts';
import type { FromWorker, ToWorker } from './trainingWorker.ts';

type Trained = Extract<FromWorker, { type: 'trained' }>;

/** Trains in the worker at `url`; then stops another training there. */
export async function trainInWorker(url: string, epochs: number) {
  const worker = new Worker(url, { type: 'module' });
  const heard: Extract<FromWorker, { type: 'epoch' }>[] = [];
  const send = (message: ToWorker) => worker.postMessage(message);
  const answer = (onEpoch: (epoch: number) => void) =>
    new Promise<FromWorker>((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message || 'the worker could not be loaded'));
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type !== 'epoch') return resolve(data);
        heard.push(data);
        onEpoch(data.epoch);
      };
    });
  const thread = new MainThread('start');
  send({ type: 'train', epochs });
  const trained = await answer((epoch) => thread.mark(`after epoch ${epoch + 1}`));
  const spans: Span[] = await thread.end();
  if (trained.type !== 'trained') throw new Error(JSON.stringify(trained));

  send({ type: 'train', epochs: 1000 });
  const stopped = await answer((epoch) => {
    if (epoch === 1) send({ type: 'stop' });
  });
  worker.terminate();
  return {
    spans,
    heard: heard.slice(0, epochs),
    trained: summary(trained),
    stopped,
    here: await goOnHere(trained),
  };
}

function summary({ loss, measured, probabilities, weights }: Trained) {
  return { loss, measured, probabilities, tensors: [...readSafetensors(weights).tensors.keys()] };
}

/** The model on the page, with the weights that the worker sent. */
async function goOnHere({ weights }: Trained) {
  await init();
  const net = classifier();
  loadWeights(net, weights);
  const { x, y } = stripes(96);
  const probabilities = (await (await net.predict(x.subarray(0, 2 * 144))).array()) as number[][];
  const kept = await callbacks.sinks.originFiles().load?.('worker/last.safetensors');
  return { measured: await net.evaluate(x, y), probabilities, bytes: kept?.length };
}
