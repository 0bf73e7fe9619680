/** @file A VQ-VAE, which quantizes the vectors of an encoder with a straight-through gradient, and a PixelCNN over its codes. */
import { init, type Shape, type Tensor, type Variable } from 'retrograd';
import { input, Layer, layers, losses, model, ops, optimizers } from 'retrograd/keras';
import { type Curves, setKernels, uniform } from './formula.ts';

const codes = 6;
const dim = 3;

class VectorQuantizer extends Layer {
  embeddings: Variable | null = null;

  override build(): void {
    this.embeddings = this.addWeight('embeddings_vqvae', {
      shape: [dim, codes],
      initializer: 'randomUniform',
    });
  }

  override call(x: Tensor): Tensor {
    const flat = ops.reshape(x, [-1, dim]);
    const indices = this.codesOf(flat);
    const table = ops.transpose(this.embeddings as Variable);
    const quantized = ops.reshape(ops.matMul(ops.oneHot(indices, codes), table), x.shape);
    const commitment = ops.mean(ops.square(ops.subtract(ops.stopGradient(quantized), x)));
    const codebook = ops.mean(ops.square(ops.subtract(quantized, ops.stopGradient(x))));
    this.addLoss(ops.add(ops.multiply(0.25, commitment), codebook));
    return ops.add(x, ops.stopGradient(ops.subtract(quantized, x)));
  }

  /** The nearest code of each vector. */
  codesOf(flat: Tensor): Tensor {
    const table = this.embeddings as Variable;
    const similarity = ops.matMul(flat, table);
    const squares = ops.add(
      ops.sum(ops.square(flat), { axis: 1, keepDims: true }),
      ops.sum(ops.square(table), { axis: 0 }),
    );
    return ops.argMin(ops.subtract(squares, ops.multiply(2, similarity)), { axis: 1 });
  }
}

/** A convolution whose kernel is masked: it sees pixels above and to the left; of kind B also the pixel itself. */
class PixelConvolution extends Layer {
  readonly conv = layers.conv2d(8, 3, { padding: 'same', activation: 'relu' });
  mask: Tensor | null = null;

  constructor(readonly kind: 'A' | 'B') {
    super();
  }

  override build(inputShape: Shape): void {
    this.conv.ensureBuilt(inputShape);
    const seen = Array.from({ length: 9 }, (_, i) => (i < 4 || (i === 4 && this.kind === 'B') ? 1 : 0));
    this.mask = ops.reshape(ops.convertToTensor(seen), [3, 3, 1, 1]);
  }

  override call(x: Tensor): Tensor {
    const kernel = this.conv.kernel as Variable;
    const masked = ops.multiply(kernel, this.mask as Tensor);
    const sums = ops.conv(x, masked, { padding: 'same' });
    return ops.relu(ops.add(sums, this.conv.bias as Variable));
  }
}

export async function run(): Promise<Curves> {
  await init();
  const images = uniform([8, 8, 8, 1], 1);
  const image = input({ shape: [8, 8, 1] });
  const encoder = model({
    inputs: image,
    outputs: layers
      .conv2d(dim, 1, { padding: 'same' })
      .apply(layers.conv2d(4, 3, { activation: 'relu', strides: 2, padding: 'same' }).apply(image)),
  });
  const latent = input({ shape: [4, 4, dim] });
  const decoder = model({
    inputs: latent,
    outputs: layers
      .conv2dTranspose(1, 3, { padding: 'same' })
      .apply(layers.conv2dTranspose(4, 3, { activation: 'relu', strides: 2, padding: 'same' }).apply(latent)),
  });
  const quantizer = new VectorQuantizer({ name: 'vector_quantizer' });
  const vqVae = model({ inputs: image, outputs: decoder.apply(quantizer.apply(encoder.apply(image))) });
  setKernels(encoder, quantizer, decoder);
  vqVae.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }), loss: 'mse' });
  const trained = await vqVae.fit(images, images, { epochs: 4, batchSize: 4, shuffle: false, verbose: 0 });

  const encoded = await encoder.predict(images);
  const indices = ops.reshape(quantizer.codesOf(ops.reshape(encoded, [-1, dim])), [8, 4, 4]);
  const pixel = input({ shape: [4, 4], dtype: 'int32' });
  const first = new PixelConvolution('A');
  const second = new PixelConvolution('B');
  const oneHot = layers.categoryEncoding({ numTokens: codes, outputMode: 'oneHot' });
  const top = layers.conv2d(codes, 1, { padding: 'valid' });
  const grid = layers.reshape({ targetShape: [4, 4, codes] }).apply(oneHot.apply(pixel));
  const pixelCNN = model({ inputs: pixel, outputs: top.apply(second.apply(first.apply(grid))) });
  setKernels(pixelCNN);
  pixelCNN.compile({
    optimizer: optimizers.adam({ learningRate: 0.01 }),
    loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
  });
  const sampler = await pixelCNN.fit(indices, indices, {
    epochs: 3,
    batchSize: 8,
    shuffle: false,
    verbose: 0,
  });
  return {
    vqVae: trained.history.loss ?? [],
    pixelCNN: sampler.history.loss ?? [],
    codes: [...(await indices.data())],
  };
}
