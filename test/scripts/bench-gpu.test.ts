/** @file Running the list of `npm run bench:gpu`: what fails, hangs or crashes costs its own result, and a run is resumed. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as outside from '../../bench/gpu/outside.ts';
import { planOf } from '../../bench/gpu/plan.ts';
import { summaryLines, toGpuMarkdown } from '../../bench/gpu/report.ts';
import type { GpuResult } from '../../bench/gpu/result.ts';
import type { Listed } from '../../bench/main.ts';
import { Worker } from '../../scripts/lib/gpu-processes.mjs';
import { GpuRun, type GpuRunOptions } from '../../scripts/lib/gpu-run.mjs';

const script = fileURLToPath(new URL('../support/gpuWorker.mjs', import.meta.url));
const healthy = () => new Worker({ script, args: ['healthy'], env: {}, output: 2 });
const failing = () => new Worker({ script, args: [], env: {}, output: 2 });

const listed = (...names: string[]): Listed[] =>
  names.map((name) => ({ name, family: 'any', kind: 'peers' as const }));
const recorded = {
  adapter: 'nvidia',
  date: '2030-01-01',
  rows: [{ name: 'known', ratio: 2, kernels: ['kernel of known'] }],
};

function emptyResult(): GpuResult {
  return {
    adapter: 'nvidia, a card',
    device: { features: [], limits: {} },
    engine: 'a test',
    date: '2030-01-02',
    versions: { retrograd: '1', tfjs: '2', jaxjs: '3', ort: '4' },
    limits: null,
    rows: [],
    comparisons: [],
    commit: 'abc',
    program: 'def',
    manifest: { records: [], below: [], fresh: [], known: [] },
    isOnNull: false,
    variants: [],
    native: [],
    nativeSetting: null,
    tests: [],
    done: {},
    seconds: 0,
  };
}

const optionsOf = (result: GpuResult, rows: Listed[], given: Partial<GpuRunOptions> = {}): GpuRunOptions => ({
  result,
  tasks: planOf(rows, [recorded]),
  outside,
  startWorker: healthy,
  startTests: healthy,
  runPyTorch: async () => 'PyTorch did not run: there is none',
  end: Number.POSITIVE_INFINITY,
  budget: 1,
  rowLimit: 1500,
  say: () => {},
  save: () => {},
  ...given,
});

describe('a run', () => {
  const names = ['new', 'peer crashes', 'peer hangs', 'crashes', 'after it', 'known'];

  test('loses only what fails, hangs or crashes', async () => {
    const result = emptyResult();
    const workers = { startWorker: failing, startTests: failing };
    const isDone = await new GpuRun(optionsOf(result, listed(...names), workers)).run();
    expect(isDone).toBe(true);
    expect(result.rows.map(({ name, ratio }) => [name, ratio])).toEqual([
      ['new', 1.5],
      ['peer crashes', 2],
      ['peer hangs', 2],
      ['crashes', null],
      ['after it', 1.5],
    ]);
    expect(result.rows[1]?.notes.tfjs).toMatch(/^failed: the process ended/);
    expect(result.rows[2]?.notes.tfjs).toMatch(/^failed: not done within/);
    expect(result.rows[3]?.notes.retrograd).toMatch(/^failed: the process ended/);
    expect(result.done.known?.how).toBe('the same kernels as recorded');
    expect(result.variants.map(({ status }) => status)).toEqual(['right', 'failed', 'wrong']);
    // Tests of kernels come first.
    expect(result.tests.map(({ file }) => file)).toEqual([
      'kernels/a.test.ts',
      'ops/b.test.ts',
      'ops/hangs.test.ts',
    ]);
    expect(result.tests[2]?.failures).toHaveLength(1);
  });

  test('is resumed where it was cut off', async () => {
    const result = emptyResult();
    let clock = 0;
    // Each look at the clock takes a second.
    const now = () => 1000 * clock++;
    const options = { now, end: 40_000, rowLimit: 1e6 };
    expect(await new GpuRun(optionsOf(result, listed('a', 'b', 'c'), options)).run()).toBe(false);
    const before = Object.keys(result.done);
    expect(before.length).toBeGreaterThan(0);
    expect(before).not.toContain('unit tests');
    const saved = JSON.parse(JSON.stringify(result));
    expect(await new GpuRun(optionsOf(saved, listed('a', 'b', 'c'))).run()).toBe(true);
    expect(saved.rows.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c']);
    expect(Object.keys(saved.done).slice(0, before.length)).toEqual(before);
  });

  test('is saved after each result', async () => {
    const result = emptyResult();
    const counts: number[] = [];
    const save = () => void counts.push(result.rows.length);
    await new GpuRun(optionsOf(result, listed('a', 'b'), { save })).run();
    expect(counts).toEqual(expect.arrayContaining([0, 1, 2]));
  });

  test('closes with the rows below 1, and begins its page with them', () => {
    const result = emptyResult();
    const row = (name: string, own: number) =>
      outside.rowResult(name, 'any', 'ms', { values: { retrograd: own, tfjs: 1 } });
    result.rows.push(row('fast', 0.1), row('slow', 2), row('slowest', 4));
    const lines = summaryLines(result);
    expect(lines[0]).toMatch(/^below 1 {2}slowest/);
    expect(lines[1]).toMatch(/^below 1 {2}slow /);
    expect(lines.at(-1)).toContain('2 rows are below 1');
    const page = toGpuMarkdown(result);
    expect(page.indexOf('| slowest |')).toBeLessThan(page.indexOf('| fast |'));
    expect(page).toContain('## Below 1: 2 of 3 rows');
  });
});
