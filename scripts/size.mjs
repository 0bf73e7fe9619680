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
 * The device's implementation and the kernels load while the adapter is being requested, so that the first files are small.
 * kB are 1000 bytes: of the first files, and of those that come with the device. Softmax and reductions hold a form for
 * software adapters and one for GPUs, which folds in subgroups; GEMM and convolutions have unrolled tiles for GPUs. Tapes are
 * known weakly, so that dropped ones close. Dry runs come with the device, and with a model what traces sizes that `call`
 * reads. A model can save itself, which needs all layers to describe them. They load when it is saved, but bundlers then keep
 * what layers share in separate files: 5 kB of the first. What a device launches instead of variants that fail loads when
 * one does, which costs 0.4 kB of links between files; 0.1 kB of them is in the first file, so that the kernels don't import
 * themselves. The names of options, and the errors that suggest the right one, are 1.2 kB of the first files, and 2.4 kB with layers. What the step inspector observes, and the links by which a model loads
 * it, are 0.4 kB. That `grad` takes trees of tensors, with `argnums` and `hasAux`, is 0.6 kB. Options that are distinguished
 * from a schedule or an initializer, and the probe that opening a device loads for subgroup matrices, are 0.1 kB. Calls of
 * layers under a tape load what looks for untracked variables: 0.3 kB of links. Sixteen layers more (volumes, affine images,
 * grouped attention), which a model can save, are 0.6 kB in files that layers share. Checks of what `backward` returns, of
 * what `init` takes, and names that other libraries use for options are 0.8 kB; those of a call's `training` and masks 0.4 kB
 * more. ConvLSTM and what it shares with LSTM and GRU are 0.1 kB in files that layers share. The dtype policy of layers is
 * 0.1 kB. Errors for unexpected arguments of the methods that train, and a count of weights that don't exist yet, which are rejected, are
 * 0.1 kB. Fills and the adapter profiles come with the device: with the launches and the WGSL that they are made of, 2.1 kB
 * that were in the first file. Frozen shapes, and errors for unexpected arguments, of masks for indices and of what is no
 * number in a DynamicScalar, are 0.7 kB of the core; those of layers (`compile`, `apply`, `summary`, a `call` by the app,
 * results of `computeOutputShape`) 0.8 kB more. The estimate of a GEMM's time on a GPU, by which tiles and splits are chosen,
 * is 0.3 kB. Groups of invocations that share k, in WGSL, tiles and estimate, are 1.2 kB with the device. Units of one, two
 * and four vectors, and lines that lie in workgroup memory as in storage, are 1 kB of the device: they replace four fifths of
 * what a GPU's k loop did besides multiply-adds. Assignments to properties that nothing reads,
 * masks and results of an app's functions that don't fit, and unexpected arguments of methods, which are rejected, are 0.5 kB of a model. Arguments
 * that a call names, and records in the order of their keys, are 0.1 kB of it. Errors for methods, elements and assignments that tensors
 * don't have, with the names of other libraries, are 1.5 kB with the device. Error texts in
 * plain words are 0.1 kB of the first file.
 * Convolutions of few channels that aren't GEMMs (images to features, features to images, and their input gradients) are 3.2 kB (3.4 with a model) with
 * the device, for GPUs alone: by the model they reach 83 to 100 % of a machine's limit, where it had been 42 to 76 %.
 * Random numbers without shifts, three times as fast in software, are 0.1 kB of a model. Matmuls with nothing to sum over, as
 * elementwise products, are 0.1 kB with the device. Broadcasting in groups of a line, which takes a third to half of the time in
 * software, is 0.4 kB with the device.
 * dist/ orders modules by layer (scripts/lib/library-modules.mjs), so that similar ones are close enough for gzip: 1 kB less
 * with the device, and 1.1 kB less of a model.
 *
 * @type {Record<string, { label: string, source: string, limit: number, device: number }>}
 */
const CASES = {
  core: { label: 'matMul, conv2d, gather, grad', source: core, limit: 23, device: 53.2 },
  model: { label: '… and a model that is applied', source: net, limit: 69.4, device: 53.4 },
  training: { label: '… and trained', source: training, limit: 69.5, device: 53.4 },
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
  for (const { label, source, limit, device } of Object.values(CASES)) {
    const chunks = byLoad(await bundle(source));
    const sizes = [
      { of: 'at once', size: sizeOf(chunks.first), limit },
      { of: 'with the device', size: sizeOf(chunks.device), limit: device },
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
