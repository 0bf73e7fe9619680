import { beforeAll, describe, expect, test } from 'vitest';
import {
  init,
  matMul,
  memory,
  ShapeError,
  type Tensor,
  tensor,
  transpose,
  ValueError,
} from '../../../src/index.ts';
import {
  initializers,
  layers,
  modelFromJSON,
  modelToJSON,
  registerClass,
  sequential,
} from '../../../src/keras/index.ts';

const { initializerOf } = initializers;

beforeAll(async () => {
  await init();
});

const draw = (like: initializers.InitializerLike | string, shape: number[]): Tensor =>
  initializerOf(like).call(shape, 'float32');

async function spread(t: Tensor): Promise<{ mean: number; deviation: number; largest: number }> {
  const values = [...(await t.data())];
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
  return { mean, deviation, largest: Math.max(...values.map(Math.abs)) };
}

test('names are spelled as in JavaScript, as Keras functions and as Keras classes', () => {
  for (const name of ['heNormal', 'he_normal', 'HeNormal'])
    expect(initializerOf(name).className).toBe('HeNormal');
  expect(initializerOf('OrthogonalInitializer').className).toBe('Orthogonal');
  expect(() => initializerOf('heavy')).toThrow(ValueError);
  expect(() => initializerOf(3 as never)).toThrow(ValueError);
});

test('every initializer can be created again from its configuration', async () => {
  const names = Object.keys(initializers).filter((key) => key !== 'initializerOf');
  for (const name of names) {
    const first = initializerOf(name);
    const config = { ...first.getConfig(), ...('seed' in first.getConfig() ? { seed: 5 } : {}) };
    const again = initializerOf({ className: first.className, config });
    expect(again.getConfig()).toEqual(config);
    const values = await again.call([4, 4], 'float32').array();
    expect(values).toEqual(await initializerOf({ className: name, config }).call([4, 4], 'float32').array());
  }
});

test('options that are unknown or out of range are rejected', () => {
  const bad: [string, object][] = [
    ['Zeros', { value: 1 }],
    ['Constant', { value: Number.NaN }],
    ['RandomUniform', { minval: 1, maxval: 0 }],
    ['RandomNormal', { stddev: -1 }],
    ['HeNormal', { seed: -1 }],
    ['HeNormal', { seed: 1.5 }],
    ['VarianceScaling', { scale: 0 }],
    ['VarianceScaling', { mode: 'fan' }],
    ['VarianceScaling', { distribution: 'flat' }],
    ['GlorotUniform', { inputAxes: 'first' }],
    ['Orthogonal', { gain: 'much' }],
    ['Identity', { gain: Number.POSITIVE_INFINITY }],
  ];
  for (const [className, config] of bad)
    expect(() => initializerOf({ className, config: config as Record<string, unknown> }), className).toThrow(
      ValueError,
    );
});

describe('spread', () => {
  test('follows the fans', async () => {
    const uniform = await spread(draw({ className: 'GlorotUniform', config: { seed: 1 } }, [3, 3, 20, 30]));
    const limit = Math.sqrt(6 / (9 * 50));
    expect(uniform.largest).toBeLessThanOrEqual(limit);
    expect(uniform.deviation).toBeCloseTo(limit / Math.sqrt(3), 2);
    const normal = await spread(draw({ className: 'HeNormal', config: { seed: 1 } }, [200, 100]));
    expect(normal.deviation).toBeCloseTo(Math.sqrt(2 / 200), 2);
    const lecun = await spread(draw({ className: 'LecunNormal', config: { seed: 1 } }, [200, 100]));
    expect(lecun.deviation).toBeCloseTo(Math.sqrt(1 / 200), 2);
    const axes = { inputAxes: 0, outputAxes: [1, 2], seed: 1 };
    const projection = await spread(draw({ className: 'LecunUniform', config: axes }, [100, 10, 20]));
    expect(projection.deviation).toBeCloseTo(Math.sqrt(1 / 100), 2);
  });

  test('is as requested', async () => {
    const options = { mean: 2, stddev: 0.5, seed: 3 };
    const cut = await spread(draw(initializers.truncatedNormal(options), [5000]));
    expect(cut.mean).toBeCloseTo(2, 1);
    expect(cut.largest).toBeLessThanOrEqual(3);
    const wide = await spread(draw(initializers.randomNormal(options), [5000]));
    expect(wide.deviation).toBeCloseTo(0.5, 1);
    const flat = await spread(draw(initializers.randomUniform({ minval: -2, maxval: 2, seed: 1 }), [5000]));
    expect(flat.deviation).toBeCloseTo(4 / Math.sqrt(12), 1);
  });
});

test('orthogonal weights have orthonormal rows or columns, and no preferred sign', async () => {
  for (const shape of [
    [6, 6],
    [5, 20],
    [20, 5],
    [3, 3, 4, 8],
  ]) {
    const columns = shape.at(-1) as number;
    const rows = shape.reduce((a, b) => a * b, 1) / columns;
    const values = await draw({ className: 'Orthogonal', config: { seed: 2, gain: 2 } }, shape).data();
    const at = (i: number, j: number) => values[i * columns + j] as number;
    const few = Math.min(rows, columns);
    for (let a = 0; a < few; a++) {
      for (let b = 0; b <= a; b++) {
        let dot = 0;
        for (let k = 0; k < Math.max(rows, columns); k++)
          dot += rows <= columns ? at(a, k) * at(b, k) : at(k, a) * at(k, b);
        expect(dot).toBeCloseTo(a === b ? 4 : 0, 5);
      }
    }
  }
  const diagonals = await Promise.all(
    Array.from(
      { length: 40 },
      async (_, seed) => (await draw(initializers.orthogonal({ seed }), [4, 4]).data())[0],
    ),
  );
  const positive = diagonals.filter((value) => (value as number) > 0).length;
  expect(positive).toBeGreaterThan(8);
  expect(positive).toBeLessThan(32);
  expect(() => draw('orthogonal', [4])).toThrow(ShapeError);
});

test('identity is a matrix', async () => {
  expect(await draw(initializers.identity({ gain: 3 }), [2, 3]).array()).toEqual([
    [3, 0, 0],
    [0, 3, 0],
  ]);
  expect(() => draw('identity', [2, 2, 2])).toThrow(ShapeError);
});

test('nothing is left behind', () => {
  const before = memory().tensors;
  for (const name of ['identity', 'orthogonal', 'heNormal', 'randomUniform']) draw(name, [3, 3]).dispose();
  expect(memory().tensors).toBe(before);
});

test('a class of the app, registered, and a function', async () => {
  class Ramp implements initializers.Initializer {
    static readonly className = 'Ramp';
    readonly className = 'Ramp';
    readonly step: number;
    constructor({ step = 1 }: { step?: number } = {}) {
      this.step = step;
    }
    call(shape: readonly number[]): Tensor {
      return initializers.constant({ value: this.step }).call(shape, 'float32');
    }
    getConfig(): Record<string, unknown> {
      return { step: this.step };
    }
  }
  registerClass(Ramp, { package: 'tests' });
  const made = initializerOf({ className: 'tests>Ramp', config: { step: 2 } });
  expect(await made.call([1], 'float32').array()).toEqual([2]);
  expect(initializerOf('Ramp').getConfig()).toEqual({ step: 1 });
  const twos = initializerOf((shape, dtype) => initializers.constant({ value: 2 }).call(shape, dtype));
  expect(await twos.call([2], 'float32').array()).toEqual([2, 2]);
  const q = draw('orthogonal', [3, 3]);
  expect(await matMul(q, transpose(q)).array()).toHaveLength(3);
});

test('constants may be arrays that fit the weight', async () => {
  const values = await initializers
    .constant({ value: [[1], [2]] })
    .call([2, 3], 'float32')
    .array();
  expect(values).toEqual([
    [1, 1, 1],
    [2, 2, 2],
  ]);
  const eye = [1, 0, 0, 1];
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense(4, { biasInitializer: initializers.constant(eye), kernelInitializer: 'zeros' }),
  ]);
  const copy = modelFromJSON(modelToJSON(net));
  for (const { weights } of [net, copy]) expect(await weights[1]?.array()).toEqual([1, 0, 0, 1]);
  expect(() => initializers.constant({ value: [1, Number.NaN] })).toThrow(ValueError);
  expect(() => initializers.constant({ value: tensor([1]) as never })).toThrow(ValueError);
  expect(() => initializers.constant({ value: [1, 2] }).call([3], 'float32')).toThrow(ShapeError);
});
