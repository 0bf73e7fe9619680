/** @file The list of `npm run bench:gpu`: its order, and what is new since the last recorded results. */
import { describe, expect, it } from 'vitest';
import { inOrder, manifestOf, planOf, type RecordedResult, recordsFor } from '../../bench/gpu/plan.ts';
import type { Listed } from '../../bench/main.ts';

const listed = (name: string, family = 'matMul', kind: Listed['kind'] = 'peers'): Listed => ({
  name,
  family,
  kind,
});
const recordedRow = (name: string, ratio: number | null, code?: string) => ({
  name,
  ratio,
  kernels: [`kernel of ${name}`],
  ...(code === undefined ? {} : { code }),
});
const record = (adapter: string, date: string, ...rows: RecordedResult['rows']): RecordedResult => ({
  adapter,
  date,
  rows,
});

const rows = [
  listed('fast'),
  listed('slow'),
  listed('slowest'),
  listed('new'),
  listed('a step', 'steps'),
  listed('peak bytes, a step', 'peak bytes, a step'),
  listed('tokens per second', 'generation'),
  listed('cold start', 'start', 'cold'),
];
const first = record(
  'nvidia NVIDIA: 1',
  '2030-01-01',
  recordedRow('fast', 2),
  recordedRow('slow', 0.8),
  recordedRow('slowest', 0.3),
);

const namesOf = (records: readonly RecordedResult[]) => planOf(rows, records).map(({ name }) => name);

describe('the list', () => {
  it('is verification, short rows with the worst first, new rows, training, generation, memory, known rows, tests', () => {
    const order = namesOf([first]).filter((name) => !name.startsWith('PyTorch'));
    expect(order).toEqual([
      'verify',
      'slowest',
      'slow',
      'new',
      'a step',
      'tokens per second',
      'peak bytes, a step',
      'fast',
      'unit tests',
    ]);
  });

  it('has PyTorch after the training steps, and start-up nowhere', () => {
    const order = namesOf([first]);
    expect(order.indexOf('PyTorch, training steps')).toBeGreaterThan(order.indexOf('a step'));
    expect(order.indexOf('PyTorch, training steps')).toBeLessThan(order.indexOf('tokens per second'));
    expect(order).not.toContain('cold start');
  });

  it('names every task once', () => {
    const order = namesOf([first]);
    expect(new Set(order).size).toBe(order.length);
  });

  it('has every row where nothing is recorded', () => {
    const order = namesOf([]);
    for (const { name, kind } of rows) expect(order.includes(name)).toBe(kind === 'peers');
  });

  it('orders the rows of a page, those of start-up last', () => {
    const order = inOrder(rows, [first]).map(({ name }) => name);
    expect(order.slice(0, 3)).toEqual(['slowest', 'slow', 'new']);
    expect(order.at(-1)).toBe('cold start');
    expect(order).toHaveLength(rows.length);
  });

  it('knows the recorded kernels of rows that are measured again only with others', () => {
    const again = record('nvidia', '2030-01-02', recordedRow('fast', 2, 'c0de'));
    const task = planOf(rows, [first, again]).find(({ name }) => name === 'fast');
    expect(task?.recorded).toEqual({ kernels: ['kernel of fast'], code: 'c0de' });
    expect(planOf(rows, [first]).find(({ name }) => name === 'new')?.recorded).toBeUndefined();
  });
});

describe('what is new', () => {
  it('is compared with results of the vendor, of which the newest counts', () => {
    const later = record(
      'nvidia NVIDIA: 2',
      '2030-02-01',
      recordedRow('slow', 1.5),
      recordedRow('fast', 0.9),
    );
    const other = record('amd', '2030-03-01', recordedRow('new', 0.1));
    const records = recordsFor('nvidia NVIDIA: 3, H100', [later, other, first]);
    expect(records).toEqual([first, later]);
    const { below, fresh, known } = manifestOf(rows.slice(0, 4), records);
    expect(below).toEqual(['slowest', 'fast']);
    expect(fresh).toEqual(['new']);
    expect(known).toEqual(['slow']);
  });

  it('counts a row without a ratio as measured', () => {
    const { known, below } = manifestOf(
      [listed('alone')],
      [record('nvidia', '2030-01-01', recordedRow('alone', null))],
    );
    expect([known, below]).toEqual([['alone'], []]);
  });
});
