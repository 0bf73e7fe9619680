/** @file Reads captchas: convolutions, bidirectional LSTMs, and a layer that adds the CTC loss of labels without positions. */
import { init, type Tensor } from 'retrograd';
import { callbacks, input, Layer, layers, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const characters = ['2', '4', '7', 'b', 'n', 'x'];
const [width, height, length] = [16, 8, 2];

class CTCLayer extends Layer<[labels: Tensor, predictions: Tensor], Tensor> {
  override call([labels, predictions]: [labels: Tensor, predictions: Tensor]): Tensor {
    const [batch, steps, classes] = predictions.shape as [number, number, number];
    const stepLengths = ops.full([batch], steps, { dtype: 'int32' });
    const labelLengths = ops.full([batch], labels.shape[1] as number, { dtype: 'int32' });
    const logits = ops.log(ops.add(predictions, 1e-7));
    const targets = ops.cast(labels, 'int32');
    const maskIndex = classes - 1;
    this.addLoss(ops.mean(ops.ctcLoss(targets, logits, labelLengths, stepLengths, { maskIndex })));
    return predictions;
  }
}

function buildModel(vocabularySize: number) {
  const image = input({ shape: [width, height, 1], name: 'image' });
  const labels = input({ shape: [length], name: 'label' });
  const convolution = { activation: 'relu', kernelInitializer: 'heNormal', padding: 'same' } as const;
  let x = layers.conv2d(6, 3, convolution).apply(image);
  x = layers.maxPooling2d({ poolSize: [2, 2] }).apply(x);
  x = layers.conv2d(8, 3, convolution).apply(x);
  x = layers.maxPooling2d({ poolSize: [1, 2] }).apply(x);
  x = layers.reshape({ targetShape: [width / 2, (height / 4) * 8] }).apply(x);
  x = layers.dense(8, 'relu').apply(x);
  x = layers.bidirectional({ layer: layers.lstm({ units: 6, returnSequences: true }) }).apply(x);
  x = layers.bidirectional({ layer: layers.lstm({ units: 5, returnSequences: true }) }).apply(x);
  x = layers.dense(vocabularySize + 1, 'softmax', { name: 'characters' }).apply(x);
  const output = new CTCLayer({ name: 'ctc_loss' }).apply([labels, x]);
  return model({ inputs: { image, label: labels }, outputs: output });
}

export async function run(): Promise<Curves> {
  await init();
  const charToNum = layers.stringLookup({ vocabulary: characters, maskToken: null });
  const vocabulary = charToNum.getVocabulary();
  const numToChar = layers.stringLookup({ vocabulary, maskToken: null, invert: true });
  const indices = (await integers([8, length], 1, characters.length).array()) as number[][];
  const texts = indices.map((row) => row.map((index) => characters[index] as string));
  const labels = charToNum.apply(texts);
  // What is seen of a character: a column pattern of its own, under noise.
  const patterns = uniform([1 + characters.length, width / length, height], 2);
  const drawn = ops.reshape(ops.take(patterns, labels, { axis: 0 }), [8, width, height, 1]);
  const images = ops.add(drawn, ops.multiply(0.1, uniform([8, width, height, 1], 3)));
  const net = buildModel(vocabulary.length);
  setKernels(net);
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }) });
  const x = { image: images, label: ops.cast(labels, 'float32') };
  const { history } = await net.fit(x, {
    epochs: 3,
    batchSize: 4,
    shuffle: false,
    verbose: 0,
    validationData: [x, null],
    callbacks: [callbacks.earlyStopping({ monitor: 'val_loss', patience: 3, restoreBestWeights: true })],
  });

  const predictionModel = model({ inputs: net.input.image, outputs: net.getLayer('characters').output });
  const predictions = await predictionModel.predict(images);
  const steps = Array.from({ length: 8 }, () => width / 2);
  const [greedy, scores] = await ops.ctcDecode(ops.log(predictions), steps, { maskIndex: -1 });
  const rows = ((await greedy.array()) as number[][][])[0] as number[][];
  const read = rows.map((row) => [numToChar.apply(row.filter((index) => index >= 0))].flat().join(''));
  return {
    loss: history.loss ?? [],
    validation: history.val_loss ?? [],
    scores: [...(await scores.data())],
    read: [...read.join('|')].map((char) => char.charCodeAt(0)),
  };
}
