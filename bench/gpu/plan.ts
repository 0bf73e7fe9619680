/**
 * @file What is worth measuring on a GPU, most valuable first. Computed from the rows that exist and from recorded results, so
 * that nothing has to be kept in step by hand. `npm run bench:gpu` and the benchmark's page run the same list.
 */
import type { Listed } from '../main.ts';
import type { BenchResult } from '../result.ts';

/** The sections, in order. */
export const sections = [
  'verification',
  'below 1',
  'never measured',
  'training',
  'generation',
  'memory',
  'changed',
  'unit tests',
] as const;
export type Section = (typeof sections)[number];

export type TaskKind = 'verify' | 'row' | 'pytorch' | 'tests';

export interface Task {
  /** Unique. */
  readonly name: string;
  readonly kind: TaskKind;
  readonly section: Section;
  readonly family: string;
  /** The kernels that the row launched when it was last recorded: with the same ones, it isn't measured again. */
  readonly recorded?: Pick<RecordedRow, 'kernels' | 'code'>;
}

/** What the list needs of a recorded row. */
export interface RecordedRow {
  readonly name: string;
  readonly ratio: number | null;
  readonly kernels: readonly string[];
  /** A hash of the kernels' WGSL. Older results have none. */
  readonly code?: string;
}

export interface RecordedResult {
  readonly adapter: string;
  readonly date: string;
  readonly rows: readonly RecordedRow[];
}

/** What is new since the last recorded results of the adapter. */
export interface Manifest {
  /** Date and adapter of the results that it was compared with. */
  readonly records: readonly string[];
  readonly below: readonly string[];
  readonly fresh: readonly string[];
  /** Rows that are recorded, and measured again only if they launch other kernels now. */
  readonly known: readonly string[];
}

const trainingFamilies: readonly string[] = ['steps', 'transformer', 'perceptual', 'lora'];

function sectionOf({ family }: Listed): Section | null {
  if (family.startsWith('peak bytes')) return 'memory';
  if (family.startsWith('generation')) return 'generation';
  return trainingFamilies.includes(family) ? 'training' : null;
}

/** The vendor is the first word of an adapter's name; drivers and their versions follow. */
const vendorOf = (adapter: string) => adapter.split(' ')[0] ?? '';

/** Returns the results of the adapter's vendor, the newest last. */
export function recordsFor(adapter: string, records: readonly RecordedResult[]): RecordedResult[] {
  const own = records.filter((record) => vendorOf(record.adapter) === vendorOf(adapter));
  return own.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

/** Returns each row as it was recorded last. */
function latestRows(records: readonly RecordedResult[]): Map<string, RecordedRow> {
  return new Map(records.flatMap(({ rows }) => rows.map((row) => [row.name, row])));
}

export function manifestOf(rows: readonly Listed[], records: readonly RecordedResult[]): Manifest {
  const recorded = latestRows(records);
  const ratioOf = ({ name }: Listed) => recorded.get(name)?.ratio ?? Number.POSITIVE_INFINITY;
  const below = rows.filter((row) => ratioOf(row) < 1).sort((a, b) => ratioOf(a) - ratioOf(b));
  const rest = rows.filter((row) => ratioOf(row) >= 1);
  const names = (some: readonly Listed[]) => some.map(({ name }) => name);
  return {
    records: records.map(({ date, adapter, rows: { length } }) => `${date}, ${adapter}, ${length} rows`),
    below: names(below),
    fresh: names(rest.filter(({ name }) => !recorded.has(name))),
    known: names(rest.filter(({ name }) => recorded.has(name))),
  };
}

/** Rows of computations; those of start-up are measured elsewhere. */
export const isComputation = ({ kind }: Listed) => kind === 'peers';

/** The list for rows that can run here. `records`: those of this adapter's vendor. */
export function planOf(all: readonly Listed[], records: readonly RecordedResult[]): Task[] {
  const rows = all.filter(isComputation);
  const recorded = latestRows(records);
  const { below, fresh, known } = manifestOf(rows, records);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const tasksOf = (names: readonly string[], otherwise: Section): Task[] =>
    names.map((name) => {
      const row = byName.get(name) as Listed;
      const section = otherwise === 'below 1' ? otherwise : (sectionOf(row) ?? otherwise);
      const { kernels = [], code } = recorded.get(name) ?? {};
      const isKnown = section === 'changed';
      const last = isKnown ? { recorded: { kernels, ...(code === undefined ? {} : { code }) } } : {};
      return { name, kind: 'row', section, family: row.family, ...last };
    });
  const tasks: Task[] = [
    { name: 'verify', kind: 'verify', section: 'verification', family: '' },
    ...tasksOf(below, 'below 1'),
    ...tasksOf(fresh, 'never measured'),
    ...tasksOf(known, 'changed'),
    { name: 'PyTorch, training steps', kind: 'pytorch', section: 'training', family: '' },
    { name: 'PyTorch, training steps, torch.compile', kind: 'pytorch', section: 'training', family: '' },
    { name: 'PyTorch, products and convolutions', kind: 'pytorch', section: 'memory', family: '' },
    { name: 'unit tests', kind: 'tests', section: 'unit tests', family: '' },
  ];
  return sections.flatMap((section) => tasks.filter((task) => task.section === section));
}

/** The rows in the order of the list, and then those of start-up. */
export function inOrder(rows: readonly Listed[], records: readonly RecordedResult[]): Listed[] {
  const order = new Map(planOf(rows, records).map(({ name }, i) => [name, i]));
  const placeOf = ({ name }: Listed) => order.get(name) ?? order.size;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns the part of a result that later lists need. */
export const recordOf = ({ adapter, date, rows }: BenchResult): RecordedResult => ({
  adapter,
  date,
  rows: rows.map(({ name, ratio, kernels, code }) => ({
    name,
    ratio,
    kernels,
    ...(code === undefined ? {} : { code }),
  })),
});
