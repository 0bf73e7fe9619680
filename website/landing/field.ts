import {
  compile,
  concat,
  cos,
  GradientTape,
  matMul,
  randomNormal,
  reshape,
  sin,
  type Tensor,
} from 'retrograd';
import { layers, losses, optimizers, sequential } from 'retrograd/keras';

/** A network that learns the colour of each pixel: `step()` trains it once and returns its picture. */
export function neuralField(picture: Tensor, places: Tensor) {
  const [height, width] = picture.shape as [number, number, 3];
  const waves = matMul(places, randomNormal([2, 64], { seed: 1, stddev: 6 }));
  const features = concat([sin(waves), cos(waves)], { axis: -1 });
  const colours = reshape(picture, { shape: [-1, 3] });

  const net = sequential([
    layers.inputLayer({ shape: [128] }),
    layers.dense({ units: 64, activation: 'relu' }),
    layers.dense({ units: 64, activation: 'relu' }),
    layers.dense({ units: 3, activation: 'sigmoid' }),
  ]);
  const optimizer = optimizers.adam({ learningRate: 0.01 });
  const error = losses.meanSquaredError();

  const step = compile(() => {
    using tape = new GradientTape();
    const seen = net.apply(features);
    const loss = error.call(colours, seen);
    optimizer.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
    return { loss, picture: reshape(seen, { shape: [height, width, 3] }) };
  });
  return { step, weights: net.countParams() };
}
