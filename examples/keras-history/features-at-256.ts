/**
 * @file Features of VGG16's block3 and block4 for a picture of 256 × 256. The model for them computes nothing beyond
 * block4_conv1, although VGG16 continues.
 */
import { init, setRandomSeed, tensor } from 'retrograd';
import { applications, model } from 'retrograd/keras';

const size = 256;

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const vgg = applications.vgg16({ includeTop: false, weights: null, inputShape: [size, size, 3] });
  const extractor = model({
    inputs: vgg.input,
    outputs: {
      block3: vgg.getLayer('block3_conv1').output,
      block4: vgg.getLayer('block4_conv1').output,
    },
  });
  print(`${extractor.layers.length} of ${vgg.layers.length} layers`);

  const values = Array.from({ length: size * size * 3 }, (_, i) => Math.sin(i / 50));
  const { block3, block4 } = extractor.apply(tensor(values, { shape: [1, size, size, 3] }));
  for (const features of [block3, block4]) {
    const [first] = await features.data();
    print(
      `${features.shape.join(' × ')}, made by ${features.kerasHistory?.operation.name}: ${first?.toFixed(3)}, …`,
    );
  }
}
