/** @file The README's table of speedups, from a result of the benchmark. */
import { expect, test } from 'vitest';
import { type BenchResult, rowResult } from '../../bench/result.ts';
import { figures } from '../../scripts/bench-figures.mjs';

const row = (name: string, own: number, peer: number) =>
  rowResult(name, 'any', 'ms', { values: { retrograd: own, jaxjs: peer } });

const result: BenchResult = {
  adapter: 'a software adapter',
  device: { features: [], limits: {} },
  engine: 'Mozilla/5.0 HeadlessChrome/140.0.0.0',
  date: '2030-01-02',
  versions: { retrograd: '1', tfjs: '2', jaxjs: '3', ort: '4' },
  limits: null,
  rows: [
    row('matMul 256×256×256 square', 1, 2.5),
    row('matMul 1×2048×2048 vector–matrix', 2, 3),
    row('dense 64×1024→1024 + bias + relu', 1, 4),
    row('sin 1024', 4, 2),
    row('1000 chained ops of 1024, eager', 10, 15),
  ],
  comparisons: [],
};

test('rows become ranges of their groups, and those below a goal are named', () => {
  const text = figures(result);
  expect(text).toContain('TF.js 2, jax-js 3 and ONNX Runtime Web 4');
  expect(text).toContain('headless Chrome 140, a software adapter, 2030-01-02, version 1');
  expect(text).toContain('| matmul, dense layers | 2.5 to 4.0 |');
  expect(text).toContain('| matrix–vector products | 1.5 |');
  expect(text).toContain('| 1,000 small ops, eager | 1.5 |');
  expect(text).toContain('| 1,000 small ops, compiled | – |');
  expect(text).toMatch(
    /\n\nMissed targets: sin 1024 \(0\.50×\); 1000 chained ops of 1024, eager \(1\.50×\)\. /,
  );
});
