/** @file Random networks saved by torchvision, compared with torchvision's results: `npm run test:keras`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { type HostTensor, readSafetensors } from '../../../src/io/index.ts';
import { applications, clearSession, model } from '../../../src/keras/index.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'torchvision-'));

const torchForm = { convention: 'torchvision' } as const;
const { vgg16, vgg19, resNet18, resNet34, resNet50, resNet101, resNet152, mobileNetV2 } = applications;
/** Options of all networks; the weights come from the file. */
const plain = { classifierActivation: null, kernelInitializer: 'zeros' } as const;
const pictures = (size: number) => ({ ...plain, inputShape: [size, size, 3] });

interface Case {
  readonly file: string;
  readonly function: string;
  readonly options: object;
  /** The module whose output is compared, and the layer here. */
  readonly features: string;
  readonly layer: string;
  readonly size: number;
  readonly make: () => applications.Network;
}

const vgg = { features: 'features', layer: 'block5_pool', size: 224, options: {} };
const resNet = (file: string, size: number, make: Case['make'], last = 3): Case => ({
  file,
  function: path.parse(file).name,
  options: {},
  features: 'layer4',
  layer: `conv5_block${last}_out`,
  size,
  make,
});
const mobile = (file: string, alpha: number): Case => ({
  file,
  function: 'mobilenet_v2',
  options: { width_mult: alpha, num_classes: 12 },
  features: 'features',
  layer: 'out_relu',
  size: 97,
  make: () => mobileNetV2({ ...pictures(97), ...torchForm, alpha, classes: 12 }),
});

const cases: readonly Case[] = [
  { ...vgg, file: 'vgg16.pth', function: 'vgg16', make: () => vgg16(plain) },
  { ...vgg, file: 'vgg19.safetensors', function: 'vgg19', make: () => vgg19(plain) },
  resNet('resnet18.pth', 75, () => resNet18(pictures(75)), 2),
  resNet('resnet34.safetensors', 64, () => resNet34(pictures(64))),
  resNet('resnet50.safetensors', 75, () => resNet50({ ...pictures(75), ...torchForm })),
  resNet('resnet101.pth', 64, () => resNet101({ ...pictures(64), ...torchForm })),
  resNet('resnet152.safetensors', 64, () => resNet152({ ...pictures(64), ...torchForm })),
  mobile('mobilenet.pth', 1),
  mobile('mobilenet_wide.safetensors', 1.4),
];

function deviation(values: ArrayLike<number>): number {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  return Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
}

/** Returns the largest difference, in standard deviations of the expected values. */
async function furthest(found: Tensor, { shape, data }: HostTensor): Promise<number> {
  expect(found.shape).toEqual(shape);
  const values = await found.data();
  const max = (data as Float32Array).reduce(
    (largest, value, i) => Math.max(largest, Math.abs(value - (values[i] as number))),
    0,
  );
  return max / deviation(data);
}

describe.runIf(python)("torchvision's networks", () => {
  beforeAll(async () => {
    await init();
    fs.writeFileSync(path.join(folder, 'networks.json'), JSON.stringify(cases));
    const script = fileURLToPath(new URL('./torchvision_side.py', import.meta.url));
    const { status, stderr } = spawnSync(python as string, [script, folder], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`PyTorch's side failed:\n${stderr}`);
  }, 600_000);
  beforeEach(clearSession);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test.each(cases)('$file', { timeout: 300_000 }, async ({ file, layer, make }) => {
    const at = path.join(folder, file);
    using net = make();
    const { naming, notFinite } = await net.loadWeights(at);
    expect([naming, notFinite]).toEqual(['pytorch', []]);
    const io = readSafetensors(fs.readFileSync(at.replace(/\.\w+$/, '.io.safetensors'))).tensors;
    const { data, shape } = io.get('x') as HostTensor;
    const seen = model({ inputs: net.input, outputs: [net.getLayer(layer).output, net.output as never] });
    const outputs = seen.apply(tensor(data, { shape })) as unknown as Tensor[];
    for (const [i, name] of ['features', 'y'].entries())
      expect(await furthest(outputs[i] as Tensor, io.get(name) as HostTensor)).toBeLessThan(1e-4);
    fs.rmSync(at);
  });
});
