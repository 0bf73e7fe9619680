/** @file Text classification: words become numbers, embeddings are averaged, and a dense layer decides. */
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

const reviews: [text: string, isPositive: number][] = [
  ['a wonderful film with a great cast', 1],
  ['great fun and a wonderful story', 1],
  ['I loved the story and the music', 1],
  ['the cast is great and I loved it', 1],
  ['a boring film with a terrible cast', 0],
  ['terrible music and a boring story', 0],
  ['I hated the story and the music', 0],
  ['the film is boring and I hated it', 0],
];
const length = 8;

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(4);
  const words = [...new Set(reviews.flatMap(([text]) => text.split(' ')))];
  /** Word numbers, padded with 0; 1 is any unknown word. */
  const encode = (text: string) => {
    const ids = text.split(' ').map((word) => words.indexOf(word) + 2);
    return Array.from({ length }, (_, i) => Math.max(ids[i] ?? 0, 0));
  };

  const net = sequential([
    layers.inputLayer({ shape: [length], dtype: 'int32' }),
    layers.embedding({ inputDim: words.length + 2, outputDim: 8, maskZero: true }),
    layers.globalAveragePooling1d(),
    layers.dense({ units: 1, activation: 'sigmoid' }),
  ]);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.1 }),
    loss: 'binaryCrossentropy',
    metrics: ['accuracy'],
  });
  const texts = reviews.map(([text]) => encode(text));
  const labels = reviews.map(([, isPositive]) => isPositive);
  const { history } = await net.fit(texts, labels, { epochs: 15, batchSize: 4, verbose: 0 });

  const unseen = ['a great story', 'terrible and boring'];
  const scores = await (await net.predict(unseen.map(encode))).data();
  for (const [i, text] of unseen.entries()) print(`'${text}': ${scores[i].toFixed(2)}`);
  return { accuracy: history.accuracy.at(-1), good: scores[0], bad: scores[1] };
}
