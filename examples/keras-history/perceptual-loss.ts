/**
 * @file A small super-resolution network, trained on VGG19's features of its pictures. The features are computed in three
 * ways: directly in the loss, through a Lambda, and through a custom layer. All give the same gradient, to the last bit.
 */
import { GradientTape, init, mean, square, sub, setRandomSeed, type Tensor, tensor } from 'retrograd';
import { applications, input, Layer, layers, model, optimizers } from 'retrograd/keras';
import { numbers } from './data/numbers.ts';

const size = 16;

/** Smooth colour gradients as targets, and every second pixel of them as inputs. */
function pictures(count: number): { small: Tensor; large: Tensor } {
  const next = numbers(11);
  const side = 2 * size;
  const values = new Float32Array(count * side * side * 3);
  for (let i = 0, at = 0; i < count; i++) {
    const [a, b, c] = [next() + 0.2, next() + 0.2, 6 * next()] as [number, number, number];
    for (let pixel = 0; pixel < side * side; pixel++) {
      const [row, column] = [Math.floor(pixel / side), pixel % side];
      for (let channel = 0; channel < 3; channel++) {
        values[at++] = 0.5 + 0.5 * Math.sin((a * row + b * column) / 3 + c + channel);
      }
    }
  }
  const halved = values.filter((_, at) => {
    const pixel = Math.floor(at / 3) % (side * side);
    return Math.floor(pixel / side) % 2 === 0 && (pixel % side) % 2 === 0;
  });
  return {
    small: tensor(halved, { shape: [count, size, size, 3] }),
    large: tensor(values, { shape: [count, side, side, 3] }),
  };
}

/** ×2: the network adds details to a plain enlargement. */
function superResolution() {
  const small = input({ shape: [size, size, 3], name: 'small' });
  let h = layers.conv2d({ filters: 8, kernelSize: 3, padding: 'same', activation: 'relu' }).apply(small);
  h = layers.upSampling2d({ size: 2 }).apply(h);
  const detail = layers.conv2d({ filters: 3, kernelSize: 3, padding: 'same' }).apply(h);
  const enlarged = layers.upSampling2d({ size: 2, interpolation: 'bilinear' }).apply(small);
  return model({ inputs: small, outputs: layers.add().apply([detail, enlarged]), name: 'super_resolution' });
}

/** Features of a picture, from a pretrained network. */
function vggFeatures() {
  const vgg = applications.vgg19({ includeTop: false, weights: null, inputShape: [2 * size, 2 * size, 3] });
  vgg.trainable = false;
  const wanted = ['block1_conv2', 'block2_conv2'].map((name) => vgg.getLayer(name).output);
  return model({ inputs: vgg.inputs, outputs: wanted, name: 'features' });
}

type Features = ReturnType<typeof vggFeatures>;

/** The features as a layer: the network is a property, so it is found and frozen with the layer. */
class FeatureExtractionLayer extends Layer<Tensor, Tensor[]> {
  static override readonly className: string = 'FeatureExtractionLayer';

  constructor(readonly features: Features) {
    super({ trainable: false });
  }

  override call(picture: Tensor): Tensor[] {
    return this.features.apply([picture]);
  }
}

function distance(a: readonly Tensor[], b: readonly Tensor[]): Tensor {
  const parts = a.map((feature, i) => mean(square(sub(feature, b[i] as Tensor))));
  return parts.reduce((total, part) => sub(total, sub(0, part)));
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const { small, large } = pictures(4);
  const net = superResolution();
  const features = vggFeatures();
  const throughLambda = layers.lambda({
    function: (picture: Tensor) => features.apply([picture]),
  });
  const throughLayer = new FeatureExtractionLayer(features);
  const ways: Record<string, (picture: Tensor) => Tensor[]> = {
    directly: (picture) => features.apply([picture]),
    'through a Lambda': (picture) => throughLambda.apply(picture),
    'through a layer of our own': (picture) => throughLayer.apply(picture),
  };

  let reference: Float32Array[] | null = null;
  for (const [name, extract] of Object.entries(ways)) {
    using tape = new GradientTape();
    const loss = distance(extract(net.apply(small)), extract(large));
    const gradients = tape.gradient(loss, net.trainableWeights, { unconnectedGradients: 'zero' });
    const values = await Promise.all(gradients.map((gradient) => gradient.data()));
    reference ??= values;
    const same = values.every((v, i) => v.every((x, k) => Object.is(x, reference?.[i]?.[k])));
    print(`${name}: loss ${(await loss.item()).toFixed(6)}, gradients equal to the last bit: ${same}`);
  }

  const frozen = features.weights.length - features.trainableWeights.length;
  print(`\nVGG19 is frozen (${frozen} weights), and the gradient passes through it all the same.`);
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.01 }),
    loss: (yTrue: Tensor, yPred: Tensor) => distance(features.apply([yPred]), features.apply([yTrue])),
  });
  const { history } = await net.fit(small, large, { epochs: 6, batchSize: 4, verbose: 0 });
  print(`fitted with it: loss ${history.loss?.map((loss) => loss.toFixed(5)).join(' → ')}`);
}
