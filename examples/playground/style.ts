// Style transfer: a picture with the content of one and the style of another.
// Content is what a layer of VGG19 sees; style is which of its features occur
// together (Gram matrices). Gatys, Ecker and Bethge, CVPR 2016. Drop a file of
// trained weights for the best results; random weights do it, too.
import {
  add,
  compile,
  div,
  fromImage,
  GradientTape,
  init,
  matMul,
  mean,
  mul,
  reshape,
  resizeBilinear,
  squaredDifference,
  type Tensor,
  tensor,
  toPixels,
  variable,
} from 'retrograd';
import {
  applications,
  initializers,
  input,
  layers,
  type Model,
  model,
  optimizers,
} from 'retrograd/keras';
import { curves, onEnd, picker, pictures, sliders, status } from 'playground';

const { adapter } = await init();
const size = adapter.kind === 'software' ? 48 : 192;

const settings = sliders(
  {
    style: { label: 'style', value: 1, min: 0, max: 4, step: 0.1 },
    steps: {
      label: 'steps',
      value: adapter.kind === 'software' ? 60 : 300,
      min: 1,
      max: 2000,
      step: 1,
    },
  },
  () => paint(),
);
const image = { accept: 'image/*', hint: 'or drop one here' };
const content = picker({ label: 'Your picture', camera: true, ...image }, () => paint());
const style = picker({ label: 'Its style', ...image }, () => paint());
const weights = picker(
  {
    label: 'Weights',
    accept: '.h5,.keras,.safetensors',
    hint: 'VGG19 of Keras, without its top. Default: random',
  },
  () => paint(),
);
const said = status('');
const shown = pictures([]);
const plot = curves([]);

type Colour = (x: number, y: number, channel: number) => number;
const hills: Colour = (x, y, channel) => {
  const ridge = 0.6 + 0.1 * Math.sin(6 * x) + 0.05 * Math.sin(17 * x);
  const sun = Math.hypot(x - 0.7, y - 0.25) < 0.12;
  if (y > ridge) return [0.15, 0.35, 0.2][channel] ?? 0;
  return sun ? ([1, 0.8, 0.3][channel] ?? 0) : 0.45 + 0.15 * channel - 0.2 * y;
};
const weave: Colour = (x, y, channel) =>
  0.5 + 0.4 * Math.sin(24 * (x - y) + 5 * Math.sin(9 * (x + y)) + 0.7 * channel);

/** A picture [1, size, size, 3], from 0 to 1. */
async function pictureOf(file: File | null, drawn: Colour): Promise<Tensor> {
  if (file) {
    const whole = fromImage(await createImageBitmap(file));
    const [height = 1, width = 1] = whole.shape;
    return div(
      resizeBilinear(reshape(whole, { shape: [1, height, width, 3] }), {
        size: [size, size],
      }),
      255,
    );
  }
  const values = Array.from({ length: size * size * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return drawn((pixel % size) / size, Math.floor(pixel / size) / size, i % 3);
  });
  return tensor(values, { shape: [1, size, size, 3] });
}

/** The outputs of some layers of VGG19: the first two for style, the last for content, too. */
async function featureModel(): Promise<Model<Tensor, readonly Tensor[]>> {
  const wanted = ['block1_conv1', 'block2_conv1', 'block3_conv1'];
  if (!weights.file) return randomFeatures();
  const vgg = applications.vgg19({
    includeTop: false,
    weights: null,
    inputShape: [size, size, 3],
  });
  const features = model({
    inputs: vgg.input,
    outputs: wanted.map((name) => vgg.getLayer(name).output),
  });
  // Of the file, these layers alone.
  await features.loadWeights(weights.file, { extra: 'ignore' });
  return features;
}

/** The same layers with random weights, which carry a style, too. */
function randomFeatures(): Model<Tensor, readonly Tensor[]> {
  const picture = input({ shape: [size, size, 3] });
  const conv = (filters: number, seed: number) =>
    layers.conv2d({
      filters,
      kernelSize: 3,
      padding: 'same',
      activation: 'relu',
      kernelInitializer: initializers.heNormal({ seed }),
    });
  const one = conv(32, 1).apply(picture);
  const two = conv(48, 2).apply(layers.maxPooling2d().apply(one));
  const three = conv(64, 3).apply(layers.maxPooling2d().apply(two));
  return model({ inputs: picture, outputs: [one, two, three] });
}

/** Which features occur together, wherever they are: [channels, channels]. */
function gram(features: Tensor): Tensor {
  const [, height = 1, width = 1, channels = 1] = features.shape;
  const flat = reshape(features, { shape: [height * width, channels] });
  return div(matMul(flat, flat, { transposeA: true }), height * width);
}

/** The mean squared difference, relative to the mean square of `wanted`. */
const distance = (x: Tensor, wanted: Tensor) =>
  div(mean(squaredDifference(x, wanted)), mean(mul(wanted, wanted)));

let paintings = 0;
onEnd(() => paintings++);

async function paint() {
  const mine = ++paintings;
  const features = await featureModel();
  features.trainable = false;
  const see = (picture: Tensor) =>
    features.apply(applications.vgg19.preprocessInput(mul(picture, 255)));
  const [own, other] = [await pictureOf(content.file, hills), await pictureOf(style.file, weave)];
  const wanted = see(own)[2] as Tensor;
  const grams = see(other).map(gram);

  const canvas = variable(own);
  const optimizer = optimizers.adam({ learningRate: 0.02 });
  const step = compile(() => {
    using tape = new GradientTape();
    const seen = see(canvas);
    let loss = distance(seen[2] as Tensor, wanted);
    seen.forEach((layer, i) => {
      loss = add(loss, mul(distance(gram(layer), grams[i] as Tensor), settings.style));
    });
    optimizer.apply([tape.gradient(loss, canvas)], [canvas]);
    return loss;
  });

  const pixelsOf = async (picture: Tensor) => {
    const { width, height, data } = await toPixels(reshape(picture, { shape: [size, size, 3] }), {
      range: [0, 1],
    });
    return { width, height, data: new Uint8ClampedArray(data) };
  };
  const [first, second] = [await pixelsOf(own), await pixelsOf(other)];
  const points: [number, number][] = [];
  for (let i = 1; i <= settings.steps && mine === paintings; i++) {
    const loss = step();
    if (i === 1 || i % 5 === 0 || i === settings.steps) {
      points.push([i, await loss.item()]);
      plot.update([{ name: 'style and content', points }]);
      shown.update([
        { title: 'Content', pixels: first },
        { title: 'Style', pixels: second },
        { title: 'Both', pixels: await pixelsOf(canvas) },
      ]);
      said.update(`Step ${i} of ${settings.steps}`);
    }
    loss.dispose();
  }
}

await paint();
