/** @file Models in the storage of a real page, for test/e2e/savedModels.test.ts. */
import { blobSource } from '../../../src/formats/byteSource.ts';
import { ReadMemory } from '../../../src/formats/readMemory.ts';
import { explainHistory, init, type Tensor, tensor } from '../../../src/index.ts';
import { FilesTarget, listFiles, loadModel, removeFile, type SaveProgress } from '../../../src/io/index.ts';
import { initializers, input, layers, sequential } from '../../../src/keras/index.ts';

const x = () => tensor([[1, 2, 3]]);

function network(seed: number) {
  const kernelInitializer = initializers.heNormal({ seed });
  const net = sequential([
    input({ shape: [3] }),
    layers.dense({ units: 4, activation: 'tanh', kernelInitializer, name: 'hidden' }),
    layers.dense({ units: 2, kernelInitializer, name: 'top' }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
  return net;
}

/** Saves a model under each address, and says what it predicts. */
export async function saveAs(addresses: readonly string[]) {
  await init();
  const net = network(1);
  await net.fit(x(), tensor([[0, 1]]), { epochs: 2, verbose: 0 });
  const progress: SaveProgress[] = [];
  for (const address of addresses) await net.save(address, { onProgress: (state) => progress.push(state) });
  return { predicted: await ((await net.predict(x())) as Tensor).array(), progress };
}

/** What a stored model predicts, the steps of its optimizer, and where its weights are from. */
export async function load(source: string) {
  await init();
  const net = await loadModel(source.startsWith('data:') ? await fetch(source) : source);
  return {
    predicted: await ((await net.predict(x())) as Tensor).array(),
    steps: net.optimizer?.iterations,
    origin: explainHistory(net.weights[0]).text,
  };
}

/** Another model, whose saving is aborted once a part is written. */
export async function interrupt(address: string) {
  await init();
  const controller = new AbortController();
  const saving = network(7).save(address, {
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  return saving.then(
    () => 'saved',
    (error: Error) => error.name,
  );
}

/** A layers model in IndexedDB, as this library stores it and as TF.js does; and one that isn't there. */
export async function layersModels() {
  await init();
  const net = network(3);
  await net.save('indexeddb://web/net', { format: 'tfjs' });
  await storeAsTfjs(net, 'their-net');
  const predicted: unknown[] = [await ((await net.predict(x())) as Tensor).array()];
  for (const address of ['indexeddb://web/net', 'indexeddb://web/net/model.json', 'indexeddb://their-net'])
    predicted.push((await load(address)).predicted);
  const missing = await loadModel('indexeddb://no-net').catch((error: Error) => error.message);
  for (const { url } of await listFiles('indexeddb://web')) await removeFile(url);
  return { predicted, missing };
}

/** The record that tf.LayersModel.save('indexeddb://…') makes (tfjs-core 4.22, io/indexed_db). */
async function storeAsTfjs(net: ReturnType<typeof network>, modelPath: string) {
  const target = new FilesTarget();
  await net.save(target);
  const file = (end: string) => target.files.find(({ name }) => name.endsWith(end)) as File;
  const { weightsManifest, ...rest } = JSON.parse(await file('.json').text());
  const modelArtifacts = {
    ...rest,
    weightSpecs: weightsManifest[0].weights,
    weightData: await file('.bin').arrayBuffer(),
  };
  const request = indexedDB.open('tensorflowjs', 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('models_store', { keyPath: 'modelPath' });
    request.result.createObjectStore('model_info_store', { keyPath: 'modelPath' });
  };
  await new Promise((resolve) => {
    request.onsuccess = resolve;
  });
  const transaction = request.result.transaction('models_store', 'readwrite');
  transaction.objectStore('models_store').put({ modelPath, modelArtifacts });
  await new Promise((resolve) => {
    transaction.oncomplete = resolve;
  });
  request.result.close();
}

export const stored = async (place: string) =>
  (await listFiles(place)).map(({ url, bytes }) => [url, bytes > 0]);

export const remove = removeFile;

/** Writes a file, and adds up its bytes with reads that share memory, while `collect` frees garbage. */
export async function sumOfFile(megabytes: number, collect: () => Promise<void>): Promise<number> {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle('bytes', { create: true });
  const stream = await handle.createWritable();
  const megabyte = new Uint8Array(1 << 20).fill(1);
  for (let i = 0; i < megabytes; i++) await stream.write(megabyte);
  await stream.close();
  const source = blobSource(await handle.getFile(), 'bytes');
  const memory = new ReadMemory();
  let isReading = true;
  const collecting = (async () => {
    while (isReading) await collect();
  })();
  let sum = 0;
  for (let at = 0; at < source.size; at += 1 << 20)
    for (const byte of await source.read(at, at + (1 << 20), memory)) sum += byte;
  isReading = false;
  await collecting;
  await root.removeEntry('bytes');
  return sum;
}
