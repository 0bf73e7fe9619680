/**
 * @file A Sequential of two Dense layers, compiled, fitted and evaluated; then a look at the output of each layer, and at
 * which tensors know their origin. The question behind it: "'Tensor' object has no attribute '_keras_history'".
 */
import { explainHistory, init, setRandomSeed, type Tensor, tensor } from 'retrograd';
import { layers, model, sequential } from 'retrograd/keras';
import { blobs } from './data/blobs.ts';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const { x, y, labels } = blobs({ examples: 240, features: 16, classes: 10, seed: 3 });

  const net = sequential({
    name: 'classifier',
    layers: [
      layers.inputLayer({ shape: [16], name: 'features' }),
      layers.dense({ units: 64, activation: 'relu', name: 'hidden' }),
      layers.dense({ units: 10, activation: 'softmax', name: 'probabilities' }),
    ],
  });
  net.compile({ optimizer: 'adam', loss: 'categoricalCrossentropy', metrics: ['accuracy'] });
  const { history } = await net.fit(x, y, { epochs: 12, batchSize: 24, seed: 1, verbose: 0 });
  const { loss: losses = [] } = history;
  print(`loss ${losses[0]?.toFixed(3)} → ${losses.at(-1)?.toFixed(3)}`);
  const { loss, accuracy } = await net.evaluate(x, y, { verbose: 0 });
  print(`evaluated: loss ${loss?.toFixed(3)}, accuracy ${accuracy?.toFixed(3)}`);

  print('\nWhat the layers give for the first example:');
  const probe = model({ inputs: net.inputs, outputs: net.layers.map((layer) => layer.output) });
  const first = tensor(x.subarray(0, 16), { shape: [1, 16] });
  const outputs = probe.apply([first]) as Tensor[];
  for (const [i, output] of outputs.entries()) {
    const values = await output.data();
    const shown = Array.from(values.slice(0, 4), (v) => v.toFixed(3)).join(', ');
    print(`  ${net.layers[i]?.name}: ${output.shape.join(' × ')}, ${shown}, …`);
  }
  const probabilities = (await outputs.at(-1)?.data()) ?? new Float32Array();
  print(`  predicted class ${probabilities.indexOf(Math.max(...probabilities))}, labelled ${labels[0]}`);

  print('\nWhat was passed in has no history, and says why:');
  print(explainHistory(first).text);
  print('\nThe symbolic input of the model has one, since a layer made it:');
  print(explainHistory(net.inputs[0] as NonNullable<(typeof net.inputs)[0]>).text);
  print('\nSo has what the model gave for it, since a layer was called:');
  print(explainHistory(outputs.at(-1) as Tensor).text);
  print('\nThe metrics of the run are something else, with a similar name:');
  print(explainHistory(net.history as never).text);
}
