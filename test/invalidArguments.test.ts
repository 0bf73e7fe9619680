/** @file Any arguments of public functions: they work, or throw a typed error. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import * as retrograd from '../src/index.ts';
import * as io from '../src/io/index.ts';
import {
  checkNumerics,
  debugMode,
  grad,
  GradientTape,
  grads,
  init,
  jacobian,
  memory,
  RetrogradError,
  square,
  tensor,
  variable,
} from '../src/index.ts';
import { describe as describeValue } from '../src/core/describe.ts';
import {
  type Call,
  callOf,
  faultsOf,
  forgetFaults,
  invalidValues as invalid,
} from './support/invalidValues.ts';
import { random } from './support/random.ts';

beforeAll(async () => {
  await init();
});

// Truthy values turn these modes on, also for the tests of other files.
afterEach(async () => {
  checkNumerics(false);
  debugMode(false);
  await forgetFaults();
});

/** They change what other tests share, run for minutes, or take functions of the app whose errors are the app's. */
const skipped = new Set([
  'init',
  'verify',
  'setDevice',
  'Variable',
  'Tensor',
  'GradientTape',
  'DynamicScalar',
  'Lineage',
  'Node',
  'defineOp',
  'defineKernel',
]);

const functions = Object.entries({ ...retrograd, ...io })
  .filter(([name, value]) => typeof value === 'function' && !skipped.has(name) && !/Error$/.test(name))
  .map(([name, value]) => [name, callOf(value as Call)] as const);

test.each(functions)('%s', async (_, call) => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => [
    [`(invalid) of ${what}`, () => call(value)],
    [`(invalid, invalid) of ${what}`, () => call(value, value)],
    [`(x, invalid) of ${what}`, () => call(x, value)],
    [`(x, x, invalid) of ${what}`, () => call(x, x, value)],
    [`([x], invalid) of ${what}`, () => call([x], value)],
    [`([invalid]) of ${what}`, () => call([value])],
  ]);
  expect(await faultsOf(calls)).toEqual([]);
  x.dispose();
});

const options = [
  'axis',
  'keepDims',
  'shape',
  'reps',
  'paddings',
  'perm',
  'depth',
  'poolSize',
  'strides',
  'padding',
  'dilationRate',
  'groups',
  'size',
  'begin',
  'end',
  'seed',
  'rate',
  'dtype',
  'min',
  'max',
  'k',
  'numOrSizeSplits',
  'mode',
  'fillValue',
  'batchDims',
  'constantValue',
  'onValue',
  'offValue',
  'numSegments',
  'validateIndices',
  'epsilon',
  'alpha',
  'exclusive',
  'reverse',
  'transposeA',
  'transposeB',
  'activation',
  'inputShape',
  'filterShape',
  'approximate',
  'alignCorners',
  'name',
];
const ops = functions.filter(([, call]) => 'definition' in call);

test.each(ops)('options of %s', async (name, call) => {
  const dice = random(name.length * 31 + name.charCodeAt(0));
  const operands = [
    tensor([
      [1, 2],
      [3, 4],
    ]),
    tensor(new Float32Array(64).fill(1), { shape: [1, 4, 4, 4] }),
    tensor([[0, 1]], { dtype: 'int32' }),
  ];
  const calls = Array.from({ length: 150 }, (): [string, () => unknown] => {
    const [option, other, [what, value]] = [dice.pick(options), dice.pick(options), dice.pick(invalid)];
    const count = 1 + dice.below(3);
    const given = Array.from({ length: count }, () => dice.pick(operands));
    const last = { [other]: dice.pick([1, 2, 'same', [1, 1], true]), [option]: value };
    return [`${count} operands, ${option} of ${what}, ${other}`, () => call(...given, last)];
  });
  expect(await faultsOf(calls)).toEqual([]);
  for (const operand of operands) operand.dispose();
});

test('methods, and functions that functions give', async () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const v = variable(x);
  const made = {
    grad: grad(square as never),
    grads: grads(square as never),
    jacobian: jacobian(square as never),
  };
  const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => [
    [`assign of ${what}`, () => v.assign(value as never)],
    ...Object.entries(made).map(([name, call]): [string, () => unknown] => [
      `${name} of ${what}`,
      () => (call as Call)(value, value),
    ]),
    [`tape options of ${what}`, () => new GradientTape(value as never).dispose()],
    [
      `tape of ${what}`,
      () => {
        using tape = new GradientTape({ persistent: true });
        for (const call of [
          () => tape.watch(value as never),
          () => tape.gradient(value as never, value as never),
          () => tape.explain(value as never, value as never),
        ]) {
          try {
            call();
          } catch (error) {
            if (!(error instanceof RetrogradError)) throw error;
          }
        }
      },
    ],
  ]);
  expect(await faultsOf(calls)).toEqual([]);
  v.dispose();
});

test.each(invalid)('describe of %s is short and quick', (_, value) => {
  const begun = performance.now();
  for (const given of [value, [value], { value }]) expect(describeValue(given).length).toBeLessThan(2000);
  expect(performance.now() - begun).toBeLessThan(5000);
});

test('describe of what throws, of what is huge, and of what is wide', () => {
  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
      ownKeys: () => {
        throw new Error('no');
      },
    },
  );
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  const row = new Array(10_000).fill(7);
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key${i}`, row]));
  for (const value of [
    throwing,
    revoked.proxy,
    wide,
    'x'.repeat(1e7),
    new Array(1e6).fill([1, 2, 3]),
    2n ** 20_000n,
  ]) {
    const begun = performance.now();
    expect(describeValue(value).length).toBeLessThan(5000);
    expect(performance.now() - begun).toBeLessThan(5000);
  }
  expect(describeValue([1, 'a', null, { a: [1, 'b'] }])).toBe(`[1, 'a', null, {"a":[1,"b"]}]`);
});

test('nothing stays', () => {
  expect(memory().bytes).toBeLessThan(2 ** 28);
});
