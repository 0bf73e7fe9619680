import {
  avgPool,
  clip,
  concat,
  slice,
  tensor,
  tidy,
  variable,
} from 'retrograd';
import { input, layers, model } from 'retrograd/keras';
import * as page from 'notebook';
import { modest } from './adapter.js';
import { decibels, Descent, pixelsOf } from './descent.js';
import { perceptualLoss } from './losses.js';
import { listeners, target } from './picture.js';
import { trainer } from './trainer.js';

const size = modest ? 64 : 192;
const panels = page.pictures([]);
const run = trainer(page, make);

/** ×2: the network adds details to a plain enlargement. */
function enlarger() {
  const filters = modest ? 16 : 32;
  const conv = (options) =>
    layers.conv2d({ kernelSize: 3, padding: 'same', ...options });
  const small = input({ shape: [null, null, 3], name: 'small' });
  let x = conv({ filters, kernelSize: 5, activation: 'relu' }).apply(small);
  x = conv({ filters, activation: 'relu' }).apply(x);
  x = layers.upSampling2d({ size: 2 }).apply(x);
  x = conv({ filters: 3, kernelInitializer: 'zeros' }).apply(x);
  const plain = layers
    .upSampling2d({ size: 2, interpolation: 'bilinear' })
    .apply(small);
  const outputs = layers.add().apply([x, plain]);
  return model({ inputs: small, outputs, name: 'enlarger' });
}

async function make() {
  const large = await target(size);
  // It learns from the quarters of this one picture, which is enough to see it learn.
  const half = size / 2;
  const quarters = tidy(() =>
    concat(
      [0, 1, 2, 3].map((i) => {
        const begin = [0, half * (i >> 1), half * (i & 1), 0];
        return slice(large, { begin, size: [1, half, half, 3] });
      }),
      { axis: 0 },
    ),
  );
  const halved = (picture) => tidy(() => avgPool(picture, { poolSize: 2 }));
  const [small, smallQuarters] = [halved(large), halved(quarters)];
  const net = enlarger();
  const names = ['block1_conv2', 'block2_conv1'];
  const weights = names.map(() => variable(tensor(1), { trainable: false }));
  const loss = await perceptualLoss(quarters, {
    layers: names,
    weights,
    seed: 1,
  });
  const learn = () => loss.of(net.apply(smallQuarters, { training: true }));
  const descent = new Descent([...net.trainableWeights], learn, 0.003);
  const before = tidy(() => clip(net.apply(small), { min: 0, max: 1 }));
  const [tiny, plain, wanted] = await Promise.all(
    [small, before, large].map((picture) => picture.data()),
  );

  return {
    descents: { 'perceptual loss': descent },
    async show() {
      const enlarged = tidy(() => clip(net.apply(small), { min: 0, max: 1 }));
      const made = await enlarged.data();
      enlarged.dispose();
      const large = (title, values) => ({
        title,
        caption: decibels(values, wanted),
        pixels: pixelsOf(values, size),
      });
      panels.update([
        {
          title: 'Small',
          caption: `${half} × ${half}`,
          pixels: pixelsOf(tiny, half),
        },
        large('Bilinear', plain),
        large('Network', made),
        {
          title: 'Wanted',
          caption: `${size} × ${size}`,
          pixels: pixelsOf(wanted, size),
        },
      ]);
    },
    dispose() {
      for (const held of [descent, loss, net, large, quarters, small])
        held.dispose();
      for (const held of [smallQuarters, before, ...weights]) held.dispose();
    },
  };
}

const restart = () => (run.began() ? run.reset() : undefined);
listeners.add(restart);
page.onEnd(() => listeners.delete(restart));
