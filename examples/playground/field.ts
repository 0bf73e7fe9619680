// A neural field: a network learns the colour of each place of a picture.
// Its inputs are sines of the place, so that it sees fine detail.
// Tancik et al., Fourier Features Let Networks Learn High Frequency
// Functions in Low Dimensional Domains, NeurIPS 2020.
import {
  compile,
  concat,
  cos,
  div,
  fromImage,
  GradientTape,
  init,
  matMul,
  randomNormal,
  reshape,
  resizeBilinear,
  sin,
  type Tensor,
  tensor,
  tidy,
  toPixels,
} from 'retrograd';
import { layers, losses, optimizers, sequential } from 'retrograd/keras';
import { curves, onEnd, picker, pictures, sliders, status } from 'playground';

const { adapter } = await init();
const size = adapter.kind === 'software' ? 48 : 160;

const settings = sliders(
  {
    detail: { label: 'detail', value: 6, min: 1, max: 20, step: 1 },
    steps: { label: 'steps', value: 600, min: 1, max: 3000, step: 1 },
  },
  () => train(),
);
const chosen = picker({ label: 'Your picture', accept: 'image/*', hint: 'or drop one here' }, () =>
  train(),
);
const said = status('');
const shown = pictures([]);
const plot = curves([]);

/** Rings and waves, from 0 to 1. */
function drawn(): Tensor {
  const colour = (row: number, column: number, channel: number) => {
    const [x, y] = [column / size - 0.5, row / size - 0.5];
    const ring = Math.sin(30 * Math.hypot(x, y) - 0.4 * channel);
    const wave = Math.sin(9 * x + 6 * Math.sin(6 * y) + 0.8 * channel);
    return 0.5 + 0.2 * ring + 0.25 * wave;
  };
  return tensor(
    Array.from({ length: size * size * 3 }, (_, i) => {
      const pixel = Math.floor(i / 3);
      return colour(Math.floor(pixel / size), pixel % size, i % 3);
    }),
    { shape: [size, size, 3] },
  );
}

async function target(): Promise<Tensor> {
  if (!chosen.file) return drawn();
  const image = fromImage(await createImageBitmap(chosen.file));
  const [height = 1, width = 1] = image.shape;
  const batch = reshape(image, { shape: [1, height, width, 3] });
  const small = resizeBilinear(batch, { size: [size, size] });
  return reshape(div(small, 255), { shape: [size, size, 3] });
}

/** The places of all pixels as sines and cosines: [size², 128]. */
function features(): Tensor {
  const at = (i: number) => (2 * i) / (size - 1) - 1;
  const places = tensor(
    Array.from({ length: size * size }, (_, i) => [at(i % size), at(Math.floor(i / size))]),
  );
  const frequencies = randomNormal([2, 64], {
    seed: 1,
    stddev: settings.detail,
  });
  const waves = matMul(places, frequencies);
  return concat([sin(waves), cos(waves)], { axis: -1 });
}

/** Counts the training runs: a new one ends the one before. */
let trainings = 0;
onEnd(() => trainings++);

async function train() {
  const mine = ++trainings;
  const picture = await target();
  const inputs = tidy(features);
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
    const seen = net.apply(inputs);
    const loss = error.call(colours, seen);
    optimizer.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
    return { loss, seen: reshape(seen, { shape: [size, size, 3] }) };
  });

  const original = await toPixels(picture, { range: [0, 1] });
  const points: [number, number][] = [];
  for (let i = 1; i <= settings.steps && mine === trainings; i++) {
    const { loss, seen } = step();
    if (i === 1 || i % 10 === 0 || i === settings.steps) {
      points.push([i, await loss.item()]);
      const pixels = await toPixels(seen, { range: [0, 1] });
      shown.update([
        { title: 'The picture', pixels: pixelsOf(original) },
        { title: 'What the network knows', pixels: pixelsOf(pixels) },
      ]);
      plot.update([{ name: 'squared error', points }]);
      const weights = net.countParams().toLocaleString('en');
      said.update(
        `Step ${i} of ${settings.steps}: ${weights} weights for ${size} × ${size} pixels`,
      );
    }
    loss.dispose();
    seen.dispose();
  }
}

const pixelsOf = ({ width, height, data }: Awaited<ReturnType<typeof toPixels>>) => ({
  width,
  height,
  data: new Uint8ClampedArray(data),
});

await train();
