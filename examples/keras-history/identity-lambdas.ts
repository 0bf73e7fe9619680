/**
 * @file Lambdas around the outputs of a model: they pass values, names and gradients on, and the model that ends in them
 * is the same function.
 */
import { GradientTape, init, setRandomSeed, sum, type Tensor, tensor } from 'retrograd';
import { input, layers, model } from 'retrograd/keras';

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const x = input({ shape: [2], name: 'x' });
  const hidden = layers.dense({ units: 3, activation: 'tanh', name: 'hidden' }).apply(x);
  const score = layers.dense({ units: 1, name: 'score' }).apply(hidden);
  const plain = model({ inputs: x, outputs: { hidden, score } });
  const wrapped = model({
    inputs: x,
    outputs: {
      hidden: layers.lambda((t: Tensor) => t, { name: 'hidden_out' }).apply(hidden),
      score: layers.lambda((t: Tensor) => t, { name: 'score_out' }).apply(score),
    },
  });

  print(`history of an output: ${wrapped.output.score.kerasHistory?.operation.name}`);
  const point = tensor([[0.5, -1]]);
  const gradients: string[] = [];
  for (const net of [plain, wrapped]) {
    const tape = new GradientTape();
    const loss = sum(net.apply(point).score);
    const all = tape.gradient(loss, net.trainableWeights);
    gradients.push(JSON.stringify(await Promise.all(all.map((gradient) => gradient?.array()))));
  }
  print(
    `weights: ${wrapped.weights.length}, the same as without: ${wrapped.weights.every((w, i) => w === plain.weights[i])}`,
  );
  print(`gradients equal to the last bit: ${gradients[0] === gradients[1]}`);
}
