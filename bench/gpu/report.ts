/** @file The result of `npm run bench:gpu` as a page: what is below 1 first. */
import { line, short, shortRatio, titles, toMarkdown } from '../report.ts';
import { libraries } from '../job.ts';
import { failuresOf, medianOf, type RowResult, type VariantOutcome } from '../result.ts';
import type { GpuResult, NativeRow } from './result.ts';

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const isBelow = ({ ratio }: RowResult) => ratio !== null && ratio < 1;

/** Rows below 1, the worst first. */
export const rowsBelow = (rows: readonly RowResult[]): RowResult[] =>
  rows.filter(isBelow).sort((a, b) => (a.ratio as number) - (b.ratio as number));

/** Rows in which Retrograd failed or was wrong. */
const brokenRows = (rows: readonly RowResult[]) =>
  rows.filter((row) => failuresOf(row).includes('retrograd'));

export function toGpuMarkdown(result: GpuResult): string {
  const { rows, variants, native, tests, manifest, done } = result;
  const parts = [
    `# Benchmark of a GPU: ${result.adapter || 'unnamed adapter'}`,
    ...(result.isOnNull
      ? ['**On the null back end: nothing was executed, and no figure here is a result.**']
      : []),
    `${result.date}, commit ${result.commit ?? 'unknown'}, by \`npm run bench:gpu\`: ${Object.keys(done).length} tasks in ${Math.round(result.seconds)} s.`,
    belowPart(rows),
    brokenPart(rows, variants),
    variants.length > 0 ? `Of ${variants.length} kernel variants, ${countOf(variants)} are right.` : '',
    testsPart(tests),
    nativePart(rows, native, result.nativeSetting),
    manifestPart(manifest),
    `## All rows\n\n${toMarkdown(result).trimEnd()}`,
    tasksPart(done),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function belowPart(rows: readonly RowResult[]): string {
  const compared = rows.filter(({ ratio }) => ratio !== null);
  const below = rowsBelow(rows);
  const summary = `## Below 1: ${below.length} of ${compared.length} rows\n\nMedian ratio ${shortRatio(medianRatio(compared))}.`;
  if (below.length === 0) return summary;
  const body = below.map((row) => [
    row.name,
    shortRatio(row.ratio),
    row.unit,
    ...libraries.map((library) => figure(medianOf(row, library))),
  ]);
  return `${summary}\n\n${table(['row', 'ratio', 'unit', ...libraries.map((name) => titles[name])], body)}`;
}

function medianRatio(rows: readonly RowResult[]): number | null {
  const ratios = rows.map(({ ratio }) => ratio as number).sort((a, b) => a - b);
  return ratios[ratios.length >> 1] ?? null;
}

function brokenPart(rows: readonly RowResult[], variants: readonly VariantOutcome[]): string {
  const lines = [
    ...variants
      .filter(({ status }) => status !== 'right')
      .map(({ name, status, message }) => `- variant ${name}: ${status}. ${message ?? ''}`),
    ...brokenRows(rows).map(({ name, notes }) => `- ${name}: ${notes.retrograd}`),
  ];
  return lines.length > 0 ? `## Wrong or failed\n\n${lines.join('\n')}` : '';
}

const countOf = (variants: readonly VariantOutcome[]) =>
  variants.filter(({ status }) => status === 'right').length;

function testsPart(tests: GpuResult['tests']): string {
  if (tests.length === 0) return '';
  const passed = tests.reduce((sum, file) => sum + file.passed, 0);
  const failures = tests.flatMap(({ file, failures: failed }) =>
    failed.map(({ name, message }) => `- ${file} > ${name}: ${message.split('\n')[0]}`),
  );
  return [
    `Unit tests: ${passed} passed, ${failures.length} failed, in ${tests.length} files.`,
    ...failures,
  ].join('\n');
}

const figure = (value: number | null | undefined) => (value == null ? '–' : short(value));

/** The columns of PyTorch, by what follows a row's name. */
const columns = {
  '': 'eager',
  ', torch.compile': 'compiled',
  ', float16': 'eager, float16',
  ', float16, torch.compile': 'compiled, float16',
};

/** PyTorch's rows next to Retrograd's; the ratio is that of PyTorch's eager time in float32. */
function nativePart(
  rows: readonly RowResult[],
  native: readonly NativeRow[],
  setting: string | null,
): string {
  if (setting === null) return '';
  const values = new Map(native.map(({ name, pytorch }) => [name, pytorch]));
  const own = new Map(rows.map((row) => [row.name, row.retrograd]));
  const names = [...new Set(native.map(({ name }) => name.replace(/(, float16)?(, torch\.compile)?$/, '')))];
  const body = names.map((name) => {
    const [mine, eager] = [own.get(name), values.get(name)];
    const ratio = mine && eager ? shortRatio(eager / mine) : '–';
    const others = Object.keys(columns).map((suffix) => figure(values.get(`${name}${suffix}`)));
    return [name, figure(mine), figure(own.get(`${name}, float16`)), ...others, ratio];
  });
  const head = [
    'row',
    'Retrograd',
    'Retrograd, float16',
    ...Object.values(columns).map((name) => `PyTorch ${name}`),
    'PyTorch eager over Retrograd',
  ];
  const notes = native.flatMap(({ name, note }) => (note ? [`- ${name}: ${note}`] : []));
  return [`## PyTorch\n\n${setting}`, ...(body.length > 0 ? [table(head, body)] : []), notes.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

/** What was new when the run began. */
export function manifestText({ records, below, fresh, known }: GpuResult['manifest']): string {
  const compared = records.length > 0 ? records.join('; ') : 'none of this adapter’s vendor';
  return `Recorded results: ${compared}. ${below.length} rows are below 1 there, ${fresh.length} were never measured, ${known.length} are measured again if they launch other kernels now.`;
}

const manifestPart = (manifest: GpuResult['manifest']) => `## What was new\n\n${manifestText(manifest)}`;

/** Tasks that ended otherwise than they should. */
function tasksPart(done: GpuResult['done']): string {
  const odd = Object.entries(done).filter(([, { how }]) => how !== 'done');
  return odd.length > 0 ? `## Tasks\n\n${odd.map(([name, { how }]) => `- ${name}: ${how}`).join('\n')}` : '';
}

/** The lines that are printed at the end: rows below 1 first, then the others from the lowest ratio up. */
export function summaryLines(result: GpuResult): string[] {
  const { rows, variants, tests } = result;
  const rest = rows
    .filter((row) => !isBelow(row))
    .sort((a, b) => (a.ratio ?? Number.POSITIVE_INFINITY) - (b.ratio ?? Number.POSITIVE_INFINITY));
  const failed = tests.reduce((sum, { failures }) => sum + failures.length, 0);
  return [
    ...rowsBelow(rows).map((row) => `below 1  ${line(row)}`),
    ...rest.map((row) => `         ${line(row)}`),
    `${rowsBelow(rows).length} rows are below 1. ${brokenRows(rows).length} rows failed. ${variants.length - countOf(variants)} of ${variants.length} kernel variants are wrong. ${failed} unit tests failed.`,
  ];
}
