/** @file The entry of the processes that `npm run scale` starts. */
import { init } from '../../src/index.ts';
import { type Cost, measure } from './measure.ts';
import { modelRows } from './rows/models.ts';
import { planRows } from './rows/plans.ts';
import { programRows } from './rows/programs.ts';
import { trainingRows } from './rows/training.ts';
import type { ScaleRow, Work } from './scaleRow.ts';

export { exponentOf } from './exponent.ts';

export const rows: readonly ScaleRow[] = [...programRows, ...planRows, ...modelRows, ...trainingRows];

/** Measures the row called `name` at size `n`: the least of `runs`, as long as these take less than `budget` milliseconds. */
export async function measureRow(name: string, n: number, runs: number, budget: number): Promise<Cost> {
  await init();
  return measure(rows.find((row) => row.name === name) as ScaleRow, n, runs, budget);
}

/** Prepares the work of the row called `name` at size `n`. */
export async function prepareRow(name: string, n: number): Promise<Work> {
  await init();
  return (rows.find((row) => row.name === name) as ScaleRow).prepare(n);
}
