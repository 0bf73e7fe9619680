import { getDevice, mul } from 'retrograd';
import {
  applications,
  initializers,
  input,
  layers,
  model,
} from 'retrograd/keras';
import { picker, PlainError, text } from 'notebook';
import { loadVgg } from 'vgg';

const blocks = [
  { filters: 64, convolutions: 2 },
  { filters: 128, convolutions: 2 },
  { filters: 256, convolutions: 4 },
  { filters: 512, convolutions: 4 },
];

/**
 * A frozen VGG from a picture to the outputs of the layers `wanted`: the
 * file's, or VGG19 with random weights up to the deepest of them.
 */
export async function vggFeatures(wanted, seed) {
  if (trained) return trainedFeatures(wanted);
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
  return features;
}

/** The network of a file; null for random weights, which also work. */
let trained = null;

/** The file's network, loaded again if the device has changed. */
async function trainedFeatures(wanted) {
  if (trained.device !== getDevice()) trained = await load(trained.file);
  const { vgg } = trained;
  const missing = wanted.find((name) => !vgg.has(name));
  if (missing)
    throw new PlainError(`The file has no weights for '${missing}/kernel'.`);
  const features = vgg.features(wanted);
  // The weights stay for the next run.
  return { apply: (picture) => features.apply(picture), dispose() {} };
}

async function load(file) {
  const vgg = await loadVgg(file, {
    partial: true,
    onProgress: ({ loaded, total }) =>
      said.update(
        `Loading ${file.name}: ${Math.round((100 * loaded) / total)} %`,
      ),
  });
  return { file, vgg, device: getDevice() };
}

/** Called when other weights are loaded. */
export const listeners = new Set();

const words = () =>
  trained
    ? `${trained.vgg.tensors} tensors of ${trained.file.name}: ${describe(trained.vgg)}.`
    : 'Random weights, drawn by He’s rule from the seed below.';

function describe({ name, weights, network }) {
  const count = network.countParams().toLocaleString('en');
  const last = network.layers.at(-1).name;
  const part = last === 'block5_pool' ? '' : ` as far as ${last}`;
  return `${name}${part}, ${weights.replace(/ from .*/, '')}, ${count} parameters`;
}

picker(
  {
    label: 'Trained weights',
    accept: '.h5,.hdf5,.keras,.pth,.pt,.safetensors',
    hint: 'or drop a file here: VGG16 or VGG19 of Keras or torchvision',
  },
  async (file) => {
    try {
      trained = file && (await load(file));
    } finally {
      said.update(words());
    }
    for (const listener of listeners) listener();
  },
);

const said = text(words());
