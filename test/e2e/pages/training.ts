/** @file Training on the main thread of a page, for test/e2e/training.test.ts. */
import {
  DeviceLostError,
  explainHistory,
  getDevice,
  IndexOutOfRangeError,
  init,
  type Tensor,
} from '../../../src/index.ts';
import { loadWeights, saveWeights } from '../../../src/io/index.ts';
import { callbacks, layers, sequential } from '../../../src/keras/index.ts';
import { MainThread, type Span } from './mainThread.ts';
import { classifier, stripes } from './stripes.ts';

export interface VisibleTraining {
  spans: Span[];
  loss: number[];
  /** What the page showed, each text once. */
  texts: string[];
}

/** Trains before the eyes of a user; a span for each epoch. */
export async function trainVisibly(epochs: number): Promise<VisibleTraining> {
  await init();
  const element = document.body.appendChild(document.createElement('div'));
  const texts: string[] = [];
  const progress = callbacks.pageProgress({ element, interval: 0 });
  new MutationObserver(() => texts.push(element.textContent as string)).observe(element, {
    subtree: true,
    childList: true,
    characterData: true,
  });
  const thread = new MainThread('before');
  const net = classifier();
  const { x, y } = stripes(160);
  const { history } = await net.fit(x, y, {
    epochs,
    batchSize: 16,
    validationSplit: 0.2,
    seed: 3,
    callbacks: [progress, { onEpochBegin: (epoch) => thread.mark(`epoch ${epoch}`) }],
  });
  const spans = await thread.end();
  return { spans, loss: history.loss as number[], texts: [...new Set(texts)] };
}

/** A user presses a button while the model trains. Steps that began afterwards, and what was left. */
export async function stopByButton() {
  await init();
  const net = classifier();
  const { x, y } = stripes(96);
  const controller = new AbortController();
  const button = document.body.appendChild(document.createElement('button'));
  button.addEventListener('click', () => controller.abort());
  let later = 0;
  const watch = {
    onTrainBatchBegin: (batch: number) => {
      if (controller.signal.aborted) later++;
      if (net.history?.epoch.length === 2 && batch === 3) setTimeout(() => button.click());
    },
  };
  const options = { epochs: 500, batchSize: 8, signal: controller.signal, callbacks: watch };
  const error = await net.fit(x, y, options).catch((reason: unknown) => reason);
  const { epoch } = await net.fit(x, y, { epochs: 1, batchSize: 8 });
  return { later, name: (error as Error).name, aborted: net.history?.epoch.length, again: epoch };
}

/** A token that the table has no row for, in batch 2 of epoch 3. */
export async function meetBadToken() {
  await init();
  const net = sequential([
    layers.inputLayer({ shape: [6], dtype: 'int32' }),
    layers.embedding({ inputDim: 20, outputDim: 4, name: 'words' }),
    layers.globalAveragePooling1d(),
    layers.dense({ units: 1 }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'mse' });
  let epoch = 0;
  function* batches() {
    epoch++;
    for (let batch = 1; batch <= 4; batch++) {
      const x = Array.from({ length: 8 }, (_, i) =>
        Array.from({ length: 6 }, (_, k) => (i * 7 + k * batch) % 20),
      );
      if (epoch === 3 && batch === 2) (x[5] as number[])[4] = 20;
      yield [x, Array.from({ length: 8 }, (_, i) => i / 8)];
    }
  }
  const error = await net.fit(batches, { epochs: 5 }).catch((reason: unknown) => reason);
  const done = net.history?.epoch.length;
  epoch = 10;
  const { history } = await net.fit(batches, { epochs: 2 });
  const { layer, position, index, limit, message } = error as IndexOutOfRangeError;
  return {
    isTyped: error instanceof IndexOutOfRangeError,
    fault: { layer, position, index, limit },
    message,
    done,
    losses: history.loss,
  };
}

/** The device goes while the model trains; training is set up again on another, from weights that were saved. */
export async function loseDevice() {
  await init();
  const { x, y } = stripes(96);
  const options = { batchSize: 16, seed: 5 } as const;
  const first = classifier();
  await first.fit(x, y, { ...options, epochs: 3 });
  const saved = await saveWeights(first);
  const before = await first.evaluate(x, y);
  const { gpu } = getDevice();
  const cut = {
    onTrainBatchEnd: (batch: number) => {
      if (first.history?.epoch.length === 1 && batch === 2) gpu.destroy();
    },
  };
  const error = await first
    .fit(x, y, { ...options, epochs: 100, callbacks: cut })
    .catch((reason: unknown) => reason);
  const isTyped = error instanceof DeviceLostError;
  const later = await first.evaluate(x, y).catch((reason: unknown) => reason);
  first.dispose();

  await init();
  const second = classifier();
  loadWeights(second, saved);
  const after = await second.evaluate(x, y);
  const { history } = await second.fit(x, y, { ...options, epochs: 3 });
  return {
    isTyped,
    message: (error as Error).message,
    staysTyped: later instanceof DeviceLostError,
    isNew: getDevice().gpu !== gpu,
    before: before.loss as number,
    after: after.loss as number,
    history: history.loss as number[],
    explanation: explainHistory(second.weights[0] as Tensor).text,
  };
}
