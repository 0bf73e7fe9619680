/** @file Metrics give what Keras's give (test/fixtures/metrics/keras_metrics.py) over batches, with weights, and after a reset. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, tensor, ValueError } from '../../../src/index.ts';
import { losses, metrics } from '../../../src/keras/index.ts';
import fixture from '../../fixtures/metrics/keras.json' with { type: 'json' };

beforeAll(async () => {
  await init();
});

interface Listed {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly (number | string)[];
}

const upload = ({ shape, dtype, values }: Listed) =>
  tensor(values.map(Number), { shape: [...shape], dtype: dtype as 'float32' | 'int32' });

type Fixture = (typeof fixture.cases)[number];

async function compare(metric: metrics.Metric, batches: readonly Listed[][], results: readonly Listed[]) {
  for (const [i, batch] of batches.entries()) {
    const [targets, predictions, sampleWeight = null] = batch.map(upload);
    metric.updateState(targets as never, predictions as never, { sampleWeight });
    const found = metric.result();
    const wanted = results[i] as Listed;
    expect(found.shape).toEqual(wanted.shape);
    const values = [...(await found.data())];
    wanted.values.map(Number).forEach((value, k) => {
      if (Number.isNaN(value)) expect(values[k]).toBeNaN();
      else expect(Math.abs((values[k] as number) - value)).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(value)));
    });
  }
}

describe.each([...new Set(fixture.cases.map(({ metric }) => metric))])('%s', (className) => {
  const own = fixture.cases.filter(({ metric }) => metric === className);
  test.each(own.map((one) => [JSON.stringify(one.options), one] as const))('%s', async (_, one: Fixture) => {
    const metric = metrics.metricOf({ className, config: { ...one.options, dtype: 'float32' } } as never);
    const batches = one.batches as unknown as Listed[][];
    await compare(metric, batches, one.results as unknown as Listed[]);
    metric.resetState();
    await compare(metric, batches, one.results as unknown as Listed[]);
  });
});

test('dtype is float32; another is rejected, and so are arguments of result', () => {
  expect(metrics.meanSquaredError({ dtype: 'float32' }).name).toBe('mean_squared_error');
  expect(losses.huber({ dtype: 'float32', delta: 2 }).getConfig()).toMatchObject({ delta: 2 });
  const makers = [metrics.auc, metrics.mean, metrics.r2Score, metrics.f1Score, metrics.hinge, losses.huber];
  for (const make of makers as ((options: object) => unknown)[]) {
    expect(() => make({ dtype: 'float16' })).toThrow(ValueError);
    expect(() => make({ dtype: null })).not.toThrow();
  }
  const all = [metrics.mean(), metrics.auc(), metrics.hinge(), metrics.precision(), metrics.r2Score()];
  for (const metric of all) {
    expect(() => (metric as unknown as { result(which: string): unknown }).result('a')).toThrow(
      /no arguments/,
    );
  }
});
