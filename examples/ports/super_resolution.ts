/** @file Super-resolution by sub-pixel convolution, with a loss on pixels and on features of a frozen network. */
import { init, type Tensor } from 'retrograd';
import { input, layers, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, setKernels, uniform } from './formula.ts';

const upscale = 2;

function upscaler() {
  const small = input({ shape: [null, null, 3] });
  let x = layers.conv2d(8, 5, { padding: 'same', activation: 'relu' }).apply(small);
  x = layers.conv2d(6, 3, { padding: 'same', activation: 'relu' }).apply(x);
  x = layers.conv2d(3 * upscale ** 2, 3, { padding: 'same' }).apply(x);
  const shuffled = layers.lambda({ function: (y: Tensor) => ops.depthToSpace(y, upscale) }).apply(x);
  const enlarged = layers.upSampling2d({ size: upscale, interpolation: 'bilinear' }).apply(small);
  return model({ inputs: small, outputs: layers.add().apply([shuffled, enlarged]) });
}

/** A network in the manner of VGG, whose second block gives the features. */
function features() {
  const image = input({ shape: [null, null, 3] });
  let x = layers.conv2d(6, 3, { padding: 'same', activation: 'relu' }).apply(image);
  x = layers.maxPooling2d({ poolSize: 2 }).apply(x);
  x = layers.conv2d(8, 3, { padding: 'same', activation: 'relu' }).apply(x);
  const network = model({ inputs: image, outputs: x });
  network.trainable = false;
  return network;
}

export async function run(): Promise<Curves> {
  await init();
  const large = uniform([4, 12, 12, 3], 1);
  const small = ops.averagePool(large, upscale, { strides: upscale });
  const network = upscaler();
  const vgg = features();
  setKernels(network, vgg);
  const perceptual = (yTrue: Tensor, yPred: Tensor) => {
    const pixels = ops.mean(ops.square(ops.subtract(yTrue, yPred)));
    const found = ops.subtract(vgg.apply(yTrue), vgg.apply(yPred));
    return ops.add(pixels, ops.multiply(0.1, ops.mean(ops.square(found))));
  };
  const psnr = (yTrue: Tensor, yPred: Tensor) => ops.psnr(yTrue, yPred, { maxVal: 1 });
  network.compile({ optimizer: optimizers.adam({ learningRate: 0.005 }), loss: perceptual, metrics: [psnr] });
  const { history } = await network.fit(small, large, {
    epochs: 4,
    batchSize: 2,
    shuffle: false,
    verbose: 0,
  });
  return { loss: history.loss ?? [], psnr: history.psnr ?? [] };
}
