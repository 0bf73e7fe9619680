/**
 * @file A perceptual loss that creates its VGG19 at every call. It runs, each time with other random weights, and a warning
 * reports the cost. Then the correct way: the network is created once, by a layer in its `build`.
 */
import { init, mean, setRandomSeed, square, sub, type Tensor, tensor } from 'retrograd';
import { applications, input, Layer, layers, model } from 'retrograd/keras';

const size = 32;

/** The first features of VGG19. */
function features() {
  const vgg = applications.vgg19({ includeTop: false, weights: null, inputShape: [size, size, 3] });
  vgg.trainable = false;
  return model({ inputs: vgg.input, outputs: vgg.getLayer('block1_conv2').output });
}

/** The distance of the features of two pictures, [batch, height, width, 3] each. A VGG19 is created once, in `build`. */
class PerceptualDistance extends Layer<[yTrue: Tensor, yPred: Tensor], Tensor> {
  static override readonly className = 'PerceptualDistance';
  network!: ReturnType<typeof features>;

  override build(): void {
    this.network = features();
  }

  override call([yTrue, yPred]: [yTrue: Tensor, yPred: Tensor]): Tensor {
    return mean(square(sub(this.network.apply(yTrue), this.network.apply(yPred))));
  }
}

function denoiser() {
  const noisy = input({ shape: [size, size, 3] });
  return model({
    inputs: noisy,
    outputs: layers.conv2d({ filters: 3, kernelSize: 3, padding: 'same' }).apply(noisy),
  });
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const values = Array.from({ length: 2 * size * size * 3 }, (_, i) => Math.sin(i / 7));
  const clean = tensor(values, { shape: [2, size, size, 3] });
  const noisy = tensor(
    values.map((value, i) => value + 0.3 * Math.sin(i * 1.3)),
    { shape: [2, size, size, 3] },
  );

  print('A VGG19 made at every call of the loss:');
  const warn = console.warn;
  console.warn = (text: string) => print(`  ${text}`);
  const careless = denoiser();
  careless.compile({
    optimizer: 'adam',
    loss: (yTrue, yPred) => {
      const network = features();
      return mean(square(sub(network.apply(yTrue), network.apply(yPred))));
    },
  });
  await careless.fit(noisy, clean, { epochs: 2, batchSize: 2, verbose: 0 });
  console.warn = warn;

  print('\nA VGG19 made once, in the build of a layer:');
  const distance = new PerceptualDistance({ trainable: false });
  const net = denoiser();
  net.compile({ optimizer: 'adam', loss: (yTrue, yPred) => distance.apply([yTrue, yPred]) });
  const { history } = await net.fit(noisy, clean, { epochs: 4, batchSize: 2, verbose: 0 });
  print(`  loss ${history.loss?.map((loss) => loss.toFixed(4)).join(' → ')}`);
  print(
    `  weights that it keeps: ${distance.weights.length}, of them trainable: ${distance.trainableWeights.length}`,
  );
}
