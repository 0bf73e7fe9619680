import { expect, test } from 'vitest';
import type { TensorSpec } from '../../src/core/spec.ts';
import { planOf } from '../../src/kernels/launch/plans.ts';

type Inputs = readonly (TensorSpec | null)[];

const spec = (...shape: number[]) => ({ shape, dtype: 'float32' as const });

function counted() {
  const calls: unknown[] = [];
  const op = {
    infer([x]: Inputs, options: { bad?: boolean }) {
      calls.push(options);
      if (options.bad) throw new RangeError('bad');
      return { shape: [...(x?.shape ?? [])] };
    },
  };
  const infer = (inputs: Inputs, options: object) => planOf(op, inputs, options);
  return { calls, infer };
}

test('equal calls get one plan', () => {
  const { calls, infer } = counted();
  const plan = infer([spec(2, 3)], { axis: [1, 2] });
  expect(infer([spec(2, 3)], { axis: [1, 2] })).toBe(plan);
  expect(calls).toHaveLength(1);
});

test('calls that differ in a shape, a dtype, an option or the number of operands get plans of their own', () => {
  const { calls, infer } = counted();
  infer([spec(2, 3)], {});
  infer([spec(3, 2)], {});
  infer([{ shape: [2, 3], dtype: 'int32' }], {});
  infer([spec(2, 3)], { axis: 1 });
  infer([spec(2, 3), spec(2, 3)], {});
  infer([spec(2, 3), null], {});
  expect(calls).toHaveLength(6);
});

test('an options object that the caller changes is another call', () => {
  const { calls, infer } = counted();
  const options = { axis: 1 };
  infer([spec(2)], options);
  options.axis = 0;
  infer([spec(2)], options);
  expect(calls).toEqual([{ axis: 0 }, { axis: 0 }]);
});

test('errors are thrown at each call', () => {
  const { infer } = counted();
  for (let i = 0; i < 2; i++) expect(() => infer([spec(2)], { bad: true })).toThrow('bad');
});
