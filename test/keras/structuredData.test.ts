/**
 * @file A program: patients with a heart disease, by columns of several kinds. Encoded features train a model, and a second model takes the
 * columns as they are (https://keras.io/examples/structured_data/structured_data_classification_with_feature_space).
 */
import { beforeAll, expect, test } from 'vitest';
import { fromTensorSlices } from '../../src/data/index.ts';
import { expandDims, init, setRandomSeed, type Tensor } from '../../src/index.ts';
import { layers, model, optimizers, utils } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
  setRandomSeed(1);
});

const count = 96;
const column = <T>(of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i));
const thals = ['normal', 'fixed', 'reversible'];
const patients = {
  sex: column((i) => i % 2),
  cp: column((i) => (i * 5) % 4),
  thal: column((i) => thals[(i * 7) % 3] as string),
  age: column((i) => 40 + ((i * 13) % 37)),
  trestbps: column((i) => 110 + ((i * 17) % 60)),
  oldpeak: column((i) => ((i * 11) % 40) / 10),
};
const target = column((i) => Number(patients.thal[i] === 'reversible' || (patients.age[i] as number) > 65));

test('features are learned, train a model, and are part of another one', async () => {
  const rows = fromTensorSlices([patients, target] as const);
  const [train, validation] = [rows.take(72), rows.skip(72)];
  const { FeatureSpace } = utils;
  const features = new FeatureSpace({
    features: {
      sex: 'integerCategorical',
      cp: FeatureSpace.integerCategorical({ numOovIndices: 0 }),
      thal: 'stringCategorical',
      age: FeatureSpace.floatDiscretized({ numBins: 10 }),
      trestbps: 'floatNormalized',
      oldpeak: FeatureSpace.floatRescaled({ scale: 0.25 }),
    },
    crosses: [FeatureSpace.cross({ featureNames: ['sex', 'age'], crossingDim: 16 }), ['thal', 'cp']],
    crossingDim: 8,
  });
  await features.adapt(train.map(([x]) => x) as never);

  const encoded = (data: typeof rows) =>
    data.batch(24).map(([x, y]) => [features.apply(x as never), y] as const);
  const inputs = features.getInputs();
  const vectors = features.getEncodedFeatures();
  const hidden = layers.dense({ units: 16, activation: 'relu' }).apply(vectors);
  const outputs = layers.dense({ units: 1, activation: 'sigmoid' }).apply(layers.dropout(0.1).apply(hidden));
  const trained = model({ inputs: vectors, outputs });
  trained.compile({ optimizer: optimizers.adam(0.02), loss: 'binaryCrossentropy', metrics: ['accuracy'] });
  const history = await trained.fit(encoded(train.shuffle(72, { seed: 2 })), {
    epochs: 5,
    validationData: encoded(validation),
    verbose: 0,
  });
  const losses = history.history.loss as number[];
  expect(losses.at(-1)).toBeLessThan(0.7 * (losses[0] as number));
  expect(history.history.val_accuracy).toHaveLength(5);

  const inference = model({ inputs, outputs });
  const sample = { sex: 1, cp: 1, thal: 'reversible', age: 60, trestbps: 145, oldpeak: 2.3 };
  const direct = (await inference.predict(features.toInputs(sample) as never)) as unknown as Tensor;
  const vector = expandDims(features.apply(sample), { axis: 0 });
  const encodedFirst = (await trained.predict(vector as never)) as unknown as Tensor;
  expect(direct.shape).toEqual([1, 1]);
  expect((await direct.data())[0]).toBeCloseTo((await encodedFirst.data())[0] as number, 5);
});
