import { beforeAll, expect, test } from 'vitest';
import {
  grad,
  init,
  memory,
  mul,
  ShapeError,
  sum,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { constraints, regularizers } from '../../../src/keras/index.ts';

const { regularizerOf } = regularizers;
const { constraintOf } = constraints;

beforeAll(async () => {
  await init();
});

const matrix = () =>
  tensor([
    [3, -1],
    [-4, 2],
  ]);
const penalty = async (like: regularizers.RegularizerLike) => regularizerOf(like)?.call(matrix()).item();

test('regularizers compute their sums', async () => {
  expect(await penalty('l1')).toBeCloseTo(0.1, 6);
  expect(await penalty('L2')).toBeCloseTo(0.3, 6);
  expect(await penalty({ className: 'L1L2', config: { l1: 1, l2: 0.5 } })).toBeCloseTo(10 + 15, 5);
  expect(await penalty('l1_l2')).toBe(0);
  const cosine = (3 * -4 + -1 * 2) / (Math.sqrt(10) * Math.sqrt(20));
  expect(await penalty({ className: 'OrthogonalRegularizer', config: { factor: 0.5 } })).toBeCloseTo(
    0.5 * Math.abs(cosine),
    5,
  );
  expect(
    await penalty({ className: 'orthogonal_regularizer', config: { mode: 'columns', factor: 1 } }),
  ).toBeCloseTo(11 / (5 * Math.sqrt(5)), 5);
  expect(regularizerOf(null)).toBeNull();
});

test('the gradient of l2 is twice the weight', async () => {
  const l2 = regularizers.l2({ l2: 1 });
  expect(await grad((x: Tensor) => l2.call(x))(matrix()).array()).toEqual([
    [6, -2],
    [-8, 4],
  ]);
});

test('constraints are enforced', async () => {
  const after = async (like: constraints.ConstraintLike) => constraintOf(like)?.call(matrix()).array();
  const close = (given: unknown, wanted: number[][]) => {
    const values = (given as number[][]).flat();
    for (const [i, value] of wanted.flat().entries()) expect(values[i]).toBeCloseTo(value, 4);
  };
  close(await after({ className: 'MaxNorm', config: { maxValue: 2.5 } }), [
    [1.5, -1],
    [-2, 2],
  ]);
  close(await after({ className: 'unit_norm', config: { axis: 1 } }), [
    [3 / Math.sqrt(10), -1 / Math.sqrt(10)],
    [-4 / Math.sqrt(20), 2 / Math.sqrt(20)],
  ]);
  close(await after('nonNeg'), [
    [3, 0],
    [0, 2],
  ]);
  close(await after({ className: 'MinMaxNorm', config: { minValue: 4, maxValue: 4, rate: 0.5, axis: 0 } }), [
    [3 * 0.9, -1 * (0.5 + 2 / Math.sqrt(5))],
    [-4 * 0.9, 2 * (0.5 + 2 / Math.sqrt(5))],
  ]);
  expect(constraintOf(undefined)).toBeNull();
});

test('all can be created again from their configurations', () => {
  for (const name of ['l1', 'l2', 'l1l2', 'orthogonalRegularizer']) {
    const made = regularizerOf(name) as regularizers.Regularizer;
    const { className } = made;
    expect(regularizerOf({ className, config: made.getConfig() })?.getConfig()).toEqual(made.getConfig());
  }
  for (const name of ['maxNorm', 'minMaxNorm', 'nonNeg', 'unitNorm']) {
    const made = constraintOf(name) as constraints.Constraint;
    const { className } = made;
    expect(constraintOf({ className, config: made.getConfig() })?.getConfig()).toEqual(made.getConfig());
  }
});

test('anything but a regularizer or constraint is rejected', () => {
  expect(() => regularizerOf('l3')).toThrow(ValueError);
  expect(() => regularizerOf({ className: 'L1', config: { l1: -1 } })).toThrow(ValueError);
  expect(() => regularizerOf({ className: 'L1', config: { l2: 1 } })).toThrow(ValueError);
  expect(() => regularizerOf({ className: 'OrthogonalRegularizer', config: { mode: 'both' } })).toThrow(
    ValueError,
  );
  expect(() => regularizers.orthogonalRegularizer().call(tensor([1, 2]))).toThrow(ShapeError);
  expect(() => constraintOf('tight')).toThrow(ValueError);
  expect(() => constraintOf({ className: 'MaxNorm', config: { maxValue: Number.NaN } })).toThrow(ValueError);
  expect(() => constraintOf({ className: 'MinMaxNorm', config: { minValue: 3, maxValue: 2 } })).toThrow(
    ValueError,
  );
  expect(() => constraintOf({ className: 'UnitNorm', config: { axis: 'all' } })).toThrow(ValueError);
});

test('a function is used as it is', async () => {
  expect(await penalty((x) => mul(sum(x), 2))).toBe(0);
});

test('only the result remains', () => {
  const before = memory().tensors;
  const x = matrix();
  for (const name of ['l1', 'l2', 'orthogonalRegularizer']) regularizerOf(name)?.call(x).dispose();
  for (const name of ['maxNorm', 'minMaxNorm', 'nonNeg', 'unitNorm']) constraintOf(name)?.call(x).dispose();
  x.dispose();
  expect(memory().tensors).toBe(before);
});
