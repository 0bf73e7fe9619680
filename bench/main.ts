/**
 * @file Runs workloads, in a page or in Node, and lays out what they measured.
 */
import { getDevice, init } from 'retrograd';
import { gatherWorkload } from './gather.ts';
import { type Measurement, measure } from './measure.ts';
import type { Row, Workload } from './workload.ts';

export const workloads: readonly Workload[] = [gatherWorkload];

export interface BenchOptions {
  /** Rows whose name holds this text, or matches it between slashes. */
  filter?: string;
  /** Milliseconds that a contender of a row may take. */
  budget?: number;
}

export interface RowResult {
  workload: string;
  name: string;
  unit: 'ms';
  baseline: string;
  contenders: Record<string, Measurement>;
  /** Median of each contender over the baseline's. */
  ratios: Record<string, number>;
  facts: Readonly<Record<string, string | number>>;
}

export interface BenchResult {
  adapter: string;
  engine: string;
  date: string;
  rows: RowResult[];
}

/** Measures every row that the filter lets through; `print` is told of each as it is done. */
export async function runBench(options: BenchOptions, print: (line: string) => void): Promise<BenchResult> {
  await init();
  const { vendor, architecture, description } = getDevice().adapter;
  const matches = matcher(options.filter ?? '');
  const rows: RowResult[] = [];
  for (const workload of workloads) {
    for (const row of workload.rows.filter(({ name }) => matches(name))) {
      const result = await runRow(workload, row, options.budget);
      rows.push(result);
      print(line(result));
    }
  }
  return {
    adapter: [vendor, architecture, description].filter(Boolean).join(' '),
    engine: globalThis.navigator?.userAgent ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
    rows,
  };
}

async function runRow(workload: Workload, row: Row, budget: number | undefined): Promise<RowResult> {
  const { contenders, repeats = 1, facts = {}, dispose } = await row.prepare();
  try {
    const measured = await measure(contenders, budget === undefined ? {} : { budget });
    for (const measurement of Object.values(measured)) measurement.median /= repeats;
    const base = measured[workload.baseline]?.median ?? Number.NaN;
    const ratios = Object.fromEntries(Object.entries(measured).map(([name, m]) => [name, m.median / base]));
    return {
      workload: workload.name,
      name: row.name,
      unit: 'ms',
      baseline: workload.baseline,
      contenders: measured,
      ratios,
      facts,
    };
  } finally {
    dispose();
  }
}

function matcher(filter: string): (name: string) => boolean {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  if (pattern === undefined) return (name) => name.includes(filter);
  const expression = new RegExp(pattern);
  return (name) => expression.test(name);
}

function line({ name, contenders, ratios, baseline }: RowResult): string {
  const cells = Object.entries(contenders).map(([contender, { median }]) => {
    const ratio = contender === baseline ? '' : ` (×${(ratios[contender] as number).toFixed(2)})`;
    return `${contender} ${median.toFixed(3)} ms${ratio}`;
  });
  return `${name.padEnd(56)} ${cells.join('  ')}`;
}

/** The result as Markdown. */
export function toMarkdown({ adapter, engine, date, rows }: BenchResult): string {
  const names = [...new Set(rows.flatMap(({ contenders }) => Object.keys(contenders)))];
  const facts = [...new Set(rows.flatMap((row) => Object.keys(row.facts)))];
  const head = ['row', ...facts, ...names.map((name) => `${name} ms`), ...names.map((name) => `× ${name}`)];
  const body = rows.map((row) => [
    row.name,
    ...facts.map((fact) => String(row.facts[fact] ?? '')),
    ...names.map((name) => {
      const m = row.contenders[name];
      return m ? `${m.median.toFixed(3)} ± ${(100 * m.spread).toFixed(0)} %` : '';
    }),
    ...names.map((name) => (row.ratios[name] === undefined ? '' : (row.ratios[name] as number).toFixed(2))),
  ]);
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`);
  return `Adapter: ${adapter}. Engine: ${engine}. Date: ${date}. Medians of one run, ± half the distance of the quartiles.\n\n${lines.join('\n')}\n`;
}
