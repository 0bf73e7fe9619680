/** @file The benchmark's output: ratios, rows, tables. */
import { describe, expect, it } from 'vitest';
import { line, short, toMarkdown } from '../../bench/report.ts';
import { type BenchResult, failuresOf, ratioOf, rowResult } from '../../bench/result.ts';
import { roofline } from '../../bench/roofline.ts';

const limits = { bandwidth: 10e9, flops: 100e9 };

const fast = rowResult('matMul 256', 'matMul', 'ms', {
  values: { retrograd: 2, tfjs: 6, jaxjs: 3 },
  spread: { retrograd: 0.01, tfjs: 0.2, jaxjs: 0.05 },
  notes: { ort: 'failed: no adapter' },
  roofline: roofline({ flops: 1e8, bytes: 1e6 }, limits, 2),
});
const alone = rowResult('step', 'steps', 'ms', {
  values: { retrograd: 4 },
  notes: { tfjs: 'wrong: 1 for 2', jaxjs: 'no such op', ort: 'no gradients' },
});

function result(rows: BenchResult['rows']): BenchResult {
  return {
    adapter: 'test adapter',
    device: { features: ['subgroups'], limits: { maxBufferSize: 256 } },
    engine: 'test engine',
    date: '2030-01-02',
    versions: { retrograd: '0.1.0', tfjs: '4', jaxjs: '0', ort: '1' },
    limits,
    rows,
    comparisons: [],
  };
}

describe('ratio', () => {
  it("is the best peer's median over ours", () => {
    expect(ratioOf(2, { tfjs: 6, jaxjs: 3, ort: null })).toBe(1.5);
    expect(ratioOf(2, { tfjs: 1, jaxjs: 3, ort: 8 })).toBe(0.5);
  });

  it('is null where no peer can do the row, or we failed', () => {
    expect(ratioOf(2, { tfjs: null, jaxjs: null, ort: null })).toBeNull();
    expect(ratioOf(null, { tfjs: 1, jaxjs: null, ort: null })).toBeNull();
  });
});

describe('a row', () => {
  it('has a number or null for every contender', () => {
    expect(fast).toMatchObject({
      retrograd: 2,
      peers: { tfjs: 6, jaxjs: 3, ort: null },
      ratio: 1.5,
      unit: 'ms',
    });
    expect(alone).toMatchObject({ retrograd: 4, peers: { tfjs: null, jaxjs: null, ort: null }, ratio: null });
  });

  it('survives JSON as it is', () => {
    expect(JSON.parse(JSON.stringify(result([fast, alone])))).toEqual(result([fast, alone]));
  });

  it('distinguishes failed contenders from those without the computation', () => {
    expect(failuresOf(fast)).toEqual(['ort']);
    expect(failuresOf(alone)).toEqual(['tfjs']);
  });

  it('is a line with the ratio', () => {
    expect(line(fast)).toMatch(
      /^matMul 256 +1\.50× +Retrograd 2\.00 {2}TF\.js 6\.00 {2}jax-js 3\.00 {2}ONNX Runtime failed/,
    );
    expect(line(alone)).toMatch(/– +Retrograd 4\.00 {2}TF\.js wrong {2}jax-js no such op/);
  });
});

describe('the roofline', () => {
  it('takes the limit that is nearer', () => {
    expect(roofline({ flops: 1e9, bytes: 1e6 }, limits, 20)).toMatchObject({
      limit: 'compute',
      milliseconds: 10,
      reached: 0.5,
    });
    expect(roofline({ flops: 1e6, bytes: 1e9 }, limits, 400)).toMatchObject({
      limit: 'memory',
      milliseconds: 100,
      reached: 0.25,
    });
  });
});

describe('the Markdown', () => {
  const text = toMarkdown(result([fast, alone]));

  it('says where, when and with what', () => {
    expect(text).toContain('Adapter: test adapter. Engine: test engine. Date: 2030-01-02.');
    expect(text).toContain('Retrograd 0.1.0, TF.js 4, jax-js 0, ONNX Runtime 1.');
    expect(text).toContain('10.0 GB/s copied, 100 GFLOP/s of multiply-adds');
  });

  it('has the ratio in every row', () => {
    expect(text).toContain(
      '| matMul 256 | ms | 2.00 ± 1 % | 6.00 ± 20 % | 3.00 ± 5 % | failed | 1.50× | 50 % of FMA |',
    );
    expect(text).toContain('| step | ms | 4.00 | wrong | – | – | – |  |');
  });

  it('gives the rooflines, and the reason of every gap', () => {
    expect(text).toContain('| matMul 256 | 100 | 1.00 | compute | 1.00 | 2.00 | 50 % |');
    expect(text).toContain('- matMul 256, ONNX Runtime: failed: no adapter');
    expect(text).toContain('- step, jax-js: no such op');
  });
});

it('numbers have three digits', () => {
  expect([0, 0.01234, 1.2345, 12.345, 123.45, 1234.5].map(short)).toEqual([
    '0.000000',
    '0.0123',
    '1.23',
    '12.3',
    '123',
    '1235',
  ]);
});
