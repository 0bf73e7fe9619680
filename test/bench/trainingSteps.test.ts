/** @file Training steps of GPU sizes have a recorded oracle: to compute it takes minutes, which a run on a GPU hasn't. */
import { expect, it } from 'vitest';
import recorded from '../../bench/expectedSteps.json' with { type: 'json' };
import { expectedOf, stepNames, trainingSteps } from '../../bench/recordSteps.ts';

const steps: Readonly<Record<string, { loss: number; derivatives: number[] }>> = recorded;

it('each of them, and no other', () => {
  expect(Object.keys(steps).sort()).toEqual([...stepNames()].sort());
  expect(trainingSteps().length).toBeGreaterThan(4);
});

it('is what float64 computes', () => {
  const name = 'MLP step 784-512-256-10, batch 128';
  const { loss, derivatives } = expectedOf(name);
  expect(steps[name]?.loss).toBeCloseTo(loss, 12);
  expect(steps[name]?.derivatives).toHaveLength(derivatives.length);
  for (const [i, derivative] of derivatives.entries())
    expect(steps[name]?.derivatives[i]).toBeCloseTo(derivative, 9);
});
