// Transfer learning: the features stay as they are, and a new head learns.
import { init, setRandomSeed } from 'retrograd';
import { input, layers, model, optimizers } from 'retrograd/keras';
import { curves, table } from 'playground';

await init();
setRandomSeed(6);
const points = Array.from({ length: 96 }, (_, i) => [
  Math.cos(2.4 * i) * Math.sqrt(i / 96),
  Math.sin(2.4 * i) * Math.sqrt(i / 96),
]);
const rings = points.map(([a = 0, b = 0]) => Number(Math.hypot(a, b) > 0.6));
const outsides = rings.map((ring) => 1 - ring);

const point = input({ shape: [2] });
const features = layers.dense({ units: 32, activation: 'relu', name: 'features' });
const learned = features.apply(point);
const withHead = (name: string) =>
  model({
    inputs: point,
    outputs: layers.dense({ units: 1, activation: 'sigmoid', name }).apply(learned),
  });

async function train(name: string, labels: number[]) {
  const net = withHead(name);
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.03 }), loss: 'binaryCrossentropy' });
  const { history } = await net.fit(points, labels, {
    epochs: 30,
    batchSize: 32,
    seed: 1,
    verbose: 0,
  });
  const trained = net.trainableWeights.map((weight) => weight.name).join(', ');
  return {
    curve: { name, points: (history.loss ?? []).map((loss, i) => [i + 1, loss] as const) },
    trained,
  };
}

const first = await train('rings', rings);
features.trainable = false;
const second = await train('outsides', outsides);
curves([first.curve, second.curve], { axis: 'epoch' });
table([
  { task: 'rings', 'weights trained': first.trained },
  { task: 'outsides, features frozen', 'weights trained': second.trained },
]);
