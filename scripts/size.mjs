// @ts-check
/**
 * @file The size that dist/ adds to an app: bundles of a few lines each, minified and compressed as a server sends them.
 * Fails if one exceeds its limit. Code that an app imports later, by `import()`, is counted separately.
 */
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { byLoad } from './lib/chunks.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const core = `export { conv2d, gather, grad, init, matMul, tensor } from 'retrograd';`;
const net = `
${core}
import { input, layers, model } from 'retrograd/keras';
const image = input({ shape: [28, 28, 1] });
const convolved = layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu' }).apply(image);
const classes = layers.dense({ units: 10, activation: 'softmax' }).apply(layers.flatten().apply(convolved));
const net = model({ inputs: image, outputs: classes });
export const apply = (x) => net.apply(x);`;
const training = `
${net}
net.compile({ optimizer: 'adam', loss: 'categoricalCrossentropy', metrics: ['accuracy'] });
export const fit = (x, y) => net.fit(x, y);`;

/**
 * Limits in kB of 1000 bytes, of the first files, of those that load with any device, and of those that only GPUs, or only software
 * adapters, load besides.
 * A change that raises one records it, with its reason, in docs/decisions/archive/size.md.
 *
 * @type {Record<string, { label: string, source: string, limit: number, device: number, gpu: number, software: number }>}
 */
const CASES = {
  core: {
    label: 'matMul, conv2d, gather, grad',
    source: core,
    limit: 25.2,
    device: 50.5,
    gpu: 15.4,
    software: 3.7,
  },
  model: {
    label: '… and a model that is applied',
    source: net,
    limit: 86,
    device: 49.9,
    gpu: 15.6,
    software: 4.7,
  },
  hub: {
    label: 'fromPretrained',
    source: `export { init } from 'retrograd';
export { fromPretrained } from 'retrograd/hub';`,
    limit: 52.9,
    device: 55.4,
    gpu: 15.7,
    software: 4.7,
  },
  training: { label: '… and trained', source: training, limit: 86, device: 49.9, gpu: 15.6, software: 4.7 },
};

/** @param {string} text */
const compressed = (text) => gzipSync(text, { level: 9 }).length;

/** @param {string} source */
async function bundle(source) {
  const entry = '\0entry';
  const build = await rolldown({
    input: entry,
    // As in an app's build: code that is loaded later may import from the first file.
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'case',
        resolveId(id) {
          if (id === entry) return id;
          const name = /^retrograd(?:\/(\w+))?$/.exec(id);
          return name ? path.join(ROOT, 'dist', `${name[1] ?? 'index'}.js`) : null;
        },
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  return output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
}

/** @param {{ code: string }[]} chunks */
const sizeOf = (chunks) => chunks.reduce((total, { code }) => total + compressed(code), 0);

async function checkSizes() {
  const kB = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(8);
  let failed = false;
  for (const { label, source, limit, device, gpu, software } of Object.values(CASES)) {
    const chunks = byLoad(await bundle(source));
    const sizes = [
      { of: 'at once', size: sizeOf(chunks.first), limit },
      { of: 'with the device', size: sizeOf(chunks.device), limit: device },
      { of: 'for GPUs', size: sizeOf(chunks.gpu), limit: gpu },
      { of: 'for software', size: sizeOf(chunks.software), limit: software },
      { of: 'on first use', size: sizeOf(chunks.later), limit: Number.POSITIVE_INFINITY },
    ];
    const parts = sizes.map((part) => {
      const isOver = part.size > 1000 * part.limit;
      failed ||= isOver;
      return `${kB(part.size)} ${part.of}${isOver ? `: MORE THAN ${part.limit} kB` : ''}`;
    });
    process.stdout.write(`${label.padEnd(30)} ${parts.join(', ')}\n`);
  }
  process.exitCode = failed ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await checkSizes();
