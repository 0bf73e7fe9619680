/** @file The kernels that only GPUs, or only software adapters, select: these load them while their device is opened, others don't. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { byLoad } from '../../scripts/lib/chunks.mjs';
import { openDevice } from '../../src/webgpu/adapter.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
const entry = '\0entry';

/** Bundles an app of one convolution. */
const bundleApp = (output: { codeSplitting?: false; minify?: true }) =>
  bundle(`export { conv2d, init } from '${src}index.ts';`, output);

async function bundle(source: string, output: { codeSplitting?: false; minify?: true } = {}) {
  const build = await rolldown({
    input: entry,
    treeshake: { moduleSideEffects: false },
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const made = await build.generate({ format: 'esm', ...output });
  await build.close();
  return made.output.filter((file) => file.type === 'chunk');
}

const unloaded = /kernels of GPUs must be loaded[\s\S]*Hint: .*init\(\{ adapterProfile \}\)/i;

const gpuModules =
  /shaders\/(convolution\/(direct|patch|rectangles)|gemm\/(lanes|loader|shared|tiled)|reduce\/lanes)|kernels\/convolution\/(directConvolution|patchConvolution|patchFilterGrad)/;

const softwareModules =
  /shaders\/convolution\/block|kernels\/convolution\/(blockConvolution|convolutionBlocks)/;

test('they are in separate files', async () => {
  const { first, device, gpu, software } = byLoad(await bundleApp({}));
  const count = (chunks: typeof first, modules: RegExp) =>
    chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => modules.test(id)).length;
  expect([first, device, software].map((chunks) => count(chunks, gpuModules))).toEqual([0, 0, 0]);
  expect([first, device, gpu].map((chunks) => count(chunks, softwareModules))).toEqual([0, 0, 0]);
  expect(count(gpu, gpuModules)).toBe(12);
  expect(count(software, softwareModules)).toBe(4);
});

test('a build into one file, as for a service worker, contains them', async () => {
  const [file, ...more] = await bundleApp({ codeSplitting: false, minify: true });
  expect(more).toEqual([]);
  // Unlike import(), which a message mentions.
  expect(file?.code).not.toMatch(/\bimport\(["'`]/);
  expect(file?.moduleIds.filter((id) => gpuModules.test(id))).toHaveLength(12);
  expect(file?.moduleIds.filter((id) => softwareModules.test(id))).toHaveLength(4);
});

test('every kind of adapter loads what its profile selects', () => {
  for (const [kind, { conv2d }] of Object.entries(adapterProfiles)) {
    const isSoftware = kind === 'software';
    expect(conv2d, kind).toMatchObject({ direct: !isSoftware, blocks: isSoftware });
  }
});

test.each([
  ['software', { vendor: 'google', architecture: 'swiftshader' }],
  ['discrete', { vendor: 'nvidia', architecture: 'ampere' }],
])('the kind of a %s adapter is known before its device is requested', async (kind, info) => {
  const events: string[] = [];
  const adapter = {
    limits: {},
    features: new Set<string>(),
    info,
    requestDevice: async () => ({ order: events.push('device') }),
  };
  const gpu = { requestAdapter: async () => adapter } as unknown as GPU;
  await openDevice(gpu, {}, [], (found) => events.push(found));
  expect(events).toEqual([kind, 'device']);
});

test('until they are loaded, a profile of GPUs is an error; init loads them', async () => {
  // A bundle, since the modules of this process have loaded them already.
  const chunks = await bundle(`
    export { init } from '${src}index.ts';
    export { selectConv2d } from '${src}kernels/convolution/conv2dAlgorithm.ts';`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-gpu-kernels-'));
  for (const { fileName, code } of chunks) fs.writeFileSync(path.join(folder, fileName), code);
  const file = path.join(folder, chunks.find(({ isEntry }) => isEntry)?.fileName ?? '');
  type App = typeof import('../../src/kernels/convolution/conv2dAlgorithm.ts') & {
    init: typeof import('../../src/index.ts').init;
  };
  const app: App = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const axis = { input: 64, output: 64, window: 3, stride: 1, dilation: 1, before: 1 };
  const geometry = { batch: 1, rows: axis, columns: axis, inputs: 3, outputs: 64, groups: 1 };
  const problem = { direction: 'forward', geometry, dtypes: ['float32', 'float32'] } as const;
  const select = () => app.selectConv2d(problem, adapterProfiles.discrete).kind;
  try {
    const device = await app.init({ adapterProfile: 'software' });
    expect(select).toThrow(
      expect.objectContaining({ name: 'DeviceError', message: expect.stringMatching(unloaded) }),
    );
    expect(await app.init({ adapterProfile: 'discrete' })).toBe(device);
    expect(select()).toBe('patches');
    device.destroy();
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
