// @ts-check
/**
 * @file The options of `npm run demo`: read, checked before anything is installed or started, and explained. Uses only Node.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

/** A bad argument: printed without a stack; ends with exit code 2. */
export class OptionError extends Error {
  /** @override */
  name = 'OptionError';
}

/**
 * @typedef {object} DemoOptions
 * @property {number} size
 * @property {number} steps
 * @property {number} seed
 * @property {string[]} layers
 * @property {string | null} image path of a PNG or JPEG
 * @property {string | null} weights path of a file with the weights of VGG16 or VGG19
 * @property {string} out folder that the results go to
 * @property {boolean} json
 * @property {boolean} serve
 * @property {boolean} help
 */

/** Convolutions in each block of VGG19. */
const CONVOLUTIONS = [2, 2, 4, 4, 4];

/** VGG19's layers below its top, from the picture on. */
export const VGG19_LAYERS = CONVOLUTIONS.flatMap((count, i) => [
  ...Array.from({ length: count }, (_, k) => `block${i + 1}_conv${k + 1}`),
  `block${i + 1}_pool`,
]);

const DEFAULT_LAYERS = ['block1_conv2', 'block2_conv2', 'block3_conv2', 'block4_conv2'];
const LARGEST_SIZE = 1024;

export const HELP = `npm run demo -- [options]

Reconstructs a picture from noise by gradient descent, in headless Chromium: once by the squared difference of
pixels, once by a perceptual loss, the squared differences of VGG19's features. Writes into out/ (or --out):
  perceptual-loss.png   target, start and both results side by side
  loss.svg              both losses by step, logarithmic
  summary.json          adapter, speed, losses, PSNR

Options
  --size N        pixels each way; default 48
  --steps N       steps of Adam for each of the two; default 60
  --seed N        of the noise and of the network's random weights; default 1
  --image FILE    your picture, a PNG or JPEG of any size: its middle square; default: drawn by the program
  --layers A,B    layers of VGG19 to compare; default ${DEFAULT_LAYERS.join(',')}
  --weights FILE  trained weights of VGG16 or VGG19: .h5, .weights.h5 or .keras of Keras, .pth of torchvision, or safetensors,
                  recognized by content; the top may be there or not
  --out DIR       folder for the results; default out
  --json          prints the summary alone to stdout (with npm: npm run --silent demo -- --json)
  --serve         serves the page instead, to be opened in your own browser
  --help          prints this

Without --weights, VGG19's are random, drawn by He's rule from the seed. Random features carry a perceptual loss: He, Wang and
Hopcroft, A Powerful Generative Model Using Random Weights for the Deep Image Representation, NIPS 2016.

Exit codes: 0 done, 1 failed, 2 bad arguments.
`;

/**
 * @param {string[]} args
 * @returns {DemoOptions}
 * @throws {OptionError}
 */
export function parseOptions(args) {
  const values = parse(args);
  const layers = layersOf(values.layers);
  const smallest = smallestSize(layers);
  const size = whole('size', values.size ?? '48', 1, LARGEST_SIZE);
  if (size < smallest) {
    throw new OptionError(
      `--size: the picture is too small for these layers: ${layers.join(', ')} need at least ${smallest} pixels each way. ` +
        `Received: ${size}. Hint: pass --size ${smallest} or more, or layers of earlier blocks.`,
    );
  }
  return {
    size,
    steps: whole('steps', values.steps ?? '60', 1, 1_000_000),
    seed: whole('seed', values.seed ?? '1', 0, 2 ** 31 - 1),
    layers,
    image: values.image === undefined ? null : imageOf(values.image),
    weights: values.weights === undefined ? null : weightsOf(values.weights),
    out: path.resolve(values.out ?? fileURLToPath(new URL('../../out', import.meta.url))),
    json: values.json ?? false,
    serve: values.serve ?? false,
    help: values.help ?? false,
  };
}

/** @param {string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const options = {
    size: text,
    steps: text,
    seed: text,
    layers: text,
    image: text,
    weights: text,
    out: text,
    json: flag,
    serve: flag,
    help: { ...flag, short: 'h' },
  };
  const rejected = (/** @type {string} */ message) => new OptionError(`${message} See --help.`);
  return readArguments({ args: joinNegatives(args), options }, rejected).values;
}

/** Turns `--size -3` into `--size=-3`, so that the error is about the number, not the option. @param {string[]} args */
function joinNegatives(args) {
  /** @type {string[]} */
  const joined = [];
  for (const arg of args) {
    const last = joined.at(-1);
    if (/^-\d/.test(arg) && last && /^--\w+$/.test(last)) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function whole(name, text, min, max) {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new OptionError(
    `--${name} must be an integer from ${min} to ${max}. Received: ${text || 'nothing'}.`,
  );
}

/** @param {string | undefined} text */
function layersOf(text) {
  if (text === undefined) return DEFAULT_LAYERS;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !VGG19_LAYERS.includes(name));
  if (unknown.length > 0) {
    throw new OptionError(
      `--layers: VGG19 has no layer ${unknown.map((name) => `'${name}'`).join(', ')}. ` +
        `Hint: choose from ${VGG19_LAYERS.join(', ')}.`,
    );
  }
  return [...new Set(names)];
}

/** Returns the size of the smallest picture that leaves two by two positions at the deepest layer. @param {string[]} layers */
function smallestSize(layers) {
  const halvings = layers.map((name) => {
    const block = Number(name.slice(5, 6));
    return name.endsWith('_pool') ? block : block - 1;
  });
  return 2 ** (1 + Math.max(...halvings));
}

/** @param {string} file */
function imageOf(file) {
  if (mimeType(headOf('--image', file, 'pass the path of a PNG or JPEG.')) !== null) return file;
  throw new OptionError(
    `--image: the file is neither a PNG nor a JPEG: ${file}. Hint: convert it to one of them.`,
  );
}

/** The content of the file is checked by the page. @param {string} file */
function weightsOf(file) {
  const head = headOf('--weights', file, 'pass the path of a file of Keras or torchvision.');
  if (head.length > 0) return path.resolve(file);
  throw new OptionError(`--weights: the file is empty: ${file}. Hint: download it again.`);
}

/**
 * Returns the first bytes of a file.
 *
 * @param {string} option
 * @param {string} file
 * @param {string} hint
 */
function headOf(option, file, hint) {
  const head = Buffer.alloc(8);
  try {
    const descriptor = fs.openSync(file, 'r');
    try {
      return head.subarray(0, fs.readSync(descriptor, head, 0, head.length, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : `it can't be read (${code})`;
    throw new OptionError(`${option}: ${reason}: ${file}. Hint: ${hint}`);
  }
}

/**
 * Returns the type of a picture by its first bytes; null for anything but PNG and JPEG.
 *
 * @param {Uint8Array} head
 */
export function mimeType(head) {
  /** @param {number[]} signature */
  const begins = (signature) => signature.every((byte, i) => head[i] === byte);
  if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  return begins([0xff, 0xd8, 0xff]) ? 'image/jpeg' : null;
}
