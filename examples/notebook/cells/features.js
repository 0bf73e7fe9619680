import { mul, Tensor } from 'retrograd';
import { loadTensors } from 'retrograd/io';
import {
  applications,
  initializers,
  input,
  layers,
  model,
} from 'retrograd/keras';
import { chooser, PlainError, text } from 'notebook';

const blocks = [
  { filters: 64, convolutions: 2 },
  { filters: 128, convolutions: 2 },
  { filters: 256, convolutions: 4 },
  { filters: 512, convolutions: 4 },
];

/** VGG19 as far as the deepest of `wanted`; from a picture to the outputs of those layers. Frozen. */
export function vggFeatures(wanted, seed) {
  const picture = input({ shape: [null, null, 3], name: 'picture' });
  let x = applications.vgg19.preprocessInput(mul(picture, 255));
  const found = new Map();
  blocks.forEach(({ filters, convolutions }, block) => {
    for (let i = 1; i <= convolutions && found.size < wanted.length; i++) {
      const name = `block${block + 1}_conv${i}`;
      const kernelInitializer = initializers.heNormal({
        seed: seed * 100 + block * 10 + i,
      });
      const options = {
        filters,
        kernelSize: 3,
        padding: 'same',
        activation: 'relu',
        kernelInitializer,
        name,
      };
      x = layers.conv2d(options).apply(x);
      if (wanted.includes(name)) found.set(name, x);
    }
    if (found.size < wanted.length)
      x = layers.maxPooling2d({ name: `block${block + 1}_pool` }).apply(x);
  });
  const features = model({
    inputs: picture,
    outputs: wanted.map((name) => found.get(name)),
    name: 'vgg19',
  });
  features.trainable = false;
  if (trained)
    for (const weight of features.weights) weight.assign(trainedValues(weight));
  return features;
}

/** Trained weights, by their names; null: random ones, which carry a perceptual loss, too. */
let trained = null;

function trainedValues(weight) {
  const name = weight.name.split('/').slice(-2).join('/');
  const values = [...trained].find(([key]) => key.endsWith(name))?.[1];
  if (values instanceof Tensor) return values;
  throw new PlainError(`The file has no weights for '${name}'.`);
}

/** Called when other weights are there. */
export const listeners = new Set();

chooser(
  {
    label: 'Trained weights',
    accept: '.safetensors',
    hint: 'a safetensors file of Keras’s VGG19, if you have one',
  },
  async (file) => {
    trained = file
      ? loadTensors(await file.arrayBuffer(), { file: file.name })
      : null;
    said.update(words());
    for (const listener of listeners) listener();
  },
);

const words = () =>
  trained
    ? `${trained.size} tensors loaded.`
    : 'Random weights, drawn by He’s rule from the seed below.';
const said = text(words());
