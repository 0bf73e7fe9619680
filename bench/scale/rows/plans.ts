/** @file The memory plan of a training step: activations that live until the backward pass, and gradients. */
import { atOnce } from '../../../src/core/pieces.ts';
import { type Lifetime, planMemory } from '../../../src/execution/memoryPlan.ts';
import type { ScaleRow } from '../scaleRow.ts';

function lifetimesOf(n: number): Lifetime<number>[] {
  const layers = n / 2;
  return Array.from({ length: n }, (_, key) => {
    const conflicts = new Set([key - 1, key + 1]);
    const bytes = 1024 * (1 + (key % 5));
    return key < layers
      ? { key, bytes, first: key, last: 2 * layers - key, conflicts }
      : { key, bytes, first: key, last: key + 2, conflicts };
  });
}

export const planRows: readonly ScaleRow[] = [
  {
    name: 'memory plan',
    unit: 'values',
    from: 4000,
    short: 2100,
    prepare: (n) => {
      const lifetimes = lifetimesOf(n);
      return () => atOnce(planMemory(lifetimes));
    },
  },
];
