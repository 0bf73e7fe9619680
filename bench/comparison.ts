/** @file Compares alternative programs for the same result, all with Retrograd. */
import { type MeasureOptions, measure, type Timed } from './measure.ts';
import type { ComparisonResult } from './result.ts';

export interface ComparisonRow {
  /** Unique; `--filter` matches it. */
  name: string;
  /** Creates the inputs, and checks the result against an oracle. */
  prepare(): Promise<PreparedComparison>;
}

export interface PreparedComparison {
  alternatives: Readonly<Record<string, Timed>>;
  /** Other columns of the table. */
  facts?: Readonly<Record<string, string | number>>;
  dispose(): void;
}

export interface Workload {
  name: string;
  /** The alternative that all medians are divided by. */
  baseline: string;
  rows: readonly ComparisonRow[];
}

export async function runComparison(
  workload: Workload,
  row: ComparisonRow,
  options: MeasureOptions,
): Promise<ComparisonResult> {
  const { alternatives, facts = {}, dispose } = await row.prepare();
  try {
    const measured = Object.fromEntries(
      Object.entries(await measure(alternatives, options)).map(([name, measurement]) => {
        if (measurement instanceof Error) throw measurement;
        return [name, measurement];
      }),
    );
    const base = measured[workload.baseline]?.median ?? Number.NaN;
    const each = <T>(pick: (m: (typeof measured)[string]) => T): Record<string, T> =>
      Object.fromEntries(Object.entries(measured).map(([name, m]) => [name, pick(m)]));
    return {
      workload: workload.name,
      name: row.name,
      unit: 'ms',
      baseline: workload.baseline,
      medians: each(({ median }) => median),
      ratios: each(({ median }) => median / base),
      spread: each(({ spread }) => spread),
      facts,
    };
  } finally {
    dispose();
  }
}

/** Matches names that contain a text, or a regular expression between slashes. */
export function matcher(filter: string): (name: string) => boolean {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  if (pattern === undefined) return (name) => name.includes(filter);
  const expression = new RegExp(pattern);
  return (name) => expression.test(name);
}
