/** @file Neural style transfer: an image gets the content features of one picture and the Gram matrices of another. */
import {
  add,
  compile,
  div,
  GradientTape,
  init,
  matMul,
  mean,
  mul,
  reshape,
  setRandomSeed,
  square,
  sub,
  type Tensor,
  tensor,
  variable,
} from 'retrograd';
import { applications, model, optimizers } from 'retrograd/keras';

const size = 32;

function picture(color: (row: number, column: number, channel: number) => number): Tensor {
  const values = Array.from({ length: size * size * 3 }, (_, at) => {
    const pixel = Math.floor(at / 3);
    return color(Math.floor(pixel / size), pixel % size, at % 3);
  });
  return tensor(values, { shape: [1, size, size, 3] });
}

/** Which features occur together, wherever they are: [1, height, width, channels] → [channels, channels]. */
function gramMatrix(features: Tensor): Tensor {
  const [, height, width, channels] = features.shape;
  const flat = reshape(features, { shape: [height * width, channels] });
  return div(matMul(flat, flat, { transposeA: true }), height * width);
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(12);
  // Random weights keep the example small; load those of ImageNet by loadWeights.
  const vgg = applications.vgg16({ includeTop: false, weights: null, inputShape: [size, size, 3] });
  const extractor = model({
    inputs: vgg.input,
    outputs: { style: vgg.getLayer('block1_conv1').output, content: vgg.getLayer('block1_conv2').output },
  });
  extractor.trainable = false;

  const content = picture((row, column) => Math.hypot(row - 16, column - 16) / 16 - 0.5);
  const style = picture((row, column, channel) => Math.sin(row + column + 2 * channel));
  const wantedContent = extractor.apply(content).content;
  const wantedGram = gramMatrix(extractor.apply(style).style);

  const image = variable(content);
  const optimizer = optimizers.adam({ learningRate: 0.1 });
  const step = compile(() => {
    const tape = new GradientTape();
    const features = extractor.apply(image);
    const contentLoss = mean(square(sub(features.content, wantedContent)));
    const styleLoss = mean(square(sub(gramMatrix(features.style), wantedGram)));
    const loss = add(mul(0.01, contentLoss), styleLoss);
    optimizer.apply([tape.gradient(loss, image)], [image]);
    return loss;
  });
  const first = await step().item();
  for (let i = 0; i < 8; i++) step().dispose();
  const last = await step().item();
  print(`loss ${first.toFixed(4)} → ${last.toFixed(4)}`);
  return { first, last };
}
