/** @file Dates in many formats become ISO dates: TF.js's attention over an LSTM, with scores that show what was attended to. */
import { init, type Tensor, tensor } from 'retrograd';
import { input, Layer, layers, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, integers, setKernels } from './formula.ts';

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const inputVocabulary = `\n0123456789/-., ${[...new Set(months.join(''))].sort().join('')}`;
const outputVocabulary = '\n\t0123456789-';
const [inputLength, outputLength, embeddingSize, units, count] = [12, 10, 8, 8, 12];

type DateNumbers = [year: number, month: number, day: number];
const twoDigits = (n: number) => String(n).padStart(2, '0');
const monthOf = (month: number) => months[month - 1] as string;
const formats: readonly ((...date: DateNumbers) => string)[] = [
  (y, m, d) => `${twoDigits(d)}${monthOf(m)}${y}`,
  (y, m, d) => `${twoDigits(m)}/${twoDigits(d)}/${y}`,
  (y, m, d) => `${m}/${d}/${twoDigits(y % 100)}`,
  (y, m, d) => `${monthOf(m)} ${twoDigits(d)}, ${y}`,
  (y, m, d) => `${y}.${twoDigits(m)}.${twoDigits(d)}`,
];

class LastTimestep extends Layer {
  static override readonly className: string = 'LastTimestep';

  override call(x: Tensor): Tensor {
    return ops.take(x, -1, { axis: 1 });
  }
}

function createModel() {
  const encoderInput = input({ shape: [inputLength] });
  const decoderInput = input({ shape: [outputLength] });
  const inputDim = inputVocabulary.length;
  let encoder = layers.embedding({ inputDim, outputDim: embeddingSize, maskZero: true }).apply(encoderInput);
  encoder = layers.lstm({ units, returnSequences: true }).apply(encoder);
  const encoderLast = new LastTimestep({ name: 'encoderLast' }).apply(encoder);
  let decoder = layers
    .embedding({ inputDim: outputVocabulary.length, outputDim: embeddingSize, maskZero: true })
    .apply(decoderInput);
  decoder = layers
    .lstm({ units, returnSequences: true })
    .apply(decoder, { initialState: [encoderLast, encoderLast] });
  let attention = layers.dot({ axes: [2, 2], name: 'attention' }).apply([decoder, encoder]);
  attention = layers.activation({ activation: 'softmax' }).apply(attention);
  const context = layers.dot({ axes: [2, 1], name: 'context' }).apply([attention, encoder]);
  const combined = layers.concatenate().apply([context, decoder]);
  let output = layers.timeDistributed({ layer: layers.dense({ units, activation: 'tanh' }) }).apply(combined);
  output = layers
    .timeDistributed({ layer: layers.dense({ units: outputVocabulary.length, activation: 'softmax' }) })
    .apply(output);
  return model({ inputs: [encoderInput, decoderInput], outputs: output });
}

function indices(texts: readonly string[], vocabulary: string, length: number): Tensor {
  return tensor(
    texts.map((text) => [...text.padEnd(length, '\n')].map((char) => vocabulary.indexOf(char))),
    { dtype: 'float32' },
  );
}

export async function run(): Promise<Curves> {
  await init();
  const numbers = (await integers([count, 3], 1, 10 ** 6).array()) as [number, number, number][];
  const dates = numbers.map(([a, b, c]): DateNumbers => [1950 + (a % 100), 1 + (b % 12), 1 + (c % 28)]);
  const written = dates.map((date, i) => formats[i % 5]?.(...date) as string);
  const encoderX = indices(written, inputVocabulary, inputLength);
  const targets = dates.map(([year, month, day]) => `${year}-${twoDigits(month)}-${twoDigits(day)}`);
  const starts = targets.map((target) => `\t${target.slice(0, -1)}`);
  const decoderX = indices(starts, outputVocabulary, outputLength);
  const y = ops.oneHot(
    ops.cast(indices(targets, outputVocabulary, outputLength), 'int32'),
    outputVocabulary.length,
  );
  const net = createModel();
  setKernels(net);
  net.compile({ loss: 'categoricalCrossentropy', optimizer: optimizers.adam({ learningRate: 0.02 }) });
  const { history } = await net.fit([encoderX, decoderX], y, {
    epochs: 4,
    batchSize: 6,
    shuffle: false,
    verbose: 0,
  });

  const attentionModel = model({
    inputs: net.input,
    outputs: [net.output, net.getLayer('attention').output],
  });
  const first = ops.slice(encoderX, { begin: [0], size: [1] });
  const decoded = Array.from({ length: outputLength }, (_, i) =>
    i === 0 ? outputVocabulary.indexOf('\t') : 0,
  );
  let predictions = first;
  let scores = first;
  for (let i = 1; i < outputLength; i++) {
    [predictions, scores] = (await attentionModel.predict([first, tensor([decoded])])) as [Tensor, Tensor];
    const likeliest = await ops.argMax(predictions, { axis: 2 }).data();
    decoded[i] = likeliest[i - 1] as number;
  }
  const attended = ops.mean(ops.square(ops.softmax(scores)), { axis: [0, 2] });
  return {
    loss: history.loss ?? [],
    decoded,
    probabilities: [...(await ops.max(predictions, { axis: 2 }).data())],
    attention: [...(await attended.data())],
  };
}
