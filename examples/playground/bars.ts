// Pictures of 8 × 8 go through four numbers, and come back.
import { init, setRandomSeed, type Tensor, tensor } from 'retrograd';
import { input, layers, model, optimizers } from 'retrograd/keras';
import { pictures, text } from 'playground';

await init();
setRandomSeed(5);
const size = 8;
// Bright bars, upright or lying, at any place.
const drawn = Array.from({ length: 2 * size }, (_, n) =>
  Array.from({ length: size * size }, (_, i) =>
    Number((n < size ? i % size : Math.floor(i / size)) === n % size),
  ),
);

const picture = input({ shape: [size * size] });
const hidden = layers.dense({ units: 32, activation: 'relu' }).apply(picture);
const code = layers.dense({ units: 4, name: 'code' }).apply(hidden);
const wide = layers.dense({ units: 32, activation: 'relu' }).apply(code);
const decoded = layers.dense({ units: size * size, activation: 'sigmoid' }).apply(wide);
const net = model({ inputs: picture, outputs: decoded });
net.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'binaryCrossentropy' });
const { history } = await net.fit(drawn, drawn, { epochs: 150, batchSize: 16, verbose: 0 });

async function sheet(title: string, values: Tensor) {
  const brightness = await values.data();
  const width = size * drawn.length;
  const data = new Uint8ClampedArray(4 * width * size);
  for (let i = 0; i < brightness.length; i++) {
    const [n, at] = [Math.floor(i / size ** 2), i % size ** 2];
    const pixel = Math.floor(at / size) * width + n * size + (at % size);
    data.set([255 * (brightness[i] ?? 0), 120, 140, 255], 4 * pixel);
  }
  return { title, pixels: { width, height: size, data } };
}
pictures([await sheet('Drawn', tensor(drawn)), await sheet('Decoded', await net.predict(drawn))]);
text(
  `Cross-entropy ${history.loss?.[0]?.toFixed(3)} → ${history.loss?.at(-1)?.toFixed(3)}`,
  'good',
);
