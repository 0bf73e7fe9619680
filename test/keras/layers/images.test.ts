/**
 * @file Layers of images and sounds against real Keras (test/fixtures/layers/keras_images.py): in the form that Keras writes,
 * and the results of random ones for a given draw.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, init, randomUniform, setRandomSeed, type Tensor, tensor } from '../../../src/index.ts';
import { input, layers, model, modelFromJSON, modelToJSON } from '../../../src/keras/index.ts';
import { symmetricBeta } from '../../../src/keras/layers/preprocessing/images/mixing.ts';
import type { ImageBatch } from '../../../src/keras/layers/preprocessing/images/imageLayer.ts';
import golden from '../../fixtures/layers/images.json' with { type: 'json' };

/** Numbers at any depth. */
type Nested = number | boolean | readonly unknown[];
type Draw = Nested | { [part: string]: Nested };

interface WrittenCase {
  layer: string;
  model: { config: { layers: { config: Record<string, unknown> }[] } };
  training: boolean;
  input: { dtype: 'float32' | 'int32'; values: Nested };
  weights: Nested[];
  output: Nested;
}

interface DrawnCase {
  layer: string;
  images: Nested;
  transformation: Draw;
  output: Nested;
  labels?: { input: Nested; output: Nested };
  segmentation_masks?: { input: Nested; output: Nested };
}

interface Fixture {
  cases: WrittenCase[];
  random: DrawnCase[];
  spectrograms: { options: Record<string, unknown>; kernels: Nested[] }[];
}

const fixture = golden as unknown as Fixture;

const flat = (values: Nested): number[] =>
  ([values] as unknown[]).flat(Number.POSITIVE_INFINITY).map(Number) as number[];

function upload(values: Nested, dtype?: 'int32'): Tensor {
  const first = ([values] as unknown[]).flat(Number.POSITIVE_INFINITY)[0];
  return tensor(values as number[], {
    dtype: dtype ?? (typeof first === 'boolean' ? 'bool' : 'float32'),
  }) as Tensor;
}

async function expectClose(found: Tensor, expected: Nested, tolerance = 1e-5): Promise<void> {
  const wanted = flat(expected);
  const scale = Math.max(1, ...wanted.map(Math.abs));
  const values = [...(await found.data())].map(Number);
  expect(values).toHaveLength(wanted.length);
  values.forEach((value, i) => {
    expect(Math.abs(value - (wanted[i] as number)), `at ${i}`).toBeLessThanOrEqual(tolerance * scale);
  });
}

beforeAll(async () => {
  await init();
});

test.each(fixture.cases.map((each) => [each.layer, each] as const))('Keras writes %s', async (_, each) => {
  using net = modelFromJSON(JSON.stringify(each.model));
  net.setWeights(each.weights.map((values) => upload(values)));
  const { dtype, values } = each.input;
  const output = net.apply(tensor(values as number[], { dtype }) as never, { training: each.training });
  // Decibels of values near 0 have the error of logarithms.
  await expectClose(output as unknown as Tensor, each.output, each.layer === 'mel' ? 1e-4 : 1e-5);
  const written = JSON.parse(modelToJSON(net)) as WrittenCase['model'];
  expect(written.config.layers[1]).toEqual(each.model.config.layers[1]);
});

/** Draws that hold integers. */
const integers = new Set(['permutationOrder']);

function drawOf(layer: string, draw: Draw): unknown {
  if (layer === 'randomPosterization') return upload(draw as Nested, 'int32');
  if (typeof draw !== 'object' || Array.isArray(draw)) return upload(draw as Nested);
  const entries = Object.entries(draw as { [part: string]: Nested });
  return Object.fromEntries(
    entries.map(([part, values]) => [part, upload(values, integers.has(part) ? 'int32' : undefined)]),
  );
}

const unit: readonly [number, number] = [0, 1];

const makers = {
  cutMix: () => layers.cutMix(),
  mixUp: () => layers.mixUp(),
  randomErasing: () => layers.randomErasing(),
  solarization: () => layers.solarization(),
  randomHue: () => layers.randomHue({ factor: 0.5 }),
  randomSaturation: () => layers.randomSaturation({ factor: 0.5, valueRange: unit }),
  randomSharpness: () => layers.randomSharpness({ factor: 0.5 }),
  randomPosterization: () => layers.randomPosterization({ factor: 4, valueRange: unit }),
  randomGrayscale: () => layers.randomGrayscale(),
  randomGaussianBlur: () => layers.randomGaussianBlur({ kernelSize: [3, 5] }),
  randomShear: () => layers.randomShear({ xFactor: 0.5, yFactor: 0.5 }),
  randomPerspective: () => layers.randomPerspective(),
  randomElasticTransform: () => layers.randomElasticTransform(),
  randomElasticTransformMirror: () => layers.randomElasticTransform({ fillMode: 'mirror' }),
};

test.each(fixture.random.map((each) => [each.layer, each] as const))(
  '%s gives the same as Keras for a draw',
  async (name, each) => {
    const layer = makers[name as keyof typeof makers]();
    const draw = drawOf(name, each.transformation) as never;
    await expectClose(layer.transformImages(upload(each.images), draw), each.output);
    const { labels, segmentation_masks: masks } = each;
    if (labels) await expectClose(layer.transformLabels(upload(labels.input), draw), labels.output);
    if (!masks) return;
    const asClasses = upload(masks.input, 'int32');
    const changed = layer.transformSegmentationMasks(asClasses, draw);
    expect(changed.dtype).toBe('int32');
    await expectClose(changed, masks.output);
  },
);

test('the kernels of spectrograms are waves under a window', async () => {
  for (const { options, kernels } of fixture.spectrograms) {
    const { frame_length, fft_length, ...rest } = options;
    const layer = layers.stftSpectrogram({
      ...rest,
      frameLength: frame_length,
      fftLength: fft_length,
    } as never);
    layer.build();
    for (const [i, kernel] of kernels.entries()) await expectClose(layer.weights[i] as Tensor, kernel);
  }
});

/** Returns a batch of 8 images of 4 × 4 pixels in 3 channels. */
const batch = () =>
  tensor(
    Float32Array.from({ length: 8 * 48 }, (_, i) => (i * 37) % 256),
    { shape: [8, 4, 4, 3] },
  );

/** The battery tests each layer with a seed; these layers draw in special ways. */
const chance = {
  cutMix: () => layers.cutMix({ seed: 4 }),
  randomErasing: () => layers.randomErasing({ seed: 4 }),
  randomColorJitter: () => layers.randomColorJitter({ brightnessFactor: 0.4, contrastFactor: 0.4, seed: 4 }),
  randomPosterization: () => layers.randomPosterization({ factor: [1, 8], seed: 4 }),
  randAugment: () => layers.randAugment({ numOps: 2, seed: 4 }),
};

test.each(Object.entries(chance))('%s draws at each call, reproducibly with a seed', async (_, make) => {
  const layer = make();
  const draw = (of: { apply(x: Tensor): Tensor }) => of.apply(batch()).data();
  const first = await draw(layer);
  expect([...first].every((value) => Number.isFinite(value))).toBe(true);
  expect(await draw(layer)).not.toEqual(first);
  expect(await draw(make())).toEqual(first);
  expect(await make().apply(batch(), { training: false }).data()).toEqual(await batch().data());
});

describe('batches with labels and masks', () => {
  const record = (): Required<ImageBatch> => ({
    images: batch(),
    labels: tensor(
      Float32Array.from({ length: 8 * 4 }, (_, i) => (i % 5 === 0 ? 1 : 0)),
      { shape: [8, 4] },
    ),
    segmentationMasks: tensor(
      Int32Array.from({ length: 8 * 16 }, (_, i) => i % 3),
      { shape: [8, 4, 4, 1] },
    ),
  });

  test('labels and masks are changed with their images', async () => {
    const { images, labels, segmentationMasks } = layers.cutMix({ seed: 1 }).apply(record());
    expect(images.shape).toEqual([8, 4, 4, 3]);
    expect(await labels.data()).not.toEqual(await record().labels.data());
    expect(segmentationMasks.dtype).toBe('int32');
    const flipped = layers.randomFlip({ mode: 'horizontal', seed: 1 }).apply(record());
    expect(await flipped.labels.data()).toEqual(await record().labels.data());
    expect(await flipped.segmentationMasks.data()).not.toEqual(await record().segmentationMasks.data());
  });

  test('one image needs no batch', async () => {
    const one = {
      images: tensor(new Float32Array(48).fill(3), { shape: [4, 4, 3] }),
      labels: tensor([0, 1]),
    };
    const mixed = layers.mixUp().apply(one);
    expect(mixed.images.shape).toEqual([4, 4, 3]);
    expect(await mixed.labels.array()).toEqual([0, 1]);
  });

  test('a model has them as inputs and outputs', async () => {
    const given = {
      images: input({ shape: [4, 4, 3] }),
      labels: input({ shape: [4] }),
      segmentationMasks: input({ shape: [4, 4, 1], dtype: 'int32' }),
    };
    const changed = layers.pipeline({
      layers: [
        layers.resizing({ height: 3, width: 2 }),
        layers.randomRotation({ factor: 0.1 }),
        layers.mixUp(),
      ],
    });
    const net = model({ inputs: given as never, outputs: changed.apply(given as never) as never });
    const outputs = net.apply(record() as never, { training: true }) as unknown as Required<ImageBatch>;
    expect(outputs.images.shape).toEqual([8, 3, 2, 3]);
    expect(outputs.segmentationMasks.shape).toEqual([8, 3, 2, 1]);
    expect(outputs.segmentationMasks.dtype).toBe('float32');
    net.dispose();
  });

  test('parts of a batch have known names', () => {
    expect(() => layers.mixUp().apply({ images: batch(), label: tensor([1]) } as never)).toThrow(/labels/);
  });
});

test('mixing weights have the distribution Beta(alpha, alpha)', async () => {
  const [u, v] = [1, 2].map((seed) => randomUniform([20_000], { seed })) as [Tensor, Tensor];
  for (const alpha of [0.2, 1, 3]) {
    const values = [...(await symmetricBeta(alpha, u, v).data())];
    const moment = (power: number) => values.reduce((sum, x) => sum + (x - 0.5) ** power, 0) / values.length;
    // The variance is 1 / (4 (2a + 1)), and the fourth moment 3 / (16 (2a + 1) (2a + 3)).
    expect(Math.abs(moment(1))).toBeLessThan(0.01);
    expect(Math.abs(moment(2) * 4 * (2 * alpha + 1) - 1)).toBeLessThan(0.03);
    expect(Math.abs((moment(4) * 16 * (2 * alpha + 1) * (2 * alpha + 3)) / 3 - 1)).toBeLessThan(0.05);
  }
  const extreme = symmetricBeta(1e-6, tensor([0, 0.5, 1]), tensor([0, 0.25, 0.5]));
  expect([...(await extreme.data())].every((x) => x >= 0 && x <= 1)).toBe(true);
});

test('draws are new in each replay, and choices on the host keep a step from being replayed', async () => {
  const step = (layer: { apply(x: Tensor): Tensor }) => compile((x: Tensor) => layer.apply(x));
  const mixing = step(layers.mixUp({ seed: 2 }));
  const outputs: Float32Array[] = [];
  for (let i = 0; i < 3; i++) outputs.push((await mixing(batch()).data()) as Float32Array);
  expect(outputs[1]).not.toEqual(outputs[0]);
  expect(outputs[2]).not.toEqual(outputs[1]);
  const choosing = step(layers.randAugment({ seed: 2 }));
  choosing(batch());
  expect(JSON.stringify(choosing.explain())).toMatch(/chooses changes on the host/);
});

test('draws without a seed follow setRandomSeed', async () => {
  const run = async () => {
    setRandomSeed(3);
    return layers.cutMix().apply(batch()).data();
  };
  expect(await run()).toEqual(await run());
});
