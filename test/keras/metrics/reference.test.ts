/** @file Metrics over several batches against plain references in double precision. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import * as metrics from '../../../src/keras/metrics/index.ts';

beforeAll(async () => {
  await init();
});

/** Numbers in [0, 1), the same in every run. */
function draws(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround(state / 2 ** 32);
  };
}

interface Batch {
  yTrue: number[][];
  yPred: number[][];
  weights: number[];
}

/** Batches of labels that are more often 1 where the score is high. */
function batches(seed: number, sizes: number[], columns: number): Batch[] {
  const draw = draws(seed);
  const rows = (count: number, make: () => number) =>
    Array.from({ length: count }, () => Array.from({ length: columns }, make));
  return sizes.map((size) => {
    const yPred = rows(size, draw);
    const yTrue = yPred.map((row) => row.map((score) => Number(draw() < 0.2 + 0.6 * score)));
    return { yTrue, yPred, weights: Array.from({ length: size }, () => Math.fround(draw() * 2)) };
  });
}

interface Sample {
  truth: boolean;
  score: number;
  weight: number;
}

/** All values of all batches, one by one; with `column`, only those of that column. */
function samplesOf(given: Batch[], { weighted = true, column = null as number | null } = {}): Sample[] {
  return given.flatMap(({ yTrue, yPred, weights }) =>
    yPred.flatMap((row, i) =>
      row
        .map((score, j) => ({
          truth: yTrue[i]?.[j] === 1,
          score,
          weight: weighted ? (weights[i] as number) : 1,
          j,
        }))
        .filter(({ j }) => column === null || j === column),
    ),
  );
}

function cellsAt(samples: Sample[], threshold: number) {
  const total = (keep: (s: Sample) => boolean) =>
    samples.filter(keep).reduce((sum, { weight }) => sum + weight, 0);
  return {
    tp: total(({ truth, score }) => truth && score > threshold),
    fp: total(({ truth, score }) => !truth && score > threshold),
    fn: total(({ truth, score }) => truth && score <= threshold),
    tn: total(({ truth, score }) => !truth && score <= threshold),
  };
}

const ratio = (x: number, y: number) => (y === 0 ? 0 : x / y);

function areaOf(samples: Sample[], thresholds: number[], curve: string, method: string): number {
  const cells = thresholds.map((threshold) => cellsAt(samples, threshold));
  let area = 0;
  for (let i = 0; i + 1 < cells.length; i++) {
    const [a, b] = [cells[i], cells[i + 1]] as [(typeof cells)[0], (typeof cells)[0]];
    if (curve === 'PR' && method === 'interpolation') {
      const [pa, pb] = [a.tp + a.fp, b.tp + b.fp];
      const slope = pa - pb > 1e-9 ? (a.tp - b.tp) / (pa - pb) : 0;
      const intercept = b.tp - slope * pb;
      const log = pa > 0 && pb > 0 ? Math.log(pa / pb) : 0;
      area += ratio(slope * (a.tp - b.tp + intercept * log), b.tp + b.fn);
      continue;
    }
    const point = ({ tp, fp, fn, tn }: typeof a) =>
      curve === 'ROC' ? [ratio(fp, fp + tn), ratio(tp, tp + fn)] : [ratio(tp, tp + fn), ratio(tp, tp + fp)];
    const [[xa, ya], [xb, yb]] = [point(a), point(b)] as [[number, number], [number, number]];
    const height = { interpolation: (ya + yb) / 2, minoring: Math.min(ya, yb), majoring: Math.max(ya, yb) };
    area += (xa - xb) * (height[method as keyof typeof height] as number);
  }
  return area;
}

const even = (count: number) => [
  -1e-7,
  ...Array.from({ length: count - 2 }, (_, i) => (i + 1) / (count - 1)),
  1 + 1e-7,
];

async function expectNear(result: Tensor, wanted: number | number[], tolerance = 2e-5): Promise<void> {
  const found = [...(await result.data())] as number[];
  result.dispose();
  const values = [wanted].flat();
  expect(found.length).toBe(values.length);
  values.forEach((value, i) => {
    expect(Math.abs((found[i] as number) - value), `${found} for ${values}`).toBeLessThanOrEqual(tolerance);
  });
}

function updateAll(metric: metrics.Metric, given: Batch[], weighted: boolean): void {
  for (const { yTrue, yPred, weights } of given) {
    metric.updateState(yTrue, yPred, weighted ? { sampleWeight: weights } : {});
  }
}

describe('auc', () => {
  const given = batches(1, [7, 16, 1, 12], 1);
  const several = batches(2, [9, 5, 8], 3);

  for (const curve of ['ROC', 'PR'] as const) {
    for (const summationMethod of ['interpolation', 'minoring', 'majoring'] as const) {
      test.each([false, true])(`${curve}, ${summationMethod}, weighted: %s`, async (weighted) => {
        using metric = metrics.auc({ curve, summationMethod });
        updateAll(metric, given, weighted);
        const wanted = areaOf(samplesOf(given, { weighted }), even(200), curve, summationMethod);
        await expectNear(metric.result(), wanted);
      });
    }
  }

  test('custom thresholds', async () => {
    using metric = metrics.auc({ thresholds: [0.9, 0.1, 0.35, 0.4] });
    updateAll(metric, given, true);
    const thresholds = [-1e-7, 0.1, 0.35, 0.4, 0.9, 1 + 1e-7];
    await expectNear(metric.result(), areaOf(samplesOf(given), thresholds, 'ROC', 'interpolation'));
    expect(metric.thresholds).toEqual(thresholds);
  });

  test.each([
    ['even thresholds', { numThresholds: 11 }, even(11)],
    ['custom thresholds', { thresholds: [0.2, 0.7] }, [-1e-7, 0.2, 0.7, 1 + 1e-7]],
  ])('separate labels, with %s', async (_, options, thresholds) => {
    const areas = [0, 1, 2].map((column) =>
      areaOf(samplesOf(several, { column }), thresholds as number[], 'ROC', 'interpolation'),
    ) as [number, number, number];
    using plain = metrics.auc({ ...options, multiLabel: true });
    updateAll(plain, several, true);
    await expectNear(plain.result(), (areas[0] + areas[1] + areas[2]) / 3);
    using weighted = metrics.auc({ ...options, multiLabel: true, numLabels: 3, labelWeights: [1, 2, 5] });
    updateAll(weighted, several, true);
    await expectNear(weighted.result(), (areas[0] + 2 * areas[1] + 5 * areas[2]) / 8);
  });

  test('labels together, weighted', async () => {
    using metric = metrics.auc({ numThresholds: 21, labelWeights: [1, 2, 5] });
    updateAll(metric, several, true);
    const samples = [1, 2, 5].flatMap((labelWeight, column) =>
      samplesOf(several, { column }).map((sample) => ({ ...sample, weight: sample.weight * labelWeight })),
    );
    await expectNear(metric.result(), areaOf(samples, even(21), 'ROC', 'interpolation'));
  });

  test('logits', async () => {
    using metric = metrics.auc({ fromLogits: true });
    for (const { yTrue, yPred } of given) {
      metric.updateState(
        yTrue,
        yPred.map((row) => row.map((p) => Math.log(p / (1 - p)))),
      );
    }
    await expectNear(
      metric.result(),
      areaOf(samplesOf(given, { weighted: false }), even(200), 'ROC', 'interpolation'),
    );
  });
});

describe('precision and recall', () => {
  const given = batches(3, [6, 11, 4], 4);

  test.each([[0.5], [[0.25, 0.6]], [[0, 0.5, 1]]])('at %j', async (thresholds) => {
    using precision = metrics.precision({ thresholds });
    using recall = metrics.recall({ thresholds });
    updateAll(precision, given, true);
    updateAll(recall, given, true);
    const cells = [thresholds].flat().map((threshold) => cellsAt(samplesOf(given), threshold));
    await expectNear(
      precision.result(),
      cells.map(({ tp, fp }) => ratio(tp, tp + fp)),
    );
    await expectNear(
      recall.result(),
      cells.map(({ tp, fn }) => ratio(tp, tp + fn)),
    );
  });

  test('of one class', async () => {
    using precision = metrics.precision({ classId: 2, thresholds: 0.4 });
    updateAll(precision, given, true);
    const { tp, fp } = cellsAt(samplesOf(given, { column: 2 }), 0.4);
    await expectNear(precision.result(), ratio(tp, tp + fp));
  });

  test.each([null, 1])('of the two largest, class %s', async (classId) => {
    const cut = given.map((batch) => ({
      ...batch,
      yPred: batch.yPred.map((row) => {
        const second = [...row].sort((a, b) => b - a)[1] as number;
        return row.map((score) => (score >= second ? 1 : 0));
      }),
    }));
    const { tp, fp, fn } = cellsAt(samplesOf(cut, { column: classId }), 0.5);
    using precision = metrics.precision({ topK: 2, classId });
    using recall = metrics.recall({ topK: 2, classId });
    updateAll(precision, given, true);
    updateAll(recall, given, true);
    await expectNear(precision.result(), ratio(tp, tp + fp));
    await expectNear(recall.result(), ratio(tp, tp + fn));
  });

  test('weights of single values', async () => {
    const [{ yTrue, yPred }] = given as [Batch];
    const weights = yPred.map((row) => row.map((score) => score + 1));
    using metric = metrics.truePositives();
    metric.updateState(yTrue, yPred, { sampleWeight: weights });
    const wanted = yPred.flatMap((row, i) =>
      row.map((score, j) => (score > 0.5 && yTrue[i]?.[j] === 1 ? (weights[i]?.[j] as number) : 0)),
    );
    await expectNear(
      metric.result(),
      wanted.reduce((a, b) => a + b, 0),
    );
  });
});

describe('scores of classes', () => {
  const given = batches(4, [8, 5], 3);
  const perClass = [0, 1, 2].map((column) => cellsAt(samplesOf(given, { column }), 0.5));
  const score = ({ tp, fp, fn }: (typeof perClass)[0], beta: number) => {
    const [p, r] = [ratio(tp, tp + fp), ratio(tp, tp + fn)];
    return ratio((1 + beta ** 2) * p * r, beta ** 2 * p + r);
  };
  const support = perClass.map(({ tp, fn }) => tp + fn);
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

  test('fBetaScore', async () => {
    const wanted = {
      none: perClass.map((cells) => score(cells, 2)),
      macro: sum(perClass.map((cells) => score(cells, 2))) / 3,
      weighted: sum(perClass.map((cells, i) => score(cells, 2) * (support[i] as number))) / sum(support),
      micro: score(cellsAt(samplesOf(given), 0.5), 2),
    };
    for (const [name, value] of Object.entries(wanted)) {
      const average = name === 'none' ? null : (name as 'micro');
      using metric = metrics.fBetaScore({ average, beta: 2, threshold: 0.5 });
      updateAll(metric, given, true);
      await expectNear(metric.result(), value);
    }
  });

  test('f1Score of the largest prediction', async () => {
    using metric = metrics.f1Score({ average: 'micro' });
    const [{ yTrue, yPred }] = given as [Batch];
    metric.updateState(yTrue, [...yPred.slice(0, -1), [0, 0, 0]]);
    const cut = yPred.map((row, i) => row.map((s) => Number(i < 7 && s === Math.max(...row))));
    const samples = samplesOf([{ yTrue, yPred: cut, weights: [] }], { weighted: false });
    await expectNear(metric.result(), score(cellsAt(samples, 0.5), 1));
  });
});

describe('means', () => {
  test('weights and masks of two axes', async () => {
    const values = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const weights = [
      [1, 0, 2],
      [0.5, 1, 1],
    ];
    using metric = metrics.mean();
    metric.updateState(values, { sampleWeight: weights });
    // Values times weights, and weights, each by its mean within a sample.
    const top = (1 + 6) / 3 + (2 + 5 + 6) / 3;
    await expectNear(metric.result(), top / (3 / 3 + 2.5 / 3));
    metric.resetState();
    const mask = tensor([true, false, true, true, true, false], { shape: [2, 3] });
    metric.updateState(values, { mask });
    await expectNear(metric.result(), ((1 + 3) / 3 + (4 + 5) / 3) / (4 / 3));
    metric.resetState();
    metric.updateState(values, { mask, sampleWeight: [1, 3] });
    await expectNear(metric.result(), ((1 + 3) / 3 + (12 + 15) / 3) / ((2 + 6) / 3));
  });

  test('values of three axes, weights of one and two', async () => {
    const values = [
      [
        [1, 3],
        [5, 7],
      ],
      [
        [2, 4],
        [6, 8],
      ],
    ];
    using metric = metrics.mean();
    metric.updateState(values, { sampleWeight: [1, 3] });
    await expectNear(metric.result(), (4 + 3 * 5) / 4);
    metric.resetState();
    metric.updateState(values, {
      sampleWeight: [
        [1, 0],
        [0, 2],
      ],
    });
    await expectNear(metric.result(), (2 / 2 + 14 / 2) / (0.5 + 1));
    using sum = metrics.sum();
    sum.updateState(values, { sampleWeight: [1, 3] });
    await expectNear(sum.result(), 16 + 60);
  });

  test('batches of different sizes count by their samples', async () => {
    using metric = metrics.meanAbsoluteError();
    metric.updateState([[0], [0], [0]], [[1], [1], [1]]);
    metric.updateState([[0]], [[5]]);
    await expectNear(metric.result(), 2);
    metric.updateState(tensor([], { shape: [0, 1] }), tensor([], { shape: [0, 1] }));
    await expectNear(metric.result(), 2);
  });

  test('a scalar weight, and a scalar value', async () => {
    using metric = metrics.mean();
    metric.updateState(4, { sampleWeight: 3 });
    metric.updateState(8);
    await expectNear(metric.result(), (12 + 8) / 4);
  });
});

describe('top k', () => {
  test.each([1, 2, 3, 9])('the %i largest; ties share a rank', async (k) => {
    const yPred = [
      [0.1, 0.5, 0.5, 0.2],
      [0.9, 0.05, 0.03, 0.02],
      [0.25, 0.25, 0.25, 0.25],
    ];
    const yTrue = [2, 3, 0];
    const right = yTrue.map((label, i) => {
      const row = yPred[i] as number[];
      return Number(row.filter((p) => p > (row[label] as number)).length < k);
    });
    const wanted = right.reduce((a, b) => a + b, 0) / 3;
    using metric = metrics.sparseTopKCategoricalAccuracy({ k });
    metric.updateState(yTrue, yPred);
    await expectNear(metric.result(), wanted);
    using oneHot = metrics.topKCategoricalAccuracy({ k });
    oneHot.updateState(
      yTrue.map((label) => [0, 1, 2, 3].map((c) => Number(c === label))),
      yPred,
    );
    await expectNear(oneHot.result(), wanted);
  });

  test('a label outside of the classes, and one whose prediction is not finite, are wrong', async () => {
    using metric = metrics.sparseTopKCategoricalAccuracy({ k: 2 });
    metric.updateState(
      [-1, 7, 0],
      [
        [1, 2],
        [1, 2],
        [Number.NaN, 2],
      ],
    );
    await expectNear(metric.result(), 0);
  });

  test('steps of sequences', async () => {
    const yPred = [
      [
        [0.9, 0.1],
        [0.2, 0.8],
      ],
      [
        [0.3, 0.7],
        [0.6, 0.4],
      ],
    ];
    const yTrue = [
      [0, 0],
      [1, 0],
    ];
    using metric = metrics.sparseCategoricalAccuracy();
    metric.updateState(yTrue, yPred);
    await expectNear(metric.result(), 0.75);
    using topK = metrics.sparseTopKCategoricalAccuracy({ k: 1 });
    topK.updateState(yTrue, yPred);
    await expectNear(topK.result(), 0.75);
  });
});

test('meanIoU over two axes, with a label that does not count', async () => {
  const yTrue = [
    [0, 1, 255],
    [2, 1, 0],
  ];
  const yPred = [
    [0, 2, 1],
    [2, 1, 1],
  ];
  using metric = metrics.meanIoU({ numClasses: 4, ignoreClass: 255 });
  metric.updateState(yTrue, yPred, { sampleWeight: [2, 1] });
  metric.updateState([3], [0]);
  // Rows: [2, 1, 0, 0], [0, 1, 2, 0], [0, 0, 1, 0], [1, 0, 0, 0].
  await expectNear(metric.result(), (2 / (3 + 3 - 2) + 1 / (3 + 2 - 1) + 1 / (1 + 3 - 1) + 0) / 4);
});

test('r2Score of columns, weighted and adjusted', async () => {
  const yTrue = [
    [1, 5],
    [4, 5],
    [3, 6],
    [9, 8],
  ];
  const yPred = [
    [2, 5],
    [4, 4],
    [4, 7],
    [8, 8],
  ];
  const weights = [1, 2, 1, 3];
  const of = (column: number) => {
    const total = weights.reduce((a, b) => a + b, 0);
    const t = yTrue.map((row) => row[column] as number);
    const p = yPred.map((row) => row[column] as number);
    const mean = t.reduce((sum, v, i) => sum + v * (weights[i] as number), 0) / total;
    const variance = t.reduce((sum, v, i) => sum + (v - mean) ** 2 * (weights[i] as number), 0);
    const residual = t.reduce((sum, v, i) => sum + (v - (p[i] as number)) ** 2 * (weights[i] as number), 0);
    return { score: 1 - residual / variance, variance };
  };
  const [a, b] = [of(0), of(1)];
  const uniform = (a.score + b.score) / 2;
  const options = { sampleWeight: weights };
  for (const [given, wanted] of [
    [{}, uniform],
    [{ classAggregation: null }, [a.score, b.score]],
    [
      { classAggregation: 'variance_weighted_average' },
      (a.score * a.variance + b.score * b.variance) / (a.variance + b.variance),
    ],
    [{ numRegressors: 2 }, 1 - ((1 - uniform) * 7) / 5],
    [{ numRegressors: 7 }, uniform],
  ] as const) {
    using metric = metrics.r2Score(given as metrics.R2ScoreOptions);
    metric.updateState(yTrue.slice(0, 1), yPred.slice(0, 1), { sampleWeight: weights.slice(0, 1) });
    metric.updateState(yTrue.slice(1), yPred.slice(1), { sampleWeight: options.sampleWeight.slice(1) });
    await expectNear(metric.result(), wanted as number);
  }
});
