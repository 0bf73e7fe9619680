/**
 * @file A layer of a model, called directly on a tensor: its result has its own history, and that of the model doesn't
 * change. And a loaded model: it has no history either, but `fit` returned one.
 */
import { explainHistory, init, setRandomSeed, tensor } from 'retrograd';
import { loadWeights, saveWeights } from 'retrograd/io';
import { layers, sequential } from 'retrograd/keras';

function classifier() {
  const net = sequential([
    layers.inputLayer({ shape: [3] }),
    layers.dense({ units: 4, activation: 'relu', name: 'hidden' }),
    layers.dense({ units: 2, activation: 'softmax', name: 'classes' }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
  return net;
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const net = classifier();
  const hidden = net.getLayer('hidden');
  const symbolic = hidden.output.kerasHistory;
  const x = tensor([[1, 2, 3]]);

  print('A layer of the model, called directly:');
  print(`  ${explainHistory(hidden.apply(x)).text}`);
  print(`  called again: ${explainHistory(hidden.apply(x)).why}`);
  print(`  the symbolic output is unchanged: ${hidden.output.kerasHistory === symbolic}`);
  print(`  symbolic calls of the layer: ${hidden.inboundNodes.length}`);

  const history = await net.fit(
    [
      [1, 2, 3],
      [3, 2, 1],
    ],
    [0, 1],
    { epochs: 2, verbose: 0 },
  );
  const file = await saveWeights(net);
  const metrics = JSON.stringify(history);

  print('\nA model that was loaded:');
  const loaded = classifier();
  loadWeights(loaded, file);
  print(explainHistory(loaded).text);
  print(`The History that fit returned is text of its own: ${metrics.slice(0, 19)}…`);
}
