/** @file The part in the page: a classifier is trained, saved as `.keras`, and trained further after it was in Keras. */
import { init, tensor } from 'retrograd';
import { BytesTarget, loadModel } from 'retrograd/io';
import { initializers, input, layers, optimizers, sequential } from 'retrograd/keras';

const samples = 512;
const features = 16;
/** Samples come in order, here and in Keras, so that curves can be compared. */
const order = { batchSize: 64, shuffle: false, verbose: 0 } as const;

/** Points on three rings, each a class, moved into more dimensions. The same numbers every time. */
function rings(): { x: number[][]; y: number[] } {
  const x: number[][] = [];
  const y: number[] = [];
  for (let i = 0; i < samples; i++) {
    // The golden angle and a low-discrepancy sequence spread points evenly.
    const [angle, shift] = [2.399963 * i, ((0.618034 * i) % 1) - 0.5];
    const radius = 1 + (i % 3) + 0.6 * shift;
    const [a, b] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    x.push(
      Array.from({ length: features }, (_, k) => Math.fround(a * Math.sin(k + 1) + b * Math.cos(2 * k))),
    );
    y.push(i % 3);
  }
  return { x, y };
}

function classifier() {
  const hidden = (units: number, seed: number) =>
    layers.dense({ units, activation: 'relu', kernelInitializer: initializers.heNormal({ seed }) });
  const net = sequential([
    input({ shape: [features] }),
    hidden(32, 1),
    hidden(32, 2),
    layers.dense({
      units: 3,
      activation: 'softmax',
      kernelInitializer: initializers.glorotUniform({ seed: 3 }),
    }),
  ]);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.01 }),
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
  });
  return net;
}

/** The losses of the epochs. */
export type Curve = readonly number[];

/** Trains for some epochs. Returns the curve, the model as a `.keras` file, and the data for Keras. */
export async function depart(epochs: number) {
  await init();
  const { x, y } = rings();
  const net = classifier();
  const { history } = await net.fit(tensor(x), tensor(y, { dtype: 'int32' }), { ...order, epochs });
  const file = new BytesTarget();
  await net.save(file);
  return {
    curve: history.loss as Curve,
    model: textOf(file.bytes),
    data: { x, y, batchSize: order.batchSize },
  };
}

/** Continues to train a model that comes back from Keras, with the optimizer's state as Keras left it. */
export async function arrive(model: string, epochs: number) {
  await init();
  const { x, y } = rings();
  const net = await loadModel(bytesOf(model), { file: 'from-keras.keras' });
  const { history } = await net.fit(tensor(x), tensor(y, { dtype: 'int32' }), { ...order, epochs });
  return { curve: history.loss as Curve, steps: net.optimizer?.iterations };
}

/** The same training without leaving the page. */
export async function stayHome(epochs: number) {
  await init();
  const { x, y } = rings();
  const { history } = await classifier().fit(tensor(x), tensor(y, { dtype: 'int32' }), { ...order, epochs });
  return { curve: history.loss as Curve };
}

/** Bytes are passed between page and command as text. */
function textOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
