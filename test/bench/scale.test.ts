/** @file The work of the library grows in proportion to what it is given: the short form of `npm run scale`. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exponentOf } from '../../bench/scale/exponent.ts';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';

test('the exponent is that of the largest sizes', () => {
  const pointsOf = (power: number) => [1, 2, 4, 8, 16, 32].map((size) => ({ size, cost: 3 * size ** power }));
  expect(exponentOf(pointsOf(1))).toBeCloseTo(1);
  expect(exponentOf(pointsOf(1.9))).toBeCloseTo(1.9);
  // A cost that doesn't grow hides the growth of small sizes.
  const withStart = [1, 2, 4, 8, 256, 512, 1024, 2048].map((size) => ({ size, cost: 100 + size ** 2 }));
  expect(exponentOf(withStart)).toBeGreaterThan(1.9);
  expect(exponentOf([])).toBeNaN();
});

/** Rows whose work doesn't depend on which buffers the garbage collector has given back. */
const rows = [
  'tape.explain',
  'lineage',
  'recording, launches that are not fused',
  'nested vmap',
  'build, a sequential model layer by layer',
  'loadModel, models inside models',
];

test('work doubles at most with the size', async () => {
  const folder = temporaryFolder('scale-test');
  const built = await bundle({ entry: 'bench/scale/main.ts', folder, external: [/^webgpu$/] });
  const counting = path.resolve('scripts/lib/count-rows.mjs');
  const printed = execFileSync(process.execPath, [counting, built, JSON.stringify(rows)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const counted: { name: string; work: [number, number] }[] = JSON.parse(printed);
  expect(counted.map(({ name }) => name).sort()).toEqual([...rows].sort());
  const exponents = counted.map(({ name, work: [one, two] }) => ({ name, exponent: Math.log2(two / one) }));
  expect(exponents.filter(({ exponent }) => exponent > 1.15)).toEqual([]);
});
