/** @file Kernel times as Markdown and as lines for the terminal. */
import { table } from '../codegen/report.ts';
import { type Library, libraries, peers } from '../job.ts';
import { short, shortRatio, titles } from '../report.ts';
import { fastestPeer, type KernelRow, type KernelSetting, type KernelTime } from './result.ts';

/** Larger differences between libraries are reported; of float32 sums in another order, they are smaller. */
const smallDifference = 1e-3;

const microseconds = ({ milliseconds }: KernelTime) => short(1000 * milliseconds);

/** Formats a row as a line for the terminal. */
export function kernelLine(row: KernelRow): string {
  const cells = libraries.flatMap((library) => {
    const time = row.times[library];
    if (time) return `${titles[library]} ${microseconds(time)}`;
    return row.notes[library] ? `${titles[library]} –` : [];
  });
  const ratio = shortRatio(fastestPeer(row)?.ratio ?? null);
  return `${row.name.padEnd(64)} ${ratio.padStart(7)}   ${cells.join('  ')}  (µs)`;
}

/** A page: its setting, a summary by family, and a table of each family. */
export function toKernelMarkdown(setting: KernelSetting, rows: readonly KernelRow[]): string {
  const { adapter, profile, engine, date, versions } = setting;
  const names = libraries.map((library) => `${titles[library]} ${versions[library]}`).join(', ');
  return `# Kernel times: ${adapter}

${date}, by \`npm run bench:kernels\`. ${engine}, profile \`${profile}\`. ${names}.

${kernelTables(rows)}`;
}

/** The tables, without the page's head. */
export function kernelTables(rows: readonly KernelRow[]): string {
  const families = [...new Set(rows.map(({ family }) => family))];
  const sections = families.map((family) => {
    const own = rows.filter((row) => row.family === family);
    return `## ${family}\n\n${familyTable(own)}`;
  });
  const notes = rows.flatMap(notesOf);
  if (notes.length > 0) sections.push(`## Notes\n\n${notes.join('\n')}`);
  return `Times are those of the kernels alone, between timestamps on the GPU: medians in µs, ± half the interquartile range. The ratio is the
fastest peer's time over Retrograd's: above 1, Retrograd is faster. GFLOP/s count the multiply-adds of the definition, two operations each.
A peer marked ≠ has other results than Retrograd (see the notes); it is compared nevertheless.

${summary(rows, families)}

${sections.join('\n\n')}
`;
}

function summary(rows: readonly KernelRow[], families: readonly string[]): string {
  const head = ['family', 'comparisons', 'median ratio', 'least ratio', 'below 1'];
  const lineOf = (title: string, some: readonly KernelRow[]) => {
    const ratios = some.flatMap((row) => fastestPeer(row)?.ratio ?? []).sort((a, b) => a - b);
    const below = ratios.filter((ratio) => ratio < 1).length;
    return [title, ratios.length, shortRatio(median(ratios)), shortRatio(ratios[0] ?? null), below];
  };
  const ofFamilies = families.map((family) =>
    lineOf(
      family,
      rows.filter((row) => row.family === family),
    ),
  );
  return table(head, [...ofFamilies, lineOf('all', rows)]);
}

/** Of sorted values. */
function median(sorted: readonly number[]): number | null {
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

function familyTable(rows: readonly KernelRow[]): string {
  const head = ['problem', 'Retrograd', 'GFLOP/s', 'launches', ...peers.map((peer) => titles[peer]), 'ratio'];
  return table(
    head,
    rows.map((row) => {
      const own = row.times.retrograd;
      const best = fastestPeer(row);
      return [
        row.name,
        timeCell(row, 'retrograd'),
        own && row.fmas > 0 ? short((2 * row.fmas) / own.milliseconds / 1e6) : '',
        own?.launches ?? '',
        ...peers.map((peer) => timeCell(row, peer)),
        best ? shortRatio(best.ratio) : '–',
      ];
    }),
  );
}

/** `12.3 ± 4 %` */
function timeCell({ times, notes }: KernelRow, library: Library): string {
  const time = times[library];
  if (!time) return notes[library] ? 'note' : '–';
  return `${microseconds(time)} ± ${(100 * time.spread).toFixed(1)} %${isDifferent(time) ? ' ≠' : ''}`;
}

const isDifferent = ({ difference }: KernelTime) => difference !== null && difference > smallDifference;

function notesOf({ name, times, notes }: KernelRow): string[] {
  return libraries.flatMap((library) => {
    const [note, time] = [notes[library], times[library]];
    if (note) return `- ${name}, ${titles[library]}: ${note}`;
    if (!time || !isDifferent(time)) return [];
    return `- ${name}, ${titles[library]}: results differ by ${short(time.difference ?? 0)} of the largest value`;
  });
}
