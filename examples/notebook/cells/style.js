import { addN, matMul, mean, mul, reciprocal, reshape } from 'retrograd';
import { squaredDifference, tensor, tidy, variable } from 'retrograd';
import * as page from 'notebook';
import { contextOf, cropToSquare, pictureOf } from 'pictures';
import { modest } from './adapter.js';
import { Descent, pictureVariable, pixelsOf } from './descent.js';
import { vggFeatures } from './features.js';
import { totalVariation } from './losses.js';
import { listeners, target } from './picture.js';
import { trainer } from './trainer.js';

const size = modest ? 48 : 128;
const layers = [
  'block1_conv1',
  'block2_conv1',
  modest ? 'block2_conv2' : 'block3_conv1',
];

const chosen = page.picker(
  { label: 'Choose a style', accept: 'image/*', hint: 'or drop one here' },
  async () => {
    (await stylePicture()).dispose();
    return restart();
  },
);
const settings = page.sliders(
  {
    style: { label: 'style', value: 1, min: 0, max: 4, step: 0.1 },
    content: { label: 'content', value: 0.5, min: 0, max: 4, step: 0.1 },
  },
  (name) =>
    run.isLost()
      ? run.renew({ keep: true })
      : weights[name]?.assign(tidy(() => tensor(settings[name]))),
);
let weights = {};
const panels = page.pictures([]);
const run = trainer(page, make);

/** How often the features of a layer occur together, wherever they are. */
function gram(features) {
  const [, height, width, channels] = features.shape;
  const flat = reshape(features, { shape: [height * width, channels] });
  return mul(matMul(flat, flat, { transposeA: true }), 1 / (height * width));
}

async function make() {
  const features = await vggFeatures(layers, 1);
  const [content, style] = [await target(size), await stylePicture()];
  const all = tidy(() => {
    const [seen, shown] = [features.apply(content), features.apply(style)];
    const wanted = seen[1];
    const grams = shown.map(gram);
    const power = (t) => reciprocal(mean(mul(t, t)));
    return { wanted, grams, scales: grams.map(power), scale: power(wanted) };
  });
  const weight = (name) =>
    variable(tensor(settings[name]), { trainable: false });
  weights = { style: weight('style'), content: weight('content') };
  const picture = pictureVariable(content);

  const loss = () => {
    const seen = features.apply(picture);
    const styles = seen.map((feature, i) =>
      mul(mean(squaredDifference(gram(feature), all.grams[i])), all.scales[i]),
    );
    const moved = mul(mean(squaredDifference(seen[1], all.wanted)), all.scale);
    return addN([
      mul(addN(styles), weights.style),
      mul(moved, weights.content),
      mul(totalVariation(picture), 0.02),
    ]);
  };
  const descent = new Descent([picture], loss, 0.02);
  const [contentImage, styleImage] = [await content.data(), await style.data()];

  return {
    descents: { 'style loss': descent },
    async show() {
      const at = (title, values) => ({ title, pixels: pixelsOf(values, size) });
      const made = await picture.data();
      panels.update([
        at('Content', contentImage),
        at('Style', styleImage),
        at('Both', made),
      ]);
    },
    dispose() {
      const { wanted, grams, scales, scale } = all;
      for (const held of [descent, features, content, style, wanted, scale])
        held.dispose();
      for (const held of [...grams, ...scales]) held.dispose();
    },
  };
}

/** Your picture, or a weave of coloured arcs. */
async function stylePicture() {
  if (chosen.file) {
    const file = await cropToSquare(chosen.file, size).catch(() => null);
    if (file) return pictureOf(file);
    throw new page.PlainError(
      `'${chosen.file.name}' is not a picture that this browser can read. Try a PNG, JPEG or WebP.`,
    );
  }
  const canvas = new OffscreenCanvas(size, size);
  const context = contextOf(canvas);
  const colours = ['#f2e8cf', '#1d3557', '#e63946', '#f4a261', '#2a9d8f'];
  context.fillStyle = colours[0];
  context.fillRect(0, 0, size, size);
  const tile = size / 4;
  context.lineWidth = tile / 9;
  for (let i = 0; i < 25; i++) {
    const [x, y] = [(i % 5) * tile, Math.floor(i / 5) * tile];
    for (let ring = 1; ring <= 4; ring++) {
      context.strokeStyle = colours[((i * 3 + ring) % 4) + 1];
      context.beginPath();
      context.arc(x, y, (ring * tile) / 5, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  return pictureOf(canvas);
}

const restart = () => (run.began() ? run.reset() : undefined);
listeners.add(restart);
page.onEnd(() => listeners.delete(restart));
