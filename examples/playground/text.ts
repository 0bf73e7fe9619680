// Words become numbers, numbers become vectors, and a dense layer decides.
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';
import { bars, textField } from 'playground';

await init();
setRandomSeed(4);
const good = [
  'a wonderful film with a great cast',
  'great fun and a wonderful story',
  'I loved the story and the music',
  'the cast is great and I loved it',
];
const bad = [
  'a boring film with a terrible cast',
  'terrible music and a boring story',
  'I hated the story and the music',
  'the film is boring and I hated it',
];
const reviews = [...good, ...bad];
const yours = textField({ label: 'Your review', value: 'a great story with terrible music' });

const words = layers.textVectorization({ maxTokens: 100, outputSequenceLength: 8 });
words.adapt(reviews);
const numbersOf = (texts: string[]) => words.apply(texts);

const net = sequential([
  layers.inputLayer({ shape: [8], dtype: 'int32' }),
  layers.embedding({ inputDim: 100, outputDim: 8, maskZero: true }),
  layers.globalAveragePooling1d(),
  layers.dense({ units: 1, activation: 'sigmoid' }),
]);
net.compile({ optimizer: optimizers.adam({ learningRate: 0.1 }), loss: 'binaryCrossentropy' });
const labels = reviews.map((review) => Number(good.includes(review)));
await net.fit(numbersOf(reviews), labels, { epochs: 15, batchSize: 4, verbose: 0 });

const tried = ['a great story', 'terrible and boring', yours.value];
const scores = await (await net.predict(numbersOf(tried))).data();
bars(
  tried.map((name, i) => ({ name, value: scores[i] ?? 0 })),
  'How good each review is',
);
