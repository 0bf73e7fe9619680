// A CNN learns digits, drawn by strokes with random bends, then reads what
// you draw. Nothing is downloaded: the examples are made here.
import { init, softmax, tensor, tidy } from 'retrograd';
import { callbacks, layers, losses, optimizers, sequential } from 'retrograd/keras';
import { bars, curves, drawing, pictures, sliders, status } from 'playground';

const { adapter } = await init();
const size = 28;

const settings = sliders({
  epochs: { label: 'epochs', value: 6, min: 1, max: 30, step: 1 },
  examples: {
    label: 'examples',
    value: adapter.kind === 'software' ? 600 : 6000,
    min: 60,
    max: 20000,
    step: 10,
  },
});

type Point = readonly [x: number, y: number];

/** Points of an ellipse from one angle to another; 1 is a full turn. */
const arc = (x: number, y: number, w: number, h: number, from: number, to: number): Point[] =>
  Array.from({ length: 24 }, (_, i) => {
    const angle = 2 * Math.PI * (from + ((to - from) * i) / 23);
    return [x + w * Math.cos(angle), y + h * Math.sin(angle)];
  });

/** A stroke through points: their x, y, x, y, … */
const through = (...at: number[]): Point[] =>
  Array.from({ length: at.length / 2 }, (_, i) => [at[2 * i] as number, at[2 * i + 1] as number]);

/** The strokes of each digit, in a square from 0 to 1. */
const strokes: readonly (readonly Point[])[][] = [
  [arc(0.5, 0.5, 0.2, 0.3, 0, 1)],
  [through(0.38, 0.3, 0.52, 0.2, 0.52, 0.8)],
  [[...arc(0.5, 0.36, 0.19, 0.17, 0.55, 1.1), ...through(0.31, 0.8, 0.71, 0.8)]],
  [arc(0.47, 0.35, 0.18, 0.15, 0.6, 1.25), arc(0.47, 0.65, 0.2, 0.16, 0.75, 1.4)],
  [through(0.58, 0.2, 0.3, 0.6, 0.72, 0.6), through(0.58, 0.2, 0.58, 0.82)],
  [through(0.68, 0.2, 0.37, 0.2, 0.35, 0.46), arc(0.48, 0.61, 0.2, 0.19, 0.66, 1.4)],
  [through(0.6, 0.2, 0.38, 0.45), arc(0.5, 0.63, 0.17, 0.17, 0, 1)],
  [through(0.3, 0.22, 0.7, 0.22, 0.45, 0.8)],
  [arc(0.5, 0.35, 0.15, 0.15, 0, 1), arc(0.5, 0.65, 0.18, 0.16, 0, 1)],
  [arc(0.5, 0.37, 0.17, 0.17, 0, 1), through(0.67, 0.37, 0.62, 0.8)],
];

/** Numbers from -1 to 1, the same in each run (mulberry32). */
let state = 7;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
}

/** A digit, turned, stretched, sheared and moved a little: brightness by rows. */
function drawDigit(digit: number): Float32Array<ArrayBuffer> {
  const [turn, shear] = [0.25 * random(), 0.2 * random()];
  const [wide, high] = [1 + 0.25 * random(), 1 + 0.2 * random()];
  const [right, down] = [0.1 * random(), 0.1 * random()];
  const pen = 1.3 + 0.5 * random();
  const place = ([x, y]: Point): Point => {
    const [u, v] = [(x - 0.5) * wide + shear * (y - 0.5), (y - 0.5) * high];
    const [s, c] = [Math.sin(turn), Math.cos(turn)];
    return [size * (0.5 + right + c * u - s * v), size * (0.5 + down + s * u + c * v)];
  };
  const pixels = new Float32Array(size * size);
  for (const stroke of strokes[digit] ?? []) {
    const points = stroke.map(place);
    for (let i = 1; i < points.length; i++)
      line(pixels, points[i - 1] as Point, points[i] as Point, pen);
  }
  return pixels;
}

/** A line with soft edges. */
function line(pixels: Float32Array, [x0, y0]: Point, [x1, y1]: Point, pen: number): void {
  const length2 = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
  for (
    let y = Math.max(0, Math.floor(Math.min(y0, y1) - 3));
    y < Math.min(size, Math.max(y0, y1) + 3);
    y++
  )
    for (
      let x = Math.max(0, Math.floor(Math.min(x0, x1) - 3));
      x < Math.min(size, Math.max(x0, x1) + 3);
      x++
    ) {
      const along = ((x + 0.5 - x0) * (x1 - x0) + (y + 0.5 - y0) * (y1 - y0)) / length2;
      const at = Math.min(1, Math.max(0, along));
      const distance = Math.hypot(x + 0.5 - x0 - at * (x1 - x0), y + 0.5 - y0 - at * (y1 - y0));
      const light = Math.min(1, Math.max(0, pen - distance));
      pixels[y * size + x] = Math.max(pixels[y * size + x] ?? 0, light);
    }
}

function examples(count: number) {
  const digits = Array.from({ length: count }, (_, i) => i % 10);
  const values = new Float32Array(count * size * size);
  digits.forEach((digit, i) => {
    values.set(drawDigit(digit), i * size * size);
  });
  return {
    x: tensor(values, { shape: [count, size, size, 1] }),
    y: tensor(digits, { dtype: 'int32' }),
  };
}

const net = sequential([
  layers.inputLayer({ shape: [size, size, 1] }),
  layers.conv2d({ filters: 12, kernelSize: 5, strides: 2, activation: 'relu' }),
  layers.conv2d({ filters: 24, kernelSize: 3, strides: 2, activation: 'relu' }),
  layers.flatten(),
  layers.dropout({ rate: 0.3 }),
  layers.dense({ units: 10 }),
]);

/** What you drew, moved to the middle: the examples are there, too. */
function centred(pixels: Float32Array): Float32Array<ArrayBuffer> {
  let [sum, sumX, sumY] = [1e-6, 0, 0];
  pixels.forEach((light, i) => {
    sum += light;
    sumX += light * (i % size);
    sumY += light * Math.floor(i / size);
  });
  const shift = (total: number) => Math.round(total / sum - (size - 1) / 2);
  const [dx, dy] = [shift(sumX), shift(sumY)];
  return Float32Array.from(pixels, (_, i) => {
    const [x, y] = [(i % size) + dx, Math.floor(i / size) + dy];
    return x < 0 || y < 0 || x >= size || y >= size ? 0 : (pixels[y * size + x] ?? 0);
  });
}

async function read(pixels: Float32Array) {
  const x = tensor(centred(pixels), { shape: [1, size, size, 1] });
  const answer = tidy(() => softmax(net.apply(x)));
  const shares = await answer.data();
  x.dispose();
  answer.dispose();
  certainty.update(Array.from(shares, (value, digit) => ({ name: String(digit), value })));
  const best = shares.indexOf(Math.max(...shares));
  const isEmpty = pixels.every((light) => light === 0);
  said.update(isEmpty ? `${progress}. Draw a digit.` : `${progress}. You drew a ${best}.`);
}

let progress = 'Untrained';
const said = status('Drawing examples …');
const sheet = drawing({ label: 'Draw a digit', size }, read);
const certainty = bars(
  Array.from({ length: 10 }, (_, digit) => ({
    name: String(digit),
    value: 0.1,
  })),
  'How sure the network is of each digit',
);
const points: [number, number][] = [];
const plot = curves([], { axis: 'epoch' });
const { x, y } = examples(settings.examples);
const some = (await x.data()).slice(0, 10 * size * size);
pictures(
  Array.from({ length: 10 }, (_, digit) => {
    const data = new Uint8ClampedArray(4 * size * size).fill(255);
    for (let i = 0; i < 4 * size * size; i++)
      if (i % 4 < 3) data[i] = 255 * (some[digit * size * size + Math.floor(i / 4)] ?? 0);
    return {
      title: String(digit),
      pixels: { width: size, height: size, data },
    };
  }),
);

net.compile({
  optimizer: optimizers.adam({ learningRate: 0.004 }),
  loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
  metrics: ['accuracy'],
});
await net.fit(x, y, {
  epochs: settings.epochs,
  batchSize: 60,
  verbose: 0,
  callbacks: [
    callbacks.lambdaCallback({
      onEpochEnd: async (epoch, logs) => {
        points.push([epoch + 1, Number(logs?.loss)]);
        plot.update([{ name: 'cross-entropy', points }]);
        progress = `Epoch ${epoch + 1}: ${Math.round(100 * Number(logs?.accuracy))} % right`;
        await read(sheet.pixels);
      },
    }),
  ],
});
await read(sheet.pixels);
