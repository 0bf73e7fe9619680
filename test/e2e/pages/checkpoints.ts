/** @file Callbacks that keep files in a real page, for test/e2e/checkpoints.test.ts. */
import { init, type Tensor } from '../../../src/index.ts';
import { loadCheckpoint } from '../../../src/io/index.ts';
import { callbacks } from '../../../src/keras/index.ts';
import { classifier, stripes } from './stripes.ts';

const { sinks } = callbacks;
const { x, y } = stripes(64);
const settings = { batchSize: 16, validationSplit: 0.25, seed: 9 } as const;

const valuesOf = (net: { weights: readonly Tensor[] }) =>
  Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));

/** A whole curve; then the first epochs of it again, with a checkpoint after each in the origin's files. */
export async function trainWithCheckpoints(epochs: number, kept: number) {
  await init();
  const whole = await classifier().fit(x, y, { ...settings, epochs });
  const net = classifier();
  const sink = sinks.originFiles('models/stripes');
  const checkpoint = callbacks.modelCheckpoint({ filepath: 'run/{epoch:02d}.safetensors', sink });
  const log = callbacks.csvLogger({ filename: 'run/log.csv', sink });
  await net.fit(x, y, { ...settings, epochs: kept, callbacks: [checkpoint, log] });
  return { history: whole.history, lastSaved: checkpoint.lastSaved, weights: await valuesOf(net) };
}

/** On another page of the site: the training goes on from the last checkpoint. */
export async function resumeFrom(name: string, epochs: number) {
  await init();
  const sink = sinks.originFiles('models/stripes');
  const file = await sink.load?.(name);
  if (!file) throw new Error(`${name} is not there`);
  const net = classifier();
  const { training } = loadCheckpoint(net, file, { file: name });
  const weights = await valuesOf(net);
  const { history, epoch } = await net.fit(x, y, { ...settings, epochs, initialEpoch: training.epoch });
  const log = new TextDecoder().decode((await sink.load?.('run/log.csv')) ?? undefined);
  await sink.remove?.(name);
  await sink.remove?.(name);
  return { training, weights, history, epoch, log, removed: (await sink.load?.(name)) ?? null };
}

/** An interrupted training, taken up by `backupAndRestore` alone; files where the environment keeps files. */
export async function interruptAndRestore(epochs: number, at: number) {
  await init();
  const backup = () => callbacks.backupAndRestore({ backupDir: 'stripes-backup' });
  const controller = new AbortController();
  const cut = {
    onEpochBegin: (epoch: number) => {
      if (epoch === at) controller.abort();
    },
  };
  const { signal } = controller;
  const cutOff = classifier().fit(x, y, { ...settings, epochs, signal, callbacks: [backup(), cut] });
  const error = await cutOff.catch((reason: unknown) => reason);
  const rest = await classifier().fit(x, y, { ...settings, epochs, callbacks: [backup()] });
  return { name: (error as Error).name, epoch: rest.epoch, history: rest.history };
}

/** A training whose best weights, and log, the user gets as downloads. */
export async function trainIntoDownloads() {
  await init();
  const net = classifier();
  const sink = sinks.downloads();
  const best = callbacks.modelCheckpoint({
    filepath: 'best/stripes.safetensors',
    monitor: 'loss',
    saveBestOnly: true,
    saveWeightsOnly: true,
    sink,
  });
  await net.fit(x, y, { ...settings, epochs: 1, callbacks: [best] });
  await sink.save('history.json', new TextEncoder().encode(JSON.stringify(net.history)));
  return valuesOf(net);
}
