import { mul } from 'retrograd';
import { loadTensors } from 'retrograd/io';
import {
  applications,
  initializers,
  input,
  layers,
  model,
} from 'retrograd/keras';
import { picker, PlainError, text } from 'notebook';

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
  if (trained) setTrained(features);
  return features;
}

/** A file of trained weights; null: random ones, which do it, too. */
let trained = null;

function setTrained({ weights }) {
  const values = read(trained);
  for (const weight of weights) {
    const name = weight.name.split('/').slice(-2).join('/');
    const [key] = [...values.keys()].filter((key) => key.endsWith(name));
    if (!key) throw new PlainError(`The file has no weights for '${name}'.`);
    weight.assign(values.get(key));
  }
  for (const value of values.values()) value.dispose();
}

const read = ({ bytes, name }) => loadTensors(bytes, { file: name });

/** Called when other weights are there. */
export const listeners = new Set();

picker(
  {
    label: 'Trained weights',
    accept: '.safetensors',
    hint: 'a safetensors file of Keras’s VGG19, if you have one',
  },
  async (file) => {
    const given = file && { bytes: await file.arrayBuffer(), name: file.name };
    const values = given ? [...read(given).values()] : [];
    for (const value of values) value.dispose();
    trained = given;
    said.update(words(values.length));
    for (const listener of listeners) listener();
  },
);

const words = (count) =>
  trained
    ? `${count} tensors of ${trained.name}.`
    : 'Random weights, drawn by He’s rule from the seed below.';
const said = text(words(0));
