/** @file Results as lines and as Markdown. */
import { type Library, libraries } from './job.ts';
import { type BenchResult, medianOf, type RowResult, type ComparisonResult } from './result.ts';

export const titles: Readonly<Record<Library, string>> = {
  retrograd: 'Retrograd',
  tfjs: 'TF.js',
  jaxjs: 'jax-js',
  ort: 'ONNX Runtime',
};

/** Three significant digits, without an exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-6))));
  return value.toFixed(Math.min(digits, 6));
}

export const shortRatio = (ratio: number | null) => (ratio === null ? '–' : `${ratio.toFixed(2)}×`);

/** Formats a row as a line for the terminal. */
export function line(row: RowResult): string {
  const cells = libraries.map((library) => {
    const value = medianOf(row, library);
    const note = row.notes[library]?.split(':')[0] ?? '–';
    return `${titles[library]} ${value === null ? note : short(value)}`;
  });
  return `${row.name.padEnd(52)} ${shortRatio(row.ratio).padStart(7)}   ${cells.join('  ')}  (${row.unit})`;
}

export function comparisonLine({ name, medians, ratios, baseline }: ComparisonResult): string {
  const cells = Object.entries(medians).map(([name, median]) => {
    const ratio = name === baseline ? '' : ` (×${(ratios[name] as number).toFixed(2)})`;
    return `${name} ${median.toFixed(3)} ms${ratio}`;
  });
  return `${name.padEnd(52)} ${cells.join('  ')}`;
}

const table = (rows: readonly (readonly string[])[]) => {
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

/** `12.3 ± 4 %` */
function cell(row: RowResult, library: Library): string {
  const value = medianOf(row, library);
  if (value === null) {
    const note = row.notes[library];
    return note && /^(failed|wrong)/.test(note) ? (note.split(':')[0] as string) : '–';
  }
  const spread = row.spread[library];
  return spread === undefined ? short(value) : `${short(value)} ± ${(100 * spread).toFixed(0)} %`;
}

function reachedCell({ roofline }: RowResult): string {
  if (!roofline) return '';
  return `${(100 * roofline.reached).toFixed(0)} % of ${roofline.limit === 'compute' ? 'FMA' : 'copy'}`;
}

/**
 * Formats the whole result as Markdown: machine and date, a table with the ratio in every row, and failures with their reasons.
 */
export function toMarkdown(result: BenchResult): string {
  const { adapter, device, engine, date, versions, limits, rows, comparisons } = result;
  const parts = [
    `Adapter: ${adapter}. Engine: ${engine}. Date: ${date}.`,
    `${libraries.map((library) => `${titles[library]} ${versions[library]}`).join(', ')}.`,
    'Medians of one run, ± half the interquartile range. The ratio is the best peer over Retrograd: above 1, Retrograd is faster.',
  ];
  if (limits) {
    const [copy, multiply] = [short(limits.bandwidth / 1e9), short(limits.flops / 1e9)];
    parts.push(`Limits measured in the same run: ${copy} GB/s copied, ${multiply} GFLOP/s of multiply-adds.`);
  }
  if (rows.length > 0) {
    const head = ['row', 'unit', ...libraries.map((library) => titles[library]), 'ratio', 'reached'];
    const body = rows.map((row) => [
      row.name,
      row.unit,
      ...libraries.map((library) => cell(row, library)),
      shortRatio(row.ratio),
      reachedCell(row),
    ]);
    parts.push(table([head, ...body]));
  }
  const hot = rows.filter((row) => row.roofline);
  if (hot.length > 0) {
    const head = ['row', 'MFLOP', 'MB', 'limit', 'least ms', 'ms', 'reached'];
    const body = hot.map((row) => {
      const { flops, bytes, limit, milliseconds, reached } = row.roofline as NonNullable<
        RowResult['roofline']
      >;
      const share = `${(100 * reached).toFixed(0)} %`;
      const took = short(row.retrograd ?? Number.NaN);
      return [row.name, short(flops / 1e6), short(bytes / 1e6), limit, short(milliseconds), took, share];
    });
    parts.push(`### Rooflines of Retrograd's rows\n\n${table([head, ...body])}`);
  }
  parts.push(...comparisonTables(comparisons));
  const noted = rows.flatMap((row) =>
    libraries.flatMap((library) =>
      row.notes[library] ? [`- ${row.name}, ${titles[library]}: ${row.notes[library]}`] : [],
    ),
  );
  const launched = rows.filter(({ kernels }) => kernels.length > 0);
  if (launched.length > 0) {
    const lines = launched.map(({ name, kernels }) => `- ${name}: ${kernels.map(kernelText).join('; ')}`);
    parts.push(`### Kernels that Retrograd launched\n\n${lines.join('\n')}`);
  }
  const offered = Object.entries(device.limits).map(([name, value]) => `${name} ${value}`);
  parts.push(
    `### Device\n\nFeatures: ${device.features.join(', ') || 'none'}.\n\nLimits: ${offered.join(', ')}.`,
  );
  if (noted.length > 0) parts.push(`### Notes\n\n${noted.join('\n')}`);
  return `${parts.join('\n\n')}\n`;
}

const kernelText = (kernel: string) => `\`${kernel}\``;

function comparisonTables(comparisons: readonly ComparisonResult[]): string[] {
  return [...new Set(comparisons.map(({ workload }) => workload))].map((workload) => {
    const rows = comparisons.filter((row) => row.workload === workload);
    const names = [...new Set(rows.flatMap(({ medians }) => Object.keys(medians)))];
    const facts = [...new Set(rows.flatMap((row) => Object.keys(row.facts)))];
    const baseline = rows[0]?.baseline ?? '';
    const head = ['row', ...facts, ...names.map((name) => `${name} ms`), ...names.map((name) => `× ${name}`)];
    const body = rows.map((row) => [
      row.name,
      ...facts.map((fact) => String(row.facts[fact] ?? '')),
      ...names.map((name) => {
        const median = row.medians[name];
        return median === undefined
          ? ''
          : `${short(median)} ± ${(100 * (row.spread[name] ?? 0)).toFixed(0)} %`;
      }),
      ...names.map((name) => (row.ratios[name] === undefined ? '' : (row.ratios[name] as number).toFixed(2))),
    ]);
    return `### ${workload}, × relative to ${baseline}\n\n${table([head, ...body])}`;
  });
}
