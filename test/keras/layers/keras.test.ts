/**
 * @file Layers against real Keras (keras_layers.py, keras_options.py and keras_channels.py in test/fixtures/layers): read from Keras's
 * JSON, run with its weights, written as Keras writes them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { GradientTape, init, mul, sum, type Tensor, tensor } from '../../../src/index.ts';
import { layers, modelFromJSON, modelToJSON } from '../../../src/keras/index.ts';
import channels from '../../fixtures/layers/channels.json' with { type: 'json' };
import golden from '../../fixtures/layers/keras.json' with { type: 'json' };
import options from '../../fixtures/layers/options.json' with { type: 'json' };

/** Numbers at any depth. */
type Nested = number | readonly unknown[];

interface LayerCase {
  layer: string;
  model: { config: { layers: { config: Record<string, unknown> }[] } };
  training: boolean;
  input: { dtype: 'float32' | 'int32'; values: Nested };
  weights: Nested[];
  /** The weights after the call. */
  after: Nested[];
  output: Nested;
  /** The gradients of sum(cotangent · output), for the input and for each trained weight. */
  cotangent?: Nested;
  gradients?: Nested[];
}

interface Fixture {
  attentions: (Omit<LayerCase, 'input'> & { inputs: Nested[] })[];
  cases: LayerCase[];
  random: { layer: string; input: Nested; transformation: Nested; output: Nested }[];
  learned: { data: number[]; numBins: number; epsilon: number; boundaries: number[] }[];
}

const fixture = golden as unknown as Fixture;
const { cases: optionCases } = options as unknown as Pick<Fixture, 'cases'>;
const { cases: channelCases } = channels as unknown as Pick<Fixture, 'cases'>;

const flat = (values: Nested): number[] => ([values] as unknown[]).flat(Number.POSITIVE_INFINITY) as number[];
const upload = (values: Nested, dtype: 'float32' | 'int32' | 'bool' = 'float32') =>
  tensor(values as number[], { dtype }) as Tensor;

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

describe('layers of Keras', () => {
  const cases = [...fixture.cases, ...optionCases, ...channelCases];
  test.each(cases.map((each) => [each.layer, each] as const))('%s', async (_, each) => {
    using net = modelFromJSON(JSON.stringify(each.model));
    net.setWeights(each.weights.map((values) => upload(values)));
    const output = net.apply(upload(each.input.values, each.input.dtype) as never, {
      training: each.training,
    });
    await expectClose(output as unknown as Tensor, each.output);
    for (const [i, values] of each.after.entries()) await expectClose(net.weights[i] as Tensor, values);
    const written = JSON.parse(modelToJSON(net)) as LayerCase['model'];
    expect(written.config.layers[1]).toEqual(each.model.config.layers[1]);
  });
});

describe('gradients of Keras', () => {
  const cases = [...optionCases, ...channelCases].filter(({ gradients }) => gradients);
  test.each(cases.map((each) => [each.layer, each] as const))('%s', async (_, each) => {
    const { cotangent = [], gradients = [] } = each;
    using net = modelFromJSON(JSON.stringify(each.model));
    net.setWeights(each.weights.map((values) => upload(values)));
    const x = upload(each.input.values);
    const trained = net.trainableWeights;
    expect(gradients).toHaveLength(1 + trained.length);
    using tape = new GradientTape();
    tape.watch(x);
    const y = net.apply(x as never, { training: each.training }) as unknown as Tensor;
    const found = tape.gradient(sum(mul(y, upload(cotangent))), [x, ...trained]);
    for (const [i, values] of gradients.entries()) await expectClose(found[i] as Tensor, values);
  });
});

test.each(fixture.attentions.map((each) => [each.layer, each] as const))('attention: %s', async (_, each) => {
  using net = modelFromJSON(JSON.stringify(each.model));
  net.setWeights(each.weights.map((values) => upload(values)));
  const output = net.apply(each.inputs.map((values) => upload(values)) as never);
  await expectClose(output as unknown as Tensor, each.output);
  const written = JSON.parse(modelToJSON(net)) as LayerCase['model'];
  expect(written.config.layers[2]?.config).toEqual(each.model.config.layers[2]?.config);
});

/** Converts a draw of Keras for the layer. */
const draws: Record<string, (values: Nested) => unknown> = {
  randomFlip: (flips) => upload(flips, 'bool'),
  randomInvert: (flips) => upload(flips, 'bool'),
  randomCrop: (corner) => flat(corner).map((start) => upload([start], 'int32')),
};

const makers = {
  randomFlip: () => layers.randomFlip(),
  randomBrightness: () => layers.randomBrightness({ factor: 0.3 }),
  randomContrast: () => layers.randomContrast({ factor: 0.3 }),
  randomInvert: () => layers.randomInvert(),
  randomColorDegeneration: () => layers.randomColorDegeneration({ factor: 0.5, valueRange: [-0.5, 1] }),
  randomCrop: () => layers.randomCrop({ height: 2, width: 3 }),
  randomRotation: () => layers.randomRotation({ factor: 0.3 }),
  randomTranslation: () => layers.randomTranslation({ heightFactor: 0.3, widthFactor: 0.3 }),
  randomZoom: () => layers.randomZoom({ heightFactor: 0.3 }),
};

describe('random layers', () => {
  test.each(fixture.random.map((each) => [each.layer, each] as const))(
    '%s gives the same as Keras for a draw',
    async (name, { input, transformation, output }) => {
      const layer = makers[name as keyof typeof makers]();
      const draw = (draws[name] ?? upload)(transformation) as never;
      await expectClose(layer.transformImages(upload(input), draw), output);
    },
  );

  test('samples differ from call to call, and are reproducible with a seed', async () => {
    const x = tensor(
      Float32Array.from({ length: 8 * 4 * 4 }, (_, i) => i),
      { shape: [8, 4, 4, 1] },
    );
    const run = async (make: () => layers.Layer, calls = 2) => {
      const layer = make();
      const outputs: number[][] = [];
      for (let i = 0; i < calls; i++) outputs.push([...(await layer.apply(x, { training: true }).data())]);
      return outputs;
    };
    for (const make of [
      () => layers.randomFlip({ seed: 4 }),
      () => layers.randomCrop({ height: 2, width: 2, seed: 9 }),
      () => layers.randomBrightness({ factor: 0.4, seed: 4 }),
      () => layers.randomContrast({ factor: [0.2, 0.9], seed: 4 }),
      () => layers.randomInvert({ factor: 0.9, seed: 4 }),
      () => layers.randomRotation({ factor: 0.5, seed: 4 }),
      () => layers.randomTranslation({ heightFactor: 0.5, widthFactor: 0.1, seed: 4 }),
      () => layers.randomZoom({ heightFactor: 0.5, widthFactor: 0.1, seed: 4 }),
    ]) {
      const [first, second] = await run(make);
      expect(second).not.toEqual(first);
      expect(await run(make, 1)).toEqual([first]);
    }
  });

  test('they draw unless training is false, as in Keras', async () => {
    const x = tensor([
      [[1], [2]],
      [[3], [4]],
    ]);
    const layer = layers.randomBrightness({ factor: [0.5, 0.5] });
    expect(await layer.apply(x).array()).not.toEqual(await x.array());
    expect(await layer.apply(x, { training: false }).array()).toEqual(await x.array());
  });

  test('alpha dropout keeps mean and variance', async () => {
    const x = tensor(
      Float32Array.from(
        { length: 40_000 },
        (_, i) => Math.sqrt(-2 * Math.log((i + 0.5) / 4e4)) * Math.cos(i * 2.399963),
      ),
    );
    const y = layers.alphaDropout({ rate: 0.2, seed: 1 }).apply(x, { training: true });
    const values = [...(await y.data())].map(Number);
    const average = values.reduce((a, b) => a + b, 0) / values.length;
    const variance = values.reduce((a, b) => a + (b - average) ** 2, 0) / values.length;
    expect(Math.abs(average)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  });
});

test.each(fixture.learned)('bins are learned as Keras does: $numBins of $data.length', async (each) => {
  const { data, numBins, epsilon, boundaries } = each;
  const layer = layers.discretization({ numBins, epsilon });
  await layer.adapt(data);
  expect(layer.binBoundaries).toHaveLength(boundaries.length);
  layer.binBoundaries?.forEach((bound, i) => {
    expect(bound).toBeCloseTo(boundaries[i] as number, 5);
  });
  await expect(layers.discretization({ binBoundaries: [0] }).adapt([1])).rejects.toThrow(/numBins/);
});
