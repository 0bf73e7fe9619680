/**
 * @file Features of VGG19's block3 and block4 for a picture of 256 × 256: their shapes, and a gradient that reaches the
 * pixels. The model that takes them computes nothing beyond block4_conv1.
 */
import { add, GradientTape, init, mean, setRandomSeed, square, tensor } from 'retrograd';
import { applications, model } from 'retrograd/keras';

const size = 256;

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const vgg = applications.vgg19({ includeTop: false, weights: null, inputShape: [size, size, 3] });
  vgg.trainable = false;
  const names = ['block3_conv1', 'block4_conv1'];
  const extractor = model({
    inputs: vgg.input,
    outputs: { block3: vgg.getLayer('block3_conv1').output, block4: vgg.getLayer('block4_conv1').output },
  });
  print(`${extractor.layers.length} of ${vgg.layers.length} layers, up to ${names.at(-1)}`);

  const picture = tensor(
    Array.from({ length: size * size * 3 }, (_, i) => Math.sin(i / 50)),
    { shape: [1, size, size, 3] },
  );
  const tape = new GradientTape();
  tape.watch(picture);
  const { block3, block4 } = extractor.apply(picture);
  print(`block3_conv1: ${block3.shape.join(' × ')}, block4_conv1: ${block4.shape.join(' × ')}`);
  const loss = add(mean(square(block3)), mean(square(block4)));
  const gradient = tape.gradient(loss, picture, { unconnectedGradients: 'zero' });
  print(
    `loss ${(await loss.item()).toFixed(4)}, mean squared gradient ${await mean(square(gradient)).item()}`,
  );
}
