/**
 * @file Functions with rare, expensive arguments have two forms on software adapters: which one runs depends on how many elements there
 * are, and whether the launch is captured. Both give the same bits.
 */
import { beforeAll, expect, test } from 'vitest';
import {
  add,
  atan2,
  compile,
  cos,
  floorDiv,
  init,
  log,
  mod,
  mul,
  pow,
  sin,
  tan,
  type Tensor,
  tensor,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const special = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -0,
  1e30,
  -1e30,
  123456.7,
  1e-40,
];

/** Numbers of several magnitudes, with special ones among them. */
const values = (count: number) =>
  Float32Array.from({ length: count }, (_, i) =>
    i % 17 === 0
      ? (special[i % 9] as number)
      : ((Math.sin(i * 12.9898) * 43758.5453) % 1) * 10 ** ((i % 7) - 2),
  );

const bits = (found: ArrayLike<number>) =>
  Array.from(found, (value) => (Number.isNaN(value) ? 'NaN' : Object.is(value, -0) ? '-0' : String(value)));

const functions: readonly (readonly [string, (x: Tensor, y: Tensor) => Tensor])[] = [
  ['sin', (x) => sin(x)],
  ['cos', (x) => cos(x)],
  ['tan', (x) => tan(x)],
  ['log', (x) => log(x)],
  ['pow', pow],
  ['mod', mod],
  ['floorDiv', floorDiv],
  ['atan2', atan2],
];

test.each(functions)(
  '%s, called alone, in a chain and captured, for few and many elements',
  async (_, apply) => {
    const chain = (x: Tensor, y: Tensor) => add(apply(x, y), mul(x, 0));
    const [all, reversed] = [values(5000), values(5000).reverse()];
    const whole = bits(await apply(tensor(all), tensor(reversed)).data());
    for (const count of [40, 1000, 3001]) {
      const [x, y] = [tensor(all.slice(0, count)), tensor(reversed.slice(0, count))];
      expect(bits(await apply(x, y).data())).toEqual(whole.slice(0, count));
      expect(bits(await compile(apply)(x, y).data())).toEqual(whole.slice(0, count));
      expect(bits(await compile(chain)(x, y).data())).toEqual(bits(await chain(x, y).data()));
    }
  },
);
