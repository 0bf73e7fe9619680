/** @file Properties that all metrics share: names, configurations, state on the device, replays, and errors. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  GradientTape,
  IndexOutOfRangeError,
  init,
  max,
  maximum,
  memory,
  mul,
  type RetrogradError,
  ShapeError,
  square,
  sub,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../../src/index.ts';
import * as losses from '../../../src/keras/losses/index.ts';
import { setMask } from '../../../src/keras/masks.ts';
import * as metrics from '../../../src/keras/metrics/index.ts';
import { clearSession } from '../../../src/keras/names.ts';
import { registerClass } from '../../../src/keras/serialization/registered.ts';
import { compile } from '../../../src/autodiff/compile.ts';

beforeAll(async () => {
  await init();
});

const { metricOf } = metrics;

/** Required options. */
const required: Record<string, object> = {
  sensitivityAtSpecificity: { specificity: 0.5 },
  specificityAtSensitivity: { sensitivity: 0.5 },
  precisionAtRecall: { recall: 0.5 },
  recallAtPrecision: { precision: 0.5 },
  iou: { numClasses: 2, targetClassIds: [1] },
  meanIoU: { numClasses: 2 },
  oneHotIoU: { numClasses: 2, targetClassIds: [0, 1] },
  oneHotMeanIoU: { numClasses: 2 },
  meanMetricWrapper: { fn: function deviation() {} },
};
type Maker = (options?: object) => metrics.Metric;
const makers = Object.entries(metrics).filter(([name]) => /^[a-z]/.test(name) && name !== 'metricOf') as [
  string,
  Maker,
][];

/** Targets and predictions [3, 2] that every metric of two inputs takes, except for those of sparse labels. */
const sparse = [
  'sparseCategoricalAccuracy',
  'sparseTopKCategoricalAccuracy',
  'sparseCategoricalCrossentropy',
];
const segments = ['iou', 'meanIoU', 'binaryIoU'];
function inputsOf(name: string): [yTrue: Tensor, yPred: Tensor] {
  const yPred = tensor([
    [0.1, 0.9],
    [0.6, 0.4],
    [0.8, 0.2],
  ]);
  if (sparse.includes(name)) return [tensor([1, 1, 0]), yPred];
  const yTrue = tensor([
    [0, 1],
    [1, 0],
    [0, 1],
  ]);
  return [
    yTrue,
    segments.includes(name) && name !== 'binaryIoU'
      ? tensor([
          [0, 1],
          [1, 1],
          [0, 0],
        ])
      : yPred,
  ];
}

describe.each(makers)('%s', (name, make) => {
  const options = required[name] ?? {};
  const isMean = ['mean', 'sum', 'meanMetricWrapper'].includes(name);

  test('can be created again from its configuration, by name and by class', () => {
    using metric = make({ ...options, name: 'mine' });
    expect(metric.name).toBe('mine');
    using again = metricOf({ className: metric.className, config: metric.getConfig() });
    expect(again.getConfig()).toEqual(metric.getConfig());
    expect(again.className).toBe(metric.className);
    expect(again.direction).toBe(metric.direction);
    if (!required[name]) {
      using byName = metricOf(name);
      expect([byName.className, byName.name]).toEqual([metric.className, name]);
    }
    if (metric.constructor.name === metric.className) {
      const { fromConfig } = metric.constructor as typeof metrics.Metric;
      using third = fromConfig.call(metric.constructor as never, metric.getConfig());
      expect(third.getConfig()).toEqual(metric.getConfig());
    }
  });

  test('leaves nothing behind', () => {
    const use = () =>
      tidy(() => {
        using metric = make(options);
        metric.resetState();
        if (isMean) return;
        const [yTrue, yPred] = inputsOf(name);
        metric.updateState(yTrue, yPred, { sampleWeight: [1, 2, 3] });
        metric.result();
      });
    // Numbers in ops are uploaded once, and cached.
    use();
    const before = memory();
    use();
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
  });

  test('rejects an option that it does not have', () => {
    const before = memory().tensors;
    expect(() => make({ ...options, treshold: 1 })).toThrow(ValueError);
    expect(() => make({ ...options, name: '' })).toThrow(ValueError);
    expect(memory().tensors).toBe(before);
  });

  if (isMean) return;

  test('replays in compiled functions to the same values', async () => {
    using plain = make(options);
    using replayed = make(options);
    const [yTrue, yPred] = inputsOf(name);
    replayed.build(yTrue, yPred);
    using step = compile((t: Tensor, p: Tensor, w: Tensor) => {
      replayed.updateState(t, p, { sampleWeight: w });
      return replayed.result();
    });
    for (let i = 0; i < 4; i++) {
      const weights = tensor([1 + i, 2, 0.5]);
      plain.updateState(yTrue, yPred, { sampleWeight: weights });
      using wanted = plain.result();
      using found = step(yTrue, yPred, weights);
      expect([...(await found.data())]).toEqual([...(await wanted.data())]);
    }
    expect(step.explain()).toMatchObject([{ captured: true, reason: null }]);
    plain.resetState();
    replayed.resetState();
    const weights = tensor([3, 2, 1]);
    plain.updateState(yTrue, yPred, { sampleWeight: weights });
    expect([...(await step(yTrue, yPred, weights).data())]).toEqual([...(await plain.result().data())]);
  });

  test('reports shapes that do not match', () => {
    using metric = make(options);
    const [yTrue, yPred] = inputsOf(name);
    expect(() => metric.updateState(tensor([[1, 2, 3]]), yPred)).toThrow(ShapeError);
    expect(() => metric.updateState(yTrue, yPred, { sampleWeight: [1, 2, 3, 4, 5] })).toThrow(ShapeError);
    expect(() => metric.updateState('yes' as never, yPred)).toThrow(ValueError);
  });
});

describe('by name', () => {
  test.each([
    ['mse', 'MeanSquaredError'],
    ['MAE', 'MeanAbsoluteError'],
    ['mape', 'MeanAbsolutePercentageError'],
    ['msle', 'MeanSquaredLogarithmicError'],
    ['rmse', 'RootMeanSquaredError'],
    ['bce', 'BinaryCrossentropy'],
    ['kld', 'KLDivergence'],
    ['kl_divergence', 'KLDivergence'],
    ['mean_iou', 'MeanIoU'],
    ['fbeta_score', 'FBetaScore'],
    ['f1_score', 'F1Score'],
    ['AUC', 'AUC'],
    ['auc', 'AUC'],
    ['top_k_categorical_accuracy', 'TopKCategoricalAccuracy'],
    ['logcosh', 'LogCoshError'],
  ])('%s is %s, and keeps the name', (name, className) => {
    const config = className === 'MeanIoU' ? { numClasses: 2 } : {};
    using metric = name === 'mean_iou' ? metricOf({ className: name, config }) : metricOf(name);
    expect(metric.className).toBe(className);
    if (name !== 'mean_iou') expect(metric.name).toBe(name);
  });

  test.each([
    ['binary', [null, 1], [null, 1], 'BinaryAccuracy'],
    ['binary, of a vector', [null], [null, 1], 'BinaryAccuracy'],
    ['labels', [null], [null, 10], 'SparseCategoricalAccuracy'],
    ['a column of labels', [null, 1], [null, 10], 'SparseCategoricalAccuracy'],
    ['one-hot', [null, 10], [null, 10], 'CategoricalAccuracy'],
    ['steps of labels', [null, 7], [null, 7, 10], 'SparseCategoricalAccuracy'],
    ['steps of one-hot', [null, 7, 10], [null, 7, 10], 'CategoricalAccuracy'],
  ])("'accuracy' of %s", (_, yTrue, yPred, className) => {
    for (const name of ['accuracy', 'acc', 'Accuracy']) {
      const specs = {
        yTrue: { shape: yTrue, dtype: 'float32' },
        yPred: { shape: yPred, dtype: 'float32' },
      } as const;
      using metric = metricOf(name, specs);
      expect([metric.className, metric.name]).toEqual([className, name]);
    }
    using plain = metricOf('accuracy');
    expect(plain.className).toBe('Accuracy');
  });

  test('by maker, function, loss, and itself', async () => {
    using made = metricOf(metrics.hinge);
    expect(made.className).toBe('Hinge');
    expect(metricOf(made)).toBe(made);
    using own = metricOf(function worst(t, p) {
      return max(square(sub(t, p)), { axis: -1 });
    });
    own.updateState([[1, 2]], [[1, 5]]);
    expect([own.name, own.className, await own.result().item()]).toEqual(['worst', 'MeanMetricWrapper', 9]);
    using maker = metricOf(losses.huber);
    using object = metricOf(losses.huber({ name: 'soft' }));
    expect([maker.name, object.name]).toEqual(['huber_loss', 'soft']);
    object.updateState([[0, 2]], [[1, 5]]);
    expect(await object.result().item()).toBe(1.5);
  });

  test('by class, and by registered names', async () => {
    class Bias extends metrics.MeanMetricWrapper {
      static override readonly className = 'Bias';
      constructor({ name = 'bias', scale = 1 }: { name?: string; scale?: number } = {}) {
        super({ name, fn: (t, p) => mul(max(sub(p, t), { axis: -1 }), scale) });
      }
    }
    registerClass(Bias, { package: 'test' });
    registerClass(
      function gap(t: Tensor, p: Tensor) {
        return max(sub(p, t), { axis: -1 });
      },
      { package: 'test', name: 'gap' },
    );
    using plain = metricOf(metrics.AUC);
    using byName = metricOf('test>Bias');
    using byConfig = metricOf({ className: 'Bias', config: { scale: 3 } });
    using byFunction = metricOf('gap');
    expect([plain, byName, byConfig, byFunction].map((m) => [m.className, m.name])).toEqual([
      ['AUC', plain.name],
      ['Bias', 'test>Bias'],
      ['Bias', 'bias'],
      ['MeanMetricWrapper', 'gap'],
    ]);
    byConfig.updateState([[1, 1]], [[2, 3]]);
    expect(await byConfig.result().item()).toBe(6);
  });

  test('the error for an unknown name lists the known ones', () => {
    for (const identifier of ['acuracy', 3, null, {}, []]) {
      expect(() => metricOf(identifier as never)).toThrow(ValueError);
    }
    expect(() => metricOf('acuracy')).toThrow(/binaryAccuracy.*mse/s);
    const scalar = { shape: [], dtype: 'float32' } as const;
    expect(() => metricOf('accuracy', { yTrue: scalar, yPred: scalar })).toThrow(ShapeError);
  });

  test('default names are numbered in the classes that Keras numbers', () => {
    clearSession();
    using first = metrics.precision();
    using second = metrics.precision();
    using mean = metrics.meanSquaredError();
    using again = metrics.meanSquaredError();
    expect([first, second, mean, again].map(({ name }) => name)).toEqual([
      'precision',
      'precision_1',
      'mean_squared_error',
      'mean_squared_error',
    ]);
  });
});

test('state has the names of Keras', () => {
  const names = (metric: metrics.Metric) => metric.variables.map(({ name }) => name);
  using mse = metrics.meanSquaredError();
  using precision = metrics.precision();
  using recall = metrics.recall();
  using positives = metrics.truePositives();
  using auc = metrics.auc();
  using iou = metrics.meanIoU({ numClasses: 2 });
  using f1 = metrics.f1Score();
  using r2 = metrics.r2Score();
  f1.build({ shape: [null, 2], dtype: 'float32' }, { shape: [null, 2], dtype: 'float32' });
  r2.build({ shape: [null, 2], dtype: 'float32' }, { shape: [null, 2], dtype: 'float32' });
  expect([mse, precision, recall, positives, auc, iou, f1, r2].map(names)).toEqual([
    ['total', 'count'],
    ['true_positives', 'false_positives'],
    ['true_positives', 'false_negatives'],
    ['accumulator'],
    ['true_positives', 'false_positives', 'true_negatives', 'false_negatives'],
    ['total_confusion_matrix'],
    ['true_positives', 'false_positives', 'false_negatives', 'intermediate_weights'],
    ['num_samples', 'squared_sum', 'sum', 'residual', 'count'],
  ]);
  for (const variable of auc.variables) expect(variable.trainable).toBe(false);
});

test('the mask of the predictions is used, unless another is given', async () => {
  const yTrue = tensor([[1, 1, 1]]);
  const yPred = setMask(tensor([[1, 1, 0]]), tensor([true, true, false], { shape: [1, 3] }));
  using metric = metricOf((t, p) => square(sub(t, p)));
  metric.updateState(yTrue, yPred);
  expect(await metric.result().item()).toBe(0);
  metric.resetState();
  metric.updateState(yTrue, yPred, { mask: null });
  expect(await metric.result().item()).toBeCloseTo(1 / 3, 6);
});

test('a tape records nothing of a metric', () => {
  using metric = metrics.meanSquaredError();
  const x = tensor([[1, 2]]);
  using tape = new GradientTape();
  tape.watch(x);
  metric.updateState([[0, 0]], mul(x, 2));
  const result = metric.result();
  expect(tape.gradient(result, [x])).toEqual([null]);
});

test('a custom metric', async () => {
  class Largest extends metrics.Metric {
    static override readonly className = 'Largest';
    readonly largest = this.addVariable('largest');
    updateState(_: unknown, yPred: number[][]): void {
      this.change(() => {
        this.largest.assign(maximum(this.largest, max(yPred)));
      });
    }
    result(): Tensor {
      return this.compute(() => add(this.largest, 0));
    }
  }
  using metric = new Largest({ name: 'top' });
  metric.updateState(null, [[1, 5]]);
  metric.updateState(null, [[3, 2]]);
  expect(await metric.result().item()).toBe(5);
  expect([metric.name, metric.className, String(metric)]).toEqual(['top', 'Largest', "Largest 'top'"]);
  metric.resetState();
  expect(await metric.result().item()).toBe(0);
});

test('makers also compute values of samples', async () => {
  expect(await metrics.binaryAccuracy([[1, 0]], [[0.6, 0.6]]).array()).toEqual([0.5]);
  expect(await metrics.binaryAccuracy([[1, 0]], [[0.6, 0.6]], { threshold: 0.7 }).array()).toEqual([0.5]);
  expect(await metrics.meanAbsoluteError([[1, 0]], [[2, 3]]).array()).toEqual([2]);
  expect(await metrics.sparseCategoricalAccuracy([1], [[0.2, 0.8]]).array()).toEqual([1]);
  expect(() => metrics.binaryAccuracy([[1]], [[1]], { threshold: Number.NaN })).toThrow(ValueError);
  expect(() => metrics.binaryAccuracy([[1]] as never)).toThrow(ValueError);
});

describe('rejected', () => {
  test.each<[string, () => unknown]>([
    ['a threshold that is NaN', () => metrics.binaryAccuracy({ threshold: Number.NaN })],
    ['a threshold that is a text', () => metrics.binaryAccuracy({ threshold: '0.5' as never })],
    ['k of 0', () => metrics.topKCategoricalAccuracy({ k: 0 })],
    ['a fractional k', () => metrics.sparseTopKCategoricalAccuracy({ k: 1.5 })],
    ['smoothing above 1', () => metrics.binaryCrossentropy({ labelSmoothing: 2 })],
    ['thresholds beyond 1', () => metrics.precision({ thresholds: [0.5, 1.5] })],
    ['no thresholds', () => metrics.recall({ thresholds: [] })],
    ['topK of 0', () => metrics.precision({ topK: 0 })],
    ['a negative class', () => metrics.recall({ classId: -1 })],
    ['one threshold in an area', () => metrics.auc({ numThresholds: 1 })],
    ['a curve that is none', () => metrics.auc({ curve: 'LIFT' as never })],
    ['a summation that is none', () => metrics.auc({ summationMethod: 'middle' as never })],
    ['labels without multiLabel', () => metrics.auc({ numLabels: 2 })],
    ['negative weights of labels', () => metrics.auc({ labelWeights: [-1] })],
    ['an average that is none', () => metrics.f1Score({ average: 'mean' as never })],
    ['beta of 0', () => metrics.fBetaScore({ beta: 0 })],
    ['beta in f1', () => metrics.f1Score({ beta: 2 } as never)],
    ['a specificity above 1', () => metrics.sensitivityAtSpecificity({ specificity: 2 })],
    ['no specificity', () => metrics.sensitivityAtSpecificity({} as never)],
    ['no thresholds at all', () => metrics.recallAtPrecision({ precision: 0.5, numThresholds: 0 })],
    ['no classes', () => metrics.meanIoU({} as never)],
    ['a target beyond the classes', () => metrics.iou({ numClasses: 2, targetClassIds: [2] })],
    ['a target beyond two', () => metrics.binaryIoU({ targetClassIds: [2] })],
    ['an aggregation that is none', () => metrics.r2Score({ classAggregation: 'sum' as never })],
    ['negative regressors', () => metrics.r2Score({ numRegressors: -1 })],
    ['a wrapper without function', () => metrics.meanMetricWrapper({} as never)],
    ['the result of labels that nobody counted', () => metrics.auc({ multiLabel: true }).result()],
  ])('%s', (_, make) => {
    let error: unknown;
    try {
      make();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ValueError);
    const { rule, received, hint } = error as RetrogradError;
    expect([rule, received, hint].every((part) => part && part.length > 0)).toBe(true);
  });

  test.each<[string, () => metrics.Metric, unknown, unknown]>([
    ['a class beyond the predictions', () => metrics.precision({ classId: 5 }), [[1, 0]], [[1, 0]]],
    ['a class of vectors', () => metrics.precision({ classId: 0 }), [1, 0], [1, 0]],
    ['labels of another number', () => metrics.auc({ multiLabel: true, numLabels: 3 }), [[1, 0]], [[1, 0]]],
    [
      'weights of labels of another number',
      () => metrics.auc({ labelWeights: [1, 1, 1] }),
      [[1, 0]],
      [[1, 0]],
    ],
    ['scores of vectors', () => metrics.f1Score(), [1, 0], [1, 0]],
    ['columns of vectors', () => metrics.r2Score(), [1, 0], [1, 0]],
    ['segments of different sizes', () => metrics.meanIoU({ numClasses: 2 }), [1, 0], [1, 0, 1]],
  ])('%s', (_, make, yTrue, yPred) => {
    using metric = make();
    expect(() => metric.updateState(yTrue as never, yPred as never)).toThrow(ShapeError);
  });

  test('a label outside of the classes, at the next readback', async () => {
    using metric = metrics.meanIoU({ numClasses: 2 });
    metric.updateState([0, 1], [0, 2]);
    await expect(metric.result().data()).rejects.toThrow(IndexOutOfRangeError);
  });
});

describe('a label that sparseCategoricalCrossentropy ignores', () => {
  const chances = [
    [0.5, 0.3, 0.2],
    [0.1, 0.6, 0.3],
    [0.2, 0.2, 0.6],
    [0.25, 0.25, 0.5],
  ];
  const labels = [0, 1, 2, 1];
  const [first, second, last] = [-Math.log(0.5), -Math.log(0.6), -Math.log(0.25)] as const;

  test('has the value 0, and does not count where there are weights, as in Keras', async () => {
    using metric = metrics.sparseCategoricalCrossentropy({ ignoreClass: 2 });
    metric.updateState(labels, chances);
    expect(await metric.result().item()).toBeCloseTo((first + second + last) / 4, 5);
    metric.resetState();
    metric.updateState(labels, chances, { sampleWeight: [1, 2, 5, 1] });
    expect(await metric.result().item()).toBeCloseTo((first + 2 * second + last) / 4, 5);
  });

  test("is read from Keras's configuration, which names it also where there is none", () => {
    for (const ignoreClass of [null, 255]) {
      const config = { fromLogits: true, ignoreClass, axis: -1, name: 'entropy' };
      using metric = metricOf({ className: 'SparseCategoricalCrossentropy', config });
      expect(metric.getConfig()).toEqual(expect.objectContaining(config));
    }
  });
});
