/** @file A character-level sequence-to-sequence network, and two networks made of its loaded layers that translate step by step. */
import { init, type Tensor, tensor } from 'retrograd';
import { input, type KerasTensor, type Layer, layers, model, ops, optimizers } from 'retrograd/keras';
import { BytesTarget, loadModel } from 'retrograd/io';
import { type Curves, setKernels } from './formula.ts';

const pairs = [
  ['go', 'geh'],
  ['run', 'lauf'],
  ['stop', 'halt'],
  ['wait', 'warte'],
  ['help', 'hilfe'],
  ['hello', 'hallo'],
] as const;
const latent = 12;
const sources = pairs.map(([source]) => source);
const targets = pairs.map(([, target]) => `\t${target}\n`);
const charsOf = (texts: readonly string[]) => [...new Set(` ${texts.join('')}`)].sort();
const lengthOf = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
const [sourceChars, targetChars] = [charsOf(sources), charsOf(targets)];
const targetLength = lengthOf(targets);

function oneHot(texts: readonly string[], chars: readonly string[], length: number): Tensor {
  const ids = texts.map((text) => [...text.padEnd(length)].map((char) => chars.indexOf(char)));
  return ops.oneHot(tensor(ids, { dtype: 'int32' }), chars.length);
}

export async function run(): Promise<Curves> {
  await init();
  const encoderX = oneHot(sources, sourceChars, lengthOf(sources));
  const decoderX = oneHot(targets, targetChars, targetLength);
  const shifted = targets.map((target) => target.slice(1));
  const y = oneHot(shifted, targetChars, targetLength);

  const encoderInputs = input({ shape: [null, sourceChars.length] });
  const [, stateH, stateC] = layers.lstm({ units: latent, returnState: true }).apply(encoderInputs);
  const decoderInputs = input({ shape: [null, targetChars.length] });
  const decoderLSTM = layers.lstm({ units: latent, returnSequences: true, returnState: true });
  const [sequences] = decoderLSTM.apply(decoderInputs, { initialState: [stateH, stateC] });
  const outputs = layers.dense(targetChars.length, 'softmax').apply(sequences as KerasTensor);
  const net = model({ inputs: [encoderInputs, decoderInputs], outputs });
  setKernels(net);
  net.compile({
    optimizer: optimizers.rmsprop({ learningRate: 0.02 }),
    loss: 'categoricalCrossentropy',
    metrics: ['accuracy'],
  });
  const { history } = await net.fit([encoderX, decoderX], y, {
    batchSize: 3,
    epochs: 8,
    shuffle: false,
    verbose: 0,
  });
  const file = new BytesTarget();
  await net.save(file);

  const restored = await loadModel(file.bytes);
  const [encoderInput, decoderInput] = restored.input as [KerasTensor, KerasTensor];
  const [, , encoderLSTM, lstm, dense] = restored.layers as unknown as Layer<Tensor, Tensor[]>[];
  const [, ...encoderStates] = (encoderLSTM as Layer<Tensor, Tensor[]>).output;
  const encoder = model({ inputs: encoderInput, outputs: encoderStates });
  const stateInputs = [input({ shape: [latent] }), input({ shape: [latent] })];
  const [stepOutput, ...stepStates] = (lstm as Layer<Tensor, Tensor[]>).apply(decoderInput, {
    initialState: stateInputs,
  });
  const probabilities = (dense as unknown as Layer).apply(stepOutput as KerasTensor);
  const decoder = model({ inputs: [decoderInput, ...stateInputs], outputs: [probabilities, ...stepStates] });

  const decoded: number[] = [];
  const confidences: number[] = [];
  for (let i = 0; i < 3; i++) {
    let states = await encoder.predict(ops.slice(encoderX, { begin: [i], size: [1] }));
    let text = '\t';
    while (text.length <= targetLength && !text.endsWith('\n')) {
      const last = oneHot([text.slice(-1)], targetChars, 1);
      const [next, ...nextStates] = await decoder.predict([last, ...states]);
      const values = await (next as Tensor).data();
      confidences.push(Math.max(...values));
      text += targetChars[values.indexOf(confidences.at(-1) as number)];
      states = nextStates;
    }
    decoded.push(...[...text].map((char) => char.charCodeAt(0)));
  }
  return { loss: history.loss ?? [], accuracy: history.accuracy ?? [], decoded, confidences };
}
