/** @file The interface of the benchmark in a page or in Node, for scripts/bench.mjs and bench/page.ts. */
import { getDevice, init } from 'retrograd';
import { gatherComparison } from './gather.ts';
import { inOrder, type RecordedResult, recordsFor } from './gpu/plan.ts';
import { variantNames, verifyVariants } from './gpu/verification.ts';
import type { Library } from './job.ts';
import type {
  BenchResult,
  ComparisonResult,
  DeviceDescription,
  RowResult,
  VariantOutcome,
} from './result.ts';
import { type Limits, measureLimits } from './roofline.ts';
import type { Row } from './row.ts';
import { families } from './rows/index.ts';
import type { LaunchedKernels } from './kernels.ts';
import { adapterClass, kernelsOfRow, type RunOptions, runRow } from './run.ts';
import { coldName, sizeListings } from './start.ts';
import { matcher, runComparison } from './comparison.ts';

export { line, toMarkdown, comparisonLine } from './report.ts';

/** A row, by name. Comparisons measure only Retrograd; cold starts and sizes are measured from outside. */
export interface Listed {
  name: string;
  family: string;
  kind: 'peers' | 'comparison' | 'cold' | 'size';
}

/** Versions of the contenders, and recorded results, inserted by the bundler. */
declare const BENCH_VERSIONS: Record<Library, string>;
declare const BENCH_RECORDS: readonly RecordedResult[];

const comparisonRows = [gatherComparison];

async function allRows(): Promise<Row[]> {
  const adapter = await adapterClass();
  return families.flatMap((family) => family.rows(adapter));
}

/**
 * Returns the rows whose names match the filter. Without a filter, the many comparisons are left out, and on a software adapter
 * also rows that take many minutes.
 */
export async function listRows(filter = ''): Promise<Listed[]> {
  const matches = matcher(filter);
  const isSoftware = (await adapterClass()) === 'cpu';
  const fitting = (await allRows()).filter(({ slow = false }) => filter || !(slow && isSoftware));
  const rows: Listed[] = fitting.map(({ name, family }) => ({ name, family, kind: 'peers' }));
  const comparisons: Listed[] = comparisonRows.flatMap(({ name, rows }) =>
    rows.map((row) => ({ name: row.name, family: name, kind: 'comparison' as const })),
  );
  const start: Listed[] = [
    { name: coldName, family: 'start', kind: 'cold' },
    ...sizeListings.map(({ name }): Listed => ({ name, family: 'start', kind: 'size' })),
  ];
  return [...rows, ...start, ...(filter ? comparisons : [])].filter(({ name }) => matches(name));
}

async function rowNamed(name: string): Promise<Row> {
  const row = (await allRows()).find((candidate) => candidate.name === name);
  if (!row) throw new Error(`There is no row '${name}'.`);
  return row;
}

export async function runNamed(name: string, options: RunOptions = {}): Promise<RowResult> {
  return runRow(await rowNamed(name), options);
}

/** Returns the kernels that Retrograd launches for a row, without measuring it. */
export async function kernelsOfNamed(name: string): Promise<LaunchedKernels> {
  return kernelsOfRow(await rowNamed(name));
}

export async function runNamedComparison(name: string, options: RunOptions = {}): Promise<ComparisonResult> {
  await init();
  for (const workload of comparisonRows) {
    const row = workload.rows.find((candidate) => candidate.name === name);
    if (row) return runComparison(workload, row, options);
  }
  throw new Error(`There is no row '${name}'.`);
}

/** All rows, most valuable first: the order of `npm run bench:gpu`. */
export async function rowsInOrder(): Promise<Listed[]> {
  const { adapter } = await emptyResult();
  return inOrder(await listRows(), recordsFor(adapter, BENCH_RECORDS));
}

/** Verifies all kernel variants that the device may run. `onOutcome` is called with each, and with their number. */
export async function verifyKernels(
  onOutcome: (outcome: VariantOutcome, count: number) => void,
): Promise<void> {
  await init();
  const names = variantNames();
  await verifyVariants(names, { begin: () => {}, end: (outcome) => onOutcome(outcome, names.length) });
}

export async function limitsHere(): Promise<Limits> {
  const adapter = await adapterClass();
  return measureLimits(getDevice().gpu, adapter);
}

/** A device's limits have to be read one by one, because they are getters of its prototype. */
function describe({ features, limits }: GPUDevice): DeviceDescription {
  const names = Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(limits)));
  const entries = names
    .map((name) => [name, limits[name as keyof GPUSupportedLimits]] as const)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return { features: [...features].sort(), limits: Object.fromEntries(entries) };
}

/** Returns the result before any row has run. */
export async function emptyResult(): Promise<BenchResult> {
  await init();
  const { vendor, architecture, description } = getDevice().adapter;
  return {
    adapter: [vendor, architecture, description].filter(Boolean).join(' '),
    device: describe(getDevice().gpu),
    engine: globalThis.navigator?.userAgent ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
    versions: BENCH_VERSIONS,
    limits: null,
    rows: [],
    comparisons: [],
  };
}
