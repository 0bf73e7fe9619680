/** @file The kernels that only GPUs select: software adapters don't load them, GPUs do while their device is opened. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { byLoad } from '../../scripts/lib/chunks.mjs';
import { openDevice } from '../../src/webgpu/adapter.ts';
import { adapterProfiles } from '../../src/kernels/adapterProfiles.ts';

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

const unloaded = /the kernels of GPUs must be loaded[\s\S]*Hint: .*init\(\{ adapterProfile \}\)/i;

const gpuModules =
  /shaders\/(convolution\/(direct|patch|rectangles)|gemm\/(lanes|loader|shared|tiled)|reduce\/lanes)|kernels\/(directConvolution|patchConvolution|patchFilterGrad)/;

test('they are in separate files', async () => {
  const { first, device, gpu } = byLoad(await bundleApp({}));
  const modulesOf = (chunks: typeof first) =>
    chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => gpuModules.test(id));
  expect(modulesOf([...first, ...device])).toEqual([]);
  expect(modulesOf(gpu)).toHaveLength(12);
});

test('a build into one file, as for a service worker, contains them', async () => {
  const [file, ...more] = await bundleApp({ codeSplitting: false, minify: true });
  expect(more).toEqual([]);
  // Unlike import(), which a message mentions.
  expect(file?.code).not.toMatch(/\bimport\(["'`]/);
  expect(file?.moduleIds.filter((id) => gpuModules.test(id))).toHaveLength(12);
});

test('every kind of adapter loads what its profile selects', () => {
  for (const [kind, { conv2d }] of Object.entries(adapterProfiles))
    expect(conv2d.direct, kind).toBe(kind !== 'software');
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
    export { selectConv2d } from '${src}kernels/conv2dAlgorithm.ts';`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-gpu-kernels-'));
  for (const { fileName, code } of chunks) fs.writeFileSync(path.join(folder, fileName), code);
  const file = path.join(folder, chunks.find(({ isEntry }) => isEntry)?.fileName ?? '');
  type App = typeof import('../../src/kernels/conv2dAlgorithm.ts') & {
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
