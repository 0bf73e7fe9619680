/** @file Metrics against the values that Keras's documentation gives. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init } from '../../../src/index.ts';
import * as metrics from '../../../src/keras/metrics/index.ts';

beforeAll(async () => {
  await init();
});

type Values = number[] | number[][];

interface Example {
  /** A fresh metric. */
  make: () => metrics.Metric;
  yTrue: Values;
  yPred: Values;
  sampleWeight?: Values;
  value: number | number[];
}

const pairs: Values = [
  [0, 1],
  [0, 0],
];
const ones: Values = [
  [1, 1],
  [0, 0],
];
const shares: Values = [
  [0.6, 0.4],
  [0.4, 0.6],
];
const scores: Values = [
  [0.1, 0.9, 0.8],
  [0.05, 0.95, 0],
];
const oneHot: Values = [
  [0, 0, 1],
  [0, 1, 0],
];
const chances: Values = [
  [0.05, 0.95, 0],
  [0.1, 0.8, 0.1],
];
const binary = { yTrue: [0, 1, 1, 1], yPred: [1, 0, 1, 1] };
const curve = { yTrue: [0, 0, 0, 1, 1], yPred: [0, 0.3, 0.8, 0.3, 0.8] };
const labels: Values = [
  [1, 1, 1],
  [1, 0, 0],
  [1, 1, 0],
];
const labelScores: Values = [
  [0.2, 0.6, 0.7],
  [0.2, 0.6, 0.6],
  [0.6, 0.8, 0],
];
const segments = {
  yTrue: [
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 0],
  ],
  yPred: [
    [0.2, 0.3, 0.5],
    [0.1, 0.2, 0.7],
    [0.5, 0.3, 0.1],
    [0.1, 0.4, 0.5],
  ],
  sampleWeight: [0.1, 0.2, 0.3, 0.4],
};
const varying: Values = [
  [0, 1, 0.5],
  [1, 1, 0.2],
];
const varied: Values = [
  [0.1, 0.9, 0.5],
  [1, 0.9, 0.2],
];

const examples: Record<string, Example[]> = {
  accuracy: [
    { make: metrics.accuracy, yTrue: [[1], [2], [3], [4]], yPred: [[0], [2], [3], [4]], value: 0.75 },
    {
      make: metrics.accuracy,
      yTrue: [[1], [2], [3], [4]],
      yPred: [[0], [2], [3], [4]],
      sampleWeight: [1, 1, 0, 0],
      value: 0.5,
    },
  ],
  binaryAccuracy: [
    {
      make: metrics.binaryAccuracy,
      yTrue: [[1], [1], [0], [0]],
      yPred: [[0.98], [1], [0], [0.6]],
      value: 0.75,
    },
    {
      make: metrics.binaryAccuracy,
      yTrue: [[1], [1], [0], [0]],
      yPred: [[0.98], [1], [0], [0.6]],
      sampleWeight: [1, 0, 0, 1],
      value: 0.5,
    },
  ],
  categoricalAccuracy: [
    { make: metrics.categoricalAccuracy, yTrue: oneHot, yPred: scores, value: 0.5 },
    { make: metrics.categoricalAccuracy, yTrue: oneHot, yPred: scores, sampleWeight: [0.7, 0.3], value: 0.3 },
  ],
  sparseCategoricalAccuracy: [
    {
      make: metrics.sparseCategoricalAccuracy,
      yTrue: [[2], [1]],
      yPred: [
        [0.1, 0.6, 0.3],
        [0.05, 0.95, 0],
      ],
      value: 0.5,
    },
    {
      make: metrics.sparseCategoricalAccuracy,
      yTrue: [[2], [1]],
      yPred: [
        [0.1, 0.6, 0.3],
        [0.05, 0.95, 0],
      ],
      sampleWeight: [0.7, 0.3],
      value: 0.3,
    },
  ],
  topKCategoricalAccuracy: [
    { make: () => metrics.topKCategoricalAccuracy({ k: 1 }), yTrue: oneHot, yPred: scores, value: 0.5 },
    {
      make: () => metrics.topKCategoricalAccuracy({ k: 1 }),
      yTrue: oneHot,
      yPred: scores,
      sampleWeight: [0.7, 0.3],
      value: 0.3,
    },
  ],
  sparseTopKCategoricalAccuracy: [
    { make: () => metrics.sparseTopKCategoricalAccuracy({ k: 1 }), yTrue: [2, 1], yPred: scores, value: 0.5 },
    {
      make: () => metrics.sparseTopKCategoricalAccuracy({ k: 1 }),
      yTrue: [2, 1],
      yPred: scores,
      sampleWeight: [0.7, 0.3],
      value: 0.3,
    },
  ],
  meanSquaredError: [{ make: metrics.meanSquaredError, yTrue: pairs, yPred: ones, value: 0.25 }],
  rootMeanSquaredError: [
    { make: metrics.rootMeanSquaredError, yTrue: pairs, yPred: ones, value: 0.5 },
    {
      make: metrics.rootMeanSquaredError,
      yTrue: pairs,
      yPred: ones,
      sampleWeight: [1, 0],
      value: 0.70710677,
    },
  ],
  meanAbsoluteError: [
    { make: metrics.meanAbsoluteError, yTrue: pairs, yPred: ones, value: 0.25 },
    { make: metrics.meanAbsoluteError, yTrue: pairs, yPred: ones, sampleWeight: [1, 0], value: 0.5 },
  ],
  meanAbsolutePercentageError: [
    { make: metrics.meanAbsolutePercentageError, yTrue: pairs, yPred: ones, value: 250000000 },
    {
      make: metrics.meanAbsolutePercentageError,
      yTrue: pairs,
      yPred: ones,
      sampleWeight: [1, 0],
      value: 500000000,
    },
  ],
  meanSquaredLogarithmicError: [
    { make: metrics.meanSquaredLogarithmicError, yTrue: pairs, yPred: ones, value: 0.12011322 },
    {
      make: metrics.meanSquaredLogarithmicError,
      yTrue: pairs,
      yPred: ones,
      sampleWeight: [1, 0],
      value: 0.24022643,
    },
  ],
  cosineSimilarity: [
    {
      make: () => metrics.cosineSimilarity({ axis: 1 }),
      yTrue: [
        [0, 1],
        [1, 1],
      ],
      yPred: [
        [1, 0],
        [1, 1],
      ],
      value: 0.49999997,
    },
    {
      make: () => metrics.cosineSimilarity({ axis: 1 }),
      yTrue: [
        [0, 1],
        [1, 1],
      ],
      yPred: [
        [1, 0],
        [1, 1],
      ],
      sampleWeight: [0.3, 0.7],
      value: 0.6999999,
    },
  ],
  logCoshError: [
    { make: metrics.logCoshError, yTrue: pairs, yPred: ones, value: 0.10844523 },
    { make: metrics.logCoshError, yTrue: pairs, yPred: ones, sampleWeight: [1, 0], value: 0.21689045 },
  ],
  r2Score: [{ make: metrics.r2Score, yTrue: [[1], [4], [3]], yPred: [[2], [4], [4]], value: 0.57142854 }],
  klDivergence: [
    { make: metrics.klDivergence, yTrue: pairs, yPred: shares, value: 0.45814306 },
    { make: metrics.klDivergence, yTrue: pairs, yPred: shares, sampleWeight: [1, 0], value: 0.9162892 },
  ],
  poisson: [
    { make: metrics.poisson, yTrue: pairs, yPred: ones, value: 0.49999997 },
    { make: metrics.poisson, yTrue: pairs, yPred: ones, sampleWeight: [1, 0], value: 0.99999994 },
  ],
  binaryCrossentropy: [
    { make: metrics.binaryCrossentropy, yTrue: pairs, yPred: shares, value: 0.81492424 },
    { make: metrics.binaryCrossentropy, yTrue: pairs, yPred: shares, sampleWeight: [1, 0], value: 0.9162905 },
  ],
  categoricalCrossentropy: [
    {
      make: metrics.categoricalCrossentropy,
      yTrue: [
        [0, 1, 0],
        [0, 0, 1],
      ],
      yPred: chances,
      value: 1.1769392,
    },
    {
      make: metrics.categoricalCrossentropy,
      yTrue: [
        [0, 1, 0],
        [0, 0, 1],
      ],
      yPred: chances,
      sampleWeight: [0.3, 0.7],
      value: 1.6271976,
    },
  ],
  sparseCategoricalCrossentropy: [
    { make: metrics.sparseCategoricalCrossentropy, yTrue: [1, 2], yPred: chances, value: 1.1769392 },
    {
      make: metrics.sparseCategoricalCrossentropy,
      yTrue: [1, 2],
      yPred: chances,
      sampleWeight: [0.3, 0.7],
      value: 1.6271976,
    },
  ],
  hinge: [
    { make: metrics.hinge, yTrue: pairs, yPred: shares, value: 1.3 },
    { make: metrics.hinge, yTrue: pairs, yPred: shares, sampleWeight: [1, 0], value: 1.1 },
  ],
  squaredHinge: [
    { make: metrics.squaredHinge, yTrue: pairs, yPred: shares, value: 1.86 },
    { make: metrics.squaredHinge, yTrue: pairs, yPred: shares, sampleWeight: [1, 0], value: 1.46 },
  ],
  categoricalHinge: [
    { make: metrics.categoricalHinge, yTrue: pairs, yPred: shares, value: 1.4000001 },
    { make: metrics.categoricalHinge, yTrue: pairs, yPred: shares, sampleWeight: [1, 0], value: 1.2 },
  ],
  truePositives: [
    { make: metrics.truePositives, ...binary, value: 2 },
    { make: metrics.truePositives, ...binary, sampleWeight: [0, 0, 1, 0], value: 1 },
  ],
  trueNegatives: [
    { make: metrics.trueNegatives, yTrue: [0, 1, 0, 0], yPred: [1, 1, 0, 0], value: 2 },
    {
      make: metrics.trueNegatives,
      yTrue: [0, 1, 0, 0],
      yPred: [1, 1, 0, 0],
      sampleWeight: [0, 0, 1, 0],
      value: 1,
    },
  ],
  falsePositives: [
    { make: metrics.falsePositives, yTrue: [0, 1, 0, 0], yPred: [0, 0, 1, 1], value: 2 },
    {
      make: metrics.falsePositives,
      yTrue: [0, 1, 0, 0],
      yPred: [0, 0, 1, 1],
      sampleWeight: [0, 0, 1, 0],
      value: 1,
    },
  ],
  falseNegatives: [
    { make: metrics.falseNegatives, yTrue: [0, 1, 1, 1], yPred: [0, 1, 0, 0], value: 2 },
    {
      make: metrics.falseNegatives,
      yTrue: [0, 1, 1, 1],
      yPred: [0, 1, 0, 0],
      sampleWeight: [0, 0, 1, 0],
      value: 1,
    },
  ],
  precision: [
    { make: metrics.precision, ...binary, value: 0.6666667 },
    { make: metrics.precision, ...binary, sampleWeight: [0, 0, 1, 0], value: 1 },
    { make: () => metrics.precision({ topK: 2 }), yTrue: [0, 0, 1, 1], yPred: [1, 1, 1, 1], value: 0 },
    { make: () => metrics.precision({ topK: 4 }), yTrue: [0, 0, 1, 1], yPred: [1, 1, 1, 1], value: 0.5 },
  ],
  recall: [
    { make: metrics.recall, ...binary, value: 0.6666667 },
    { make: metrics.recall, ...binary, sampleWeight: [0, 0, 1, 0], value: 1 },
  ],
  fBetaScore: [
    {
      make: () => metrics.fBetaScore({ beta: 2, threshold: 0.5 }),
      yTrue: labels,
      yPred: labelScores,
      value: [0.3846154, 0.90909094, 0.8333334],
    },
  ],
  f1Score: [
    {
      make: () => metrics.f1Score({ threshold: 0.5 }),
      yTrue: labels,
      yPred: labelScores,
      value: [0.5, 0.8, 0.6666667],
    },
  ],
  auc: [
    {
      make: () => metrics.auc({ numThresholds: 3 }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 0.5, 0.3, 0.9],
      value: 0.75,
    },
    {
      make: () => metrics.auc({ numThresholds: 3 }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 0.5, 0.3, 0.9],
      sampleWeight: [1, 0, 0, 1],
      value: 1,
    },
  ],
  sensitivityAtSpecificity: [
    { make: () => metrics.sensitivityAtSpecificity({ specificity: 0.5 }), ...curve, value: 0.5 },
    {
      make: () => metrics.sensitivityAtSpecificity({ specificity: 0.5 }),
      ...curve,
      sampleWeight: [1, 1, 2, 2, 1],
      value: 0.333333,
    },
  ],
  specificityAtSensitivity: [
    { make: () => metrics.specificityAtSensitivity({ sensitivity: 0.5 }), ...curve, value: 0.66666667 },
    {
      make: () => metrics.specificityAtSensitivity({ sensitivity: 0.5 }),
      ...curve,
      sampleWeight: [1, 1, 2, 2, 2],
      value: 0.5,
    },
  ],
  precisionAtRecall: [
    { make: () => metrics.precisionAtRecall({ recall: 0.5 }), ...curve, value: 0.5 },
    {
      make: () => metrics.precisionAtRecall({ recall: 0.5 }),
      ...curve,
      sampleWeight: [2, 2, 2, 1, 1],
      value: 0.33333333,
    },
  ],
  recallAtPrecision: [
    {
      make: () => metrics.recallAtPrecision({ precision: 0.8 }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 0.5, 0.3, 0.9],
      value: 0.5,
    },
    {
      make: () => metrics.recallAtPrecision({ precision: 0.8 }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 0.5, 0.3, 0.9],
      sampleWeight: [1, 0, 0, 1],
      value: 1,
    },
  ],
  iou: [
    {
      make: () => metrics.iou({ numClasses: 2, targetClassIds: [0] }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 1, 0, 1],
      value: 0.33333334,
    },
    {
      make: () => metrics.iou({ numClasses: 2, targetClassIds: [0], dtype: 'float32' }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 1, 0, 1],
      sampleWeight: [0.3, 0.3, 0.3, 0.1],
      value: 0.33333334,
    },
  ],
  binaryIoU: [
    {
      make: () => metrics.binaryIoU({ targetClassIds: [0, 1], threshold: 0.3 }),
      yTrue: [0, 1, 0, 1],
      yPred: [0.1, 0.2, 0.4, 0.7],
      value: 0.33333334,
    },
    {
      make: () => metrics.binaryIoU({ targetClassIds: [0, 1], threshold: 0.3, dtype: 'float32' }),
      yTrue: [0, 1, 0, 1],
      yPred: [0.1, 0.2, 0.4, 0.7],
      sampleWeight: [0.2, 0.3, 0.4, 0.1],
      value: 0.17361112,
    },
  ],
  meanIoU: [
    {
      make: () => metrics.meanIoU({ numClasses: 2 }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 1, 0, 1],
      value: 0.33333334,
    },
    {
      make: () => metrics.meanIoU({ numClasses: 2, dtype: 'float32' }),
      yTrue: [0, 0, 1, 1],
      yPred: [0, 1, 0, 1],
      sampleWeight: [0.3, 0.3, 0.3, 0.1],
      value: 0.23809525,
    },
  ],
  oneHotIoU: [
    {
      // As in Keras's code, if not in its documentation: fractions of weights are dropped.
      make: () => metrics.oneHotIoU({ numClasses: 2, targetClassIds: [0, 1] }),
      yTrue: [
        [1, 0],
        [0, 1],
        [0, 1],
        [1, 0],
      ],
      yPred: [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
      sampleWeight: [0.7, 1.5, 2.9, 0.2],
      value: 0.16666667,
    },
    {
      make: () => metrics.oneHotIoU({ numClasses: 3, targetClassIds: [0, 2], dtype: 'float32' }),
      ...segments,
      value: 0.1 / 0.7 / 2,
    },
  ],
  oneHotMeanIoU: [
    {
      make: () => metrics.oneHotMeanIoU({ numClasses: 3, dtype: 'float32' }),
      ...segments,
      value: 0.1 / 0.7 / 3,
    },
  ],
  pearsonCorrelation: [{ make: metrics.pearsonCorrelation, yTrue: varying, yPred: varied, value: 0.9966996 }],
  concordanceCorrelation: [
    { make: metrics.concordanceCorrelation, yTrue: varying, yPred: varied, value: 0.9816320385 },
  ],
};

describe.each(Object.keys(examples))('%s', (name) => {
  test.each(examples[name]?.map((example, i) => [i, example] as const) ?? [])('%i', async (_, example) => {
    const { make, yTrue, yPred, sampleWeight, value } = example;
    using metric = make();
    metric.updateState(yTrue, yPred, sampleWeight ? { sampleWeight } : {});
    using result = metric.result();
    const found = [...(await result.data())];
    const wanted = [value].flat();
    expect(found.length).toBe(wanted.length);
    wanted.forEach((v, i) => {
      expect(Math.abs((found[i] as number) - v), `${found} for ${wanted}`).toBeLessThanOrEqual(
        1e-6 + 1e-6 * Math.abs(v),
      );
    });
  });
});

test('every metric of two inputs has an example', () => {
  const others = ['mean', 'sum', 'meanMetricWrapper', 'metricOf'];
  const makers = Object.keys(metrics).filter((name) => /^[a-z]/.test(name) && !others.includes(name));
  expect(Object.keys(examples).sort()).toEqual(makers.sort());
});

test('Mean and Sum', async () => {
  using mean = metrics.mean();
  mean.updateState([1, 3, 5, 7]);
  expect(await mean.result().item()).toBe(4);
  mean.resetState();
  mean.updateState([1, 3, 5, 7], { sampleWeight: [1, 1, 0, 0] });
  expect(await mean.result().item()).toBe(2);
  using sum = metrics.sum();
  sum.updateState([1, 3, 5, 7]);
  expect(await sum.result().item()).toBe(16);
  sum.resetState();
  sum.updateState([1, 3, 5, 7], { sampleWeight: [1, 1, 0, 0] });
  expect(await sum.result().item()).toBe(4);
});
