import { tensor, tidy, variable } from 'retrograd';
import * as page from 'notebook';
import { noise } from 'pictures';
import { modest } from './adapter.js';
import { decibels, Descent, pictureVariable, pixelsOf } from './descent.js';
import { listeners as otherWeights } from './features.js';
import { perceptualLoss, pixelLoss } from './losses.js';
import { listeners as otherPicture, target } from './picture.js';
import { trainer } from './trainer.js';

const layer = (label, value) => ({ label, value, min: 0, max: 2, step: 0.1 });
const layers = {
  block1_conv2: layer('block1_conv2', 1),
  block2_conv2: layer('block2_conv2', 1),
  block3_conv2: layer('block3_conv2', modest ? 0 : 1),
  block4_conv2: layer('block4_conv2', modest ? 0 : 1),
};
const settings = page.sliders(
  {
    ...layers,
    learningRate: {
      label: 'learning rate',
      value: 0.05,
      min: 0.001,
      max: 0.3,
      step: 0.001,
      logarithmic: true,
    },
    seed: { label: 'seed', value: 1, min: 0, max: 20, step: 1 },
    size: {
      label: 'size',
      value: modest ? 48 : 128,
      min: 16,
      max: 256,
      step: 16,
    },
  },
  follow,
);

// Weights are variables, whose current values a captured step reads: a slider takes effect without a new step.
let weights = {};
const active = () => Object.keys(layers).filter((name) => settings[name] > 0);
let used = active();

function check() {
  if (active().length === 0)
    throw new page.PlainError('Give at least one layer a weight above 0.');
}

const panels = page.pictures([]);
const run = trainer(page, make, check);

async function make() {
  const { size, seed, learningRate } = settings;
  used = active();
  weights = Object.fromEntries(
    used.map((name) => [
      name,
      variable(tensor(settings[name]), { trainable: false }),
    ]),
  );
  const wanted = await target(size);
  const start = noise(size, seed);
  const losses = {
    'pixel loss': pixelLoss(wanted),
    'perceptual loss': await perceptualLoss(wanted, {
      layers: used,
      weights: Object.values(weights),
      seed,
    }),
  };
  const descents = Object.fromEntries(
    Object.entries(losses).map(([name, loss]) => {
      const picture = pictureVariable(start);
      return [
        name,
        new Descent([picture], () => loss.of(picture), learningRate),
      ];
    }),
  );
  start.dispose();
  const values = await wanted.data();

  async function show() {
    const found = Object.entries(descents).map(
      async ([name, { variables }]) => {
        const made = await variables[0].data();
        return {
          title: `By ${name}`,
          caption: decibels(made, values),
          pixels: pixelsOf(made, size),
        };
      },
    );
    const caption = `${size} × ${size}`;
    panels.update([
      { title: 'Target', caption, pixels: pixelsOf(values, size) },
      ...(await Promise.all(found)),
    ]);
  }

  function dispose() {
    for (const held of [
      ...Object.values(descents),
      ...Object.values(losses),
      wanted,
    ])
      held.dispose();
  }

  return { descents, show, dispose };
}

/** Applies a change to the run: at its next step, by a new step, or from noise. */
function follow(name) {
  const job = run.current();
  const live = name === 'learningRate' || name in layers;
  if (live && run.isLost()) return run.renew({ keep: true });
  if (name === 'learningRate') {
    for (const { optimizer } of Object.values(job?.descents ?? {}))
      optimizer.learningRate = settings.learningRate;
    return undefined;
  }
  if (!live) return restart();
  if (!run.began()) return undefined;
  check();
  const same = job && String(active()) === String(used);
  if (!same) return run.renew({ keep: true });
  return weights[name].assign(tidy(() => tensor(settings[name])));
}

const restart = () => (run.began() ? run.reset() : preview());

/** Shows what it will start from, before anything runs. */
async function preview() {
  const { size, seed } = settings;
  const [wanted, start] = [await target(size), noise(size, seed)];
  const [goal, begin] = [await wanted.data(), await start.data()];
  for (const held of [wanted, start]) held.dispose();
  const at = (title, values) => ({ title, pixels: pixelsOf(values, size) });
  panels.update([
    at('Target', goal),
    at('By pixel loss', begin),
    at('By perceptual loss', begin),
  ]);
}

for (const listeners of [otherPicture, otherWeights]) {
  listeners.add(restart);
  page.onEnd(() => listeners.delete(restart));
}
if (!page.remembered.running) await preview();
