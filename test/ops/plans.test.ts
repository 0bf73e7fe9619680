import { expect, test } from 'vitest';
import { rememberPlans } from '../../src/ops/plans.ts';

const spec = (...shape: number[]) => ({ shape, dtype: 'float32' as const });

function counted() {
  const calls: unknown[] = [];
  const infer = rememberPlans(([x], options) => {
    calls.push(options);
    if ((options as { bad?: boolean }).bad) throw new RangeError('bad');
    return { shape: [...(x?.shape ?? [])], dtype: 'float32', options: { ...options } };
  });
  return { calls, infer };
}

test('equal calls get one plan, which is frozen at any depth', () => {
  const { calls, infer } = counted();
  const plan = infer([spec(2, 3)], { axis: [1, 2] });
  expect(infer([spec(2, 3)], { axis: [1, 2] })).toBe(plan);
  expect(calls).toHaveLength(1);
  expect(Object.isFrozen(plan)).toBe(true);
  expect(Object.isFrozen((plan as { shape: object }).shape)).toBe(true);
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
