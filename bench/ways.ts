/** @file Compares different ways of doing the same thing with Retrograd. */
import { type MeasureOptions, measure, type Timed } from './measure.ts';
import type { WaysResult } from './result.ts';

export interface WaysRow {
  /** Unique; `--filter` matches it. */
  name: string;
  /** Creates the inputs, and checks the result against an oracle. */
  prepare(): Promise<PreparedWays>;
}

export interface PreparedWays {
  ways: Readonly<Record<string, Timed>>;
  /** Facts that the table shows besides the times. */
  facts?: Readonly<Record<string, string | number>>;
  dispose(): void;
}

export interface Workload {
  name: string;
  /** The way by whose median all are divided. */
  baseline: string;
  rows: readonly WaysRow[];
}

export async function runWays(
  workload: Workload,
  row: WaysRow,
  options: MeasureOptions,
): Promise<WaysResult> {
  const { ways, facts = {}, dispose } = await row.prepare();
  try {
    const measured = Object.fromEntries(
      Object.entries(await measure(ways, options)).map(([name, measurement]) => {
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
