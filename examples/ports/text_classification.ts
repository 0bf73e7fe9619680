/** @file Text classification from raw strings: a vocabulary learned from reviews, a network over its indices, and both in one. */
import { init } from 'retrograd';
import { fromTensorSlices } from 'retrograd/data';
import { input, layers, model, optimizers } from 'retrograd/keras';
import { type Curves, setKernels } from './formula.ts';

const reviews: [text: string, isPositive: number][] = [
  ['A wonderful film,<br />with a great cast!', 1],
  ['Great fun... and a wonderful story', 1],
  ['I loved the story & the MUSIC', 1],
  ['The cast is great, and I loved it', 1],
  ['A boring film,<br />with a terrible cast', 0],
  ['Terrible music, and a boring story!', 0],
  ['I hated the story and the music', 0],
  ['The film is boring; I hated it', 0],
];
const [length, maxTokens] = [8, 20];
const punctuation = /[!-/:-@[-`{-~]/g;

function standardize(text: string): string {
  return text.toLowerCase().replaceAll('<br />', ' ').replaceAll(punctuation, '');
}

export async function run(): Promise<Curves> {
  await init();
  const [texts, labels] = [reviews.map(([text]) => text), reviews.map(([, label]) => label)];
  const vectorize = layers.textVectorization({
    standardize,
    maxTokens,
    outputMode: 'int',
    outputSequenceLength: length,
  });
  vectorize.adapt(texts);
  const raw = fromTensorSlices([texts, labels]).batch(4);
  const train = raw.map(([text, label]) => [vectorize.apply(text), label] as const).prefetch(2);

  const ids = input({ shape: [null], dtype: 'int32' });
  let x = layers.embedding({ inputDim: maxTokens, outputDim: 8 }).apply(ids);
  x = layers.conv1d(6, 3, { padding: 'valid', activation: 'relu', strides: 1 }).apply(x);
  x = layers.conv1d(6, 3, { padding: 'valid', activation: 'relu', strides: 2 }).apply(x);
  x = layers.globalMaxPooling1d().apply(x);
  x = layers.dense(6, 'relu').apply(x);
  const predictions = layers.dense(1, 'sigmoid', { name: 'predictions' }).apply(x);
  const net = model({ inputs: ids, outputs: predictions });
  setKernels(net);
  net.compile({
    loss: 'binaryCrossentropy',
    optimizer: optimizers.adam({ learningRate: 0.02 }),
    metrics: ['accuracy', 'AUC'],
  });
  const { history } = await net.fit(train, { validationData: train, epochs: 4, verbose: 0 });

  // Strings stay on the host, so the network for raw strings is the layer and the model in turn.
  const evaluated = await net.evaluate(train, { verbose: 0 });
  const scores = await net.predict(vectorize.apply(['A great story!', 'terrible & unknown']));
  const words = vectorize.getVocabulary().filter((word) => word !== '');
  return {
    vocabulary: words.map((word) => word.charCodeAt(0)),
    loss: history.loss ?? [],
    accuracy: history.accuracy ?? [],
    auc: history.AUC ?? [],
    validation: history.val_loss ?? [],
    evaluated: [evaluated.loss as number, evaluated.accuracy as number],
    scores: [...(await scores.data())],
  };
}
