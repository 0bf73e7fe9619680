/** @file Feature spaces next to Keras's own (test/fixtures/keras/featureSpace.py): results, files in both forms, errors. */
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromTensorSlices } from '../../src/data/index.ts';
import { FormatError, init, memory, Tensor, tensor, ValueError } from '../../src/index.ts';
import { BytesTarget, loadModel } from '../../src/io/index.ts';
import { clearSession, layers, model, utils } from '../../src/keras/index.ts';

const { FeatureSpace } = utils;
const folder = new URL('../fixtures/keras/featureSpace/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder));

interface Result {
  shape: number[];
  dtype: string;
  values: number[];
}
type Results = Result | Record<string, Result>;
type Table = Record<string, (number | string)[]>;
const {
  train,
  new: fresh,
  expected,
} = JSON.parse(read('expected.json').toString()) as {
  train: Table;
  new: Table;
  expected: Record<string, { batch: Results; sample: Results }> & { model: Result };
};

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

async function compare(found: Tensor, { shape, dtype, values }: Result): Promise<void> {
  expect(found.shape).toEqual(shape);
  // On TensorFlow, Keras's multi-hot lookups return 64-bit integers, too, although their shapes say float32.
  const integers = shape.at(-1) === 1 ? 'int32' : 'float32';
  expect(found.dtype).toBe(dtype === 'int64' ? integers : dtype);
  [...(await found.data())].forEach((value, i) => {
    expect(value).toBeCloseTo(values[i] as number, 4);
  });
}

async function compareAll(found: Tensor | Record<string, Tensor>, results: Results): Promise<void> {
  if (found instanceof Tensor) return compare(found, results as Result);
  expect(Object.keys(found)).toEqual(Object.keys(results));
  for (const [name, each] of Object.entries(found))
    await compare(each, (results as Record<string, Result>)[name] as Result);
}

const cases = {
  strings: () => ({
    features: {
      age: 'floatNormalized',
      chol: 'float_discretized',
      oldpeak: 'float',
      grade: 'integerCategorical',
      zip: 'integer_hashed',
      thal: 'stringCategorical',
      city: 'stringHashed',
    },
    crosses: [
      ['thal', 'grade'],
      ['chol', 'city'],
    ],
    crossingDim: 16,
    hashingDim: 12,
    numDiscretizationBins: 5,
  }),
  options: () => ({
    features: {
      age: FeatureSpace.floatRescaled({ scale: 0.02, offset: -1 }),
      chol: FeatureSpace.floatDiscretized(7),
      oldpeak: FeatureSpace.floatNormalized(),
      grade: FeatureSpace.integerCategorical({ maxTokens: 3, numOovIndices: 2 }),
      ca: FeatureSpace.integerCategorical({ numOovIndices: 3, outputMode: 'int' }),
      zip: FeatureSpace.integerHashed({ numBins: 9, outputMode: 'int' }),
      thal: FeatureSpace.stringCategorical(4),
      city: FeatureSpace.stringHashed(50, 'int'),
    },
    crosses: [
      FeatureSpace.cross({ featureNames: ['grade', 'zip'], crossingDim: 11, outputMode: 'int' }),
      FeatureSpace.cross(['city', 'thal'], 8),
    ],
    outputMode: 'dict',
  }),
  texts: () => ({
    features: {
      city: FeatureSpace.feature({
        dtype: 'string',
        preprocessor: layers.textVectorization({ outputMode: 'tfIdf' }),
        outputMode: 'float',
      }),
      thal: FeatureSpace.feature('string', layers.stringLookup({ outputMode: 'multiHot' }), 'float'),
      age: 'float',
    },
    outputMode: 'dict',
  }),
} as const;

type Case = keyof typeof cases;
const names = Object.keys(cases) as Case[];
type Space = utils.FeatureSpace<'concat' | 'dict'>;
const spaceOf = (name: Case) => new FeatureSpace(cases[name]() as never) as Space;
const columnsOf = (space: { readonly features: object }, data: Table) =>
  Object.fromEntries(Object.keys(space.features).map((name) => [name, data[name] as (number | string)[]]));
const firstOf = (data: Record<string, (number | string)[]>) =>
  Object.fromEntries(Object.entries(data).map(([name, [value]]) => [name, value as number | string]));

async function check(space: Space, name: Case): Promise<void> {
  const data = columnsOf(space, fresh);
  const { batch, sample } = expected[name] as { batch: Results; sample: Results };
  await compareAll(space.apply(data), batch);
  await compareAll(space.apply(firstOf(data)), sample);
}

describe.each(names)('%s', (name) => {
  test('learned from a dataset', async () => {
    const space = spaceOf(name);
    const rows = fromTensorSlices(columnsOf(space, train) as never);
    await space.adapt((name === 'strings' ? rows.batch(20) : rows) as never);
    await check(space, name);
    const model = FeatureSpace.fromConfig(space.getConfig()) as Space;
    // Moments aren't in configurations.
    await model.adapt(columnsOf(space, train));
    await check(model, name);
  });

  test('loaded from Keras, saved and loaded again', async () => {
    const space = (await FeatureSpace.load(read(`${name}.keras`))) as Space;
    await check(space, name);
    const saved = new BytesTarget();
    await space.save(saved);
    const again = (await FeatureSpace.load(saved.bytes)) as Space;
    await check(again, name);
    const { name: _, ...config } = space.getConfig();
    expect({ ...again.getConfig(), name: undefined }).toEqual({ ...config, name: undefined });
  });
});

test('a model of the graph in a file of Keras takes what toInputs returns', async () => {
  const space = await FeatureSpace.load(read('strings.keras'));
  const net = await loadModel(read('model.keras'), { onTextLayer: () => {} });
  const given = space.toInputs(columnsOf(space, fresh));
  await compare(net.apply(given as never) as unknown as Tensor, expected.model);
});

test('a model of its graph is saved', async () => {
  const space = spaceOf('strings') as unknown as utils.FeatureSpace;
  await space.adapt(columnsOf(space, train));
  const encoded = space.getEncodedFeatures();
  expect(encoded.shape).toEqual([null, (expected.strings as { batch: Result }).batch.shape[1]]);
  const net = model({ inputs: space.getInputs(), outputs: layers.dense({ units: 2 }).apply(encoded) });
  const saved = new BytesTarget();
  await net.save(saved);
  const loaded = await loadModel(saved.bytes);
  const inputs = space.toInputs(columnsOf(space, fresh));
  const [a, b] = [net, loaded].map((each) => each.apply(inputs as never) as unknown as Tensor) as [
    Tensor,
    Tensor,
  ];
  expect([...(await a.data())]).toEqual([...(await b.data())]);
  expect(String(net.inputs.map(({ name }) => name).toSorted())).toBe('age,chol,city,grade,oldpeak,thal,zip');
});

test('parts are accessible; tensors are values, too', async () => {
  const space = new FeatureSpace({
    features: { a: 'float', b: FeatureSpace.integerCategorical({ outputMode: 'oneHot', numOovIndices: 0 }) },
    crosses: [],
  });
  expect(space.concat).toBeNull();
  await space.adapt({ a: [1, 2], b: Int32Array.of(7, 9) });
  expect(space.concat).toBeInstanceOf(layers.Concatenate);
  expect((space.preprocessors.b as layers.IntegerLookup).getVocabulary()).toEqual([9, 7]);
  expect(Object.keys(space.oneHotEncoders)).toEqual(['b']);
  const before = memory().tensors;
  const made = space.apply({ a: tensor([1, 2]), b: tensor([9, 7], { dtype: 'int32' }) });
  expect([...(await made.data())]).toEqual([1, 1, 0, 2, 0, 1]);
  expect(memory().tensors).toBe(before + 3);
  const one = space.apply({ a: true, b: 7 });
  expect([...(await one.data())]).toEqual([1, 0, 1]);
  // Adapting again learns again.
  await space.adapt({ a: [1], b: [4] });
  expect(space.apply({ a: 0, b: 4 }).shape).toEqual([2]);
});

describe('errors', () => {
  const two = { f1: 'integerCategorical', f2: 'integerCategorical' } as const;
  test.each([
    ['no features', { features: {} }, /one or more/],
    ['an unknown kind', { features: { f1: 'floats' } }, /did you mean 'float'/],
    ['no crossingDim', { features: two, crosses: [['f1', 'f2']], crossingDim: null }, /crossingDim/],
    ['an unknown feature', { features: two, crosses: [['f1', 'f3']] }, /did you mean 'f1'/],
    ['one feature in a cross', { features: two, crosses: [['f1']] }, /two features/],
    ['another mode', { features: two, outputMode: 'list' }, /concat/],
    ['an unknown option', { features: two, crossingDims: 3 }, /did you mean 'crossingDim'/],
    [
      'another layer',
      { features: { a: { dtype: 'float32', preprocessor: 3, outputMode: 'float' } } },
      /layer/,
    ],
  ])('%s', (_, options, message) => {
    expect(() => new FeatureSpace(options as never)).toThrow(ValueError);
    expect(() => new FeatureSpace(options as never)).toThrow(message);
  });

  test('before adapt, and of samples', async () => {
    const space = new FeatureSpace({ features: { ...two, s: 'stringHashed' } });
    for (const early of [
      () => space.apply({ f1: 1, f2: 2, s: 'a' }),
      () => space.getInputs(),
      () => space.getEncodedFeatures(),
    ])
      expect(early).toThrow(/adapt/);
    await expect(space.save(new BytesTarget())).rejects.toThrow(/adapt/);
    await expect(space.adapt([1, 2] as never)).rejects.toThrow(ValueError);
    await expect(space.adapt({ f1: [1] } as never)).rejects.toThrow(/f2/);
    await space.adapt({ f1: [1], f2: [2], s: ['a'] });
    expect(() => space.apply({ f1: 1, f2: 2 })).toThrow(/'s'/);
    expect(() => space.apply({ f1: 1, f2: 2, s: 'a', f: 3 })).toThrow(/did you mean 'f1'/);
    expect(() => space.apply({ f1: 1, f2: 'b', s: 'a' })).toThrow(/numbers/);
    expect(() => space.apply({ f1: 1, f2: 1, s: tensor([1]) })).toThrow(/read a tensor back/);
    expect(() => space.apply([] as never)).toThrow(/record/);
  });

  test('what is not encoded', async () => {
    const ints = { a: FeatureSpace.integerHashed({ numBins: 3, outputMode: 'int' }) };
    expect(() => new FeatureSpace({ features: ints }).apply({ a: 1 })).toThrow(/isn't encoded/);
    const floats = {
      a: FeatureSpace.feature({ dtype: 'float32', preprocessor: layers.identity(), outputMode: 'oneHot' }),
    };
    expect(() => new FeatureSpace({ features: floats }).apply({ a: 1 })).toThrow(/returns integers/);
  });

  test('other files', async () => {
    await expect(loadModel(read('strings.keras'))).rejects.toThrow(/FeatureSpace\.load/);
    await expect(FeatureSpace.load(read('model.keras'))).rejects.toThrow(FormatError);
    await expect(FeatureSpace.load(new Uint8Array(100))).rejects.toThrow(FormatError);
  });
});
