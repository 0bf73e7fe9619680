import { beforeAll, expect, test } from 'vitest';
import {
  grad,
  init,
  memory,
  relu,
  ShapeError,
  sum,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { activations, registerClass } from '../../../src/keras/index.ts';

const { activationOf, serializeActivation } = activations;

beforeAll(async () => {
  await init();
});

const xs = [-4, -1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 4];

/** Keras's formulas, in double precision. */
const formulas: Record<string, (x: number) => number> = {
  celu: (x) => Math.max(0, x) + Math.min(0, Math.exp(x) - 1),
  hardShrink: (x) => (Math.abs(x) > 0.5 ? x : 0),
  hardSilu: (x) => x * Math.min(1, Math.max(0, x / 6 + 0.5)),
  hardTanh: (x) => Math.min(1, Math.max(-1, x)),
  softShrink: (x) => (x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : 0),
  tanhShrink: (x) => x - Math.tanh(x),
  threshold: (x) => Math.max(x, 0),
  squareplus: (x) => (x + Math.sqrt(x * x + 4)) / 2,
  sparsePlus: (x) => (x <= -1 ? 0 : x >= 1 ? x : (x + 1) ** 2 / 4),
  sparseSigmoid: (x) => Math.min(1, Math.max(0, (x + 1) / 2)),
  logSigmoid: (x) => -Math.log(1 + Math.exp(-x)),
  leakyRelu: (x) => (x > 0 ? x : 0.2 * x),
  relu: (x) => Math.max(0, x),
};

test('values and derivatives are those of the formulas', async () => {
  for (const [name, formula] of Object.entries(formulas)) {
    const f = activationOf(name);
    const x = tensor(xs);
    const y = await f(x).data();
    const dy = await grad((t: Tensor) => sum(f(t)))(x).data();
    xs.forEach((at, i) => {
      expect(y[i], `${name}(${at})`).toBeCloseTo(formula(at), 5);
      const smooth = ![-1, -0.5, 0, 0.5, 1].includes(at);
      if (smooth)
        expect(dy[i], `${name}'(${at})`).toBeCloseTo((formula(at + 1e-4) - formula(at - 1e-4)) / 2e-4, 3);
    });
  }
});

test('options come with the name', async () => {
  const value = async (className: string, config: Record<string, unknown>, x: number) =>
    (await activationOf({ className, config })(tensor([x])).data())[0];
  expect(await value('leaky_relu', { negativeSlope: 0.5 }, -2)).toBe(-1);
  expect(await value('celu', { alpha: 2 }, -2)).toBeCloseTo(2 * (Math.exp(-1) - 1), 5);
  expect(await value('relu', { maxValue: 6, negativeSlope: 0.1, threshold: 1 }, 9)).toBe(6);
  expect(await value('relu', { maxValue: 6, negativeSlope: 0.1, threshold: 1 }, 0)).toBeCloseTo(-0.1, 6);
  expect(await value('threshold', { threshold: 2, defaultValue: 7 }, 1)).toBe(7);
});

test('glu splits, sparsemax projects', async () => {
  expect(await activationOf('glu')(tensor([[1, 2, 0, 0]])).array()).toEqual([[0.5, 1]]);
  expect(() => activationOf('glu')(tensor([[1, 2, 3]]))).toThrow(ShapeError);
  const p = (await activationOf('sparsemax')(tensor([[1, 0.8, -3]])).array()) as number[][];
  for (const [i, wanted] of [0.6, 0.4, 0].entries()) expect(p[0]?.[i]).toBeCloseTo(wanted, 6);
  const columns = activationOf({ className: 'sparsemax', config: { axis: 0 } });
  const q = (await columns(tensor([[1], [0.8], [-3]])).array()) as number[][];
  expect(q[1]?.[0]).toBeCloseTo(0.4, 6);
  expect(
    await activationOf('sparsemax')(
      tensor([
        [1e7, 0, -1e7],
        [0, 0, 0],
      ]),
    ).array(),
  ).toEqual([
    [1, 0, 0],
    [expect.closeTo(1 / 3, 6), expect.closeTo(1 / 3, 6), expect.closeTo(1 / 3, 6)],
  ]);
  // On the support the derivative is that of a projection: 1 - 1/2 on the diagonal.
  const dx = await grad((x: Tensor) => sum(relu(columns(x))))(tensor([[1], [0.8], [-3]])).array();
  for (const [row] of dx as number[][]) expect(row).toBeCloseTo(0, 6);
});

test('sparsemax is the projection onto the simplex', async () => {
  for (const n of [1, 2, 17, 300]) {
    const z = Array.from({ length: n }, (_, i) => 3 * Math.sin(1.7 * i * i + n));
    const sums = z
      .toSorted((a, b) => b - a)
      .map((_, k, sorted) => sorted.slice(0, k + 1).reduce((a, b) => a + b));
    // The level of the projection is the highest of the levels for the k largest elements.
    const level = Math.max(...sums.map((sum, k) => (sum - 1) / (k + 1)));
    const p = (await activationOf('sparsemax')(tensor([z])).array()) as number[][];
    for (const [i, value] of z.entries()) expect(p[0]?.[i]).toBeCloseTo(Math.max(value - level, 0), 5);
  }
});

test('names are written to configurations and read back', () => {
  expect(serializeActivation(activationOf('hard_swish'))).toBe('hardSilu');
  expect(serializeActivation(activationOf(null))).toBe('linear');
  expect(serializeActivation(null)).toBeNull();
  const leaky = { className: 'leakyRelu', config: { negativeSlope: 0.3 } };
  expect(serializeActivation(activationOf(leaky))).toEqual(leaky);
  expect(() => activationOf('rely')).toThrow(ValueError);
  expect(() => activationOf({} as never)).toThrow(ValueError);
  expect(() => activationOf({ className: 'celu', config: { alpha: 0 } })(tensor([1]))).toThrow(ValueError);
});

test('a function of the app has a name once it is registered', () => {
  const doubledRelu = (x: Tensor) => relu(x);
  expect(serializeActivation(doubledRelu)).toBe(doubledRelu);
  registerClass(doubledRelu, { package: 'tests' });
  expect(serializeActivation(doubledRelu)).toBe('tests>doubledRelu');
  expect(activationOf('tests>doubledRelu')).toBe(doubledRelu);
  expect(activationOf('doubledRelu')).toBe(doubledRelu);
});

test('only the result remains', () => {
  const before = memory().tensors;
  const x = tensor([[1, 2, 3, 4]]);
  for (const name of [...Object.keys(formulas), 'glu', 'sparsemax']) activationOf(name)(x).dispose();
  x.dispose();
  expect(memory().tensors).toBe(before);
});
