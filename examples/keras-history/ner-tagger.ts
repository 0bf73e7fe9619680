/**
 * @file Names in sentences: an embedding, a bidirectional LSTM (and a convolution in its place), a softmax for each word.
 * Fitted with validation; the model and the history of its metrics are saved separately, and loaded again.
 */
import { explainHistory, init, tensor, setRandomSeed } from 'retrograd';
import { loadWeights, saveWeights } from 'retrograd/io';
import { History, input, layers, model, modelFromJSON, modelToJSON, optimizers } from 'retrograd/keras';
import { sentences, tags, vocabulary } from './data/sentences.ts';

const length = 8;

function tagger(kind: 'lstm' | 'convolution') {
  const words = input({ shape: [length], dtype: 'int32', name: 'words' });
  let h = layers.embedding({ inputDim: vocabulary.length, outputDim: 16, name: 'embedding' }).apply(words);
  h =
    kind === 'lstm'
      ? layers
          .bidirectional({ layer: layers.lstm({ units: 12, returnSequences: true }), name: 'context' })
          .apply(h)
      : layers
          .conv1d({ filters: 24, kernelSize: 3, padding: 'same', activation: 'relu', name: 'context' })
          .apply(h);
  const tagged = layers.timeDistributed({
    layer: layers.dense({ units: tags.length, activation: 'softmax', name: 'tag' }),
    name: 'tags',
  });
  return model({ inputs: words, outputs: tagged.apply(h), name: `${kind}_tagger` });
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const { x, y } = sentences(160, length, 2);

  for (const kind of ['convolution', 'lstm'] as const) {
    const net = tagger(kind);
    net.compile({
      optimizer: optimizers.adam({ learningRate: 0.01 }),
      loss: 'sparseCategoricalCrossentropy',
      metrics: ['accuracy'],
    });
    const history = await net.fit(x, y, {
      epochs: 12,
      batchSize: 16,
      validationSplit: 0.2,
      seed: 1,
      verbose: 0,
    });
    const { val_loss: losses = [], val_accuracy: accuracies = [] } = history.history;
    print(
      `${net.name}: validation loss ${losses[0]?.toFixed(3)} → ${losses.at(-1)?.toFixed(3)}, accuracy ${accuracies.at(-1)?.toFixed(3)}`,
    );
    if (kind === 'convolution') continue;

    // Three things are saved separately: the definition of the model, its weights, and the history of its training.
    const saved = {
      config: modelToJSON(net),
      weights: await saveWeights(net),
      history: JSON.stringify(history),
    };
    const loaded = modelFromJSON(saved.config);
    await loadWeights(loaded, saved.weights);
    const pairs = net.weights.map(async (weight, i) => {
      const [a, b] = [await weight.data(), await loaded.weights[i]?.data()];
      return a.every((value, k) => Object.is(value, b?.[k]));
    });
    print(
      `\nloaded again: ${loaded.weights.length} weights, equal: ${(await Promise.all(pairs)).every(Boolean)}`,
    );
    print(explainHistory(loaded.weights[0] as (typeof loaded.weights)[0]).text);
    const read = History.fromJSON(saved.history);
    print(
      `\nThe history was saved next to it: ${read.epoch.length} epochs, of ${Object.keys(read.history).join(', ')}`,
    );

    const sentence = tensor([x[0] as number[]], { dtype: 'int32' });
    const probabilities = await net.predict(sentence);
    const values = await probabilities.data();
    print('\nA sentence, as the model reads it:');
    const tagged = x[0]?.map((word, t) => {
      const row = Array.from(values.slice(t * tags.length, (t + 1) * tags.length));
      return `${vocabulary[word]}/${tags[row.indexOf(Math.max(...row))]}`;
    });
    print(`  ${tagged?.join(' ')}`);
  }

  print('\nWhat goes wrong: a word that the vocabulary doesn’t have.');
  try {
    await tagger('convolution')
      .apply(tensor([new Array(length).fill(vocabulary.length)], { dtype: 'int32' }))
      .data();
  } catch (error) {
    print(`  ${(error as Error).message.replaceAll('\n', '\n  ')}`);
  }
}
