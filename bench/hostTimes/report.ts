/** @file Host times as Markdown and as lines for the terminal. */
import { table } from '../codegen/report.ts';
import { short, shortRatio } from '../report.ts';
import { gpuProfiles, type HostResult, hostRatio, type HostRow, type Side, sides } from './result.ts';

const titles: Readonly<Record<Side, string>> = {
  discrete: 'discrete',
  apple: 'apple',
  integrated: 'integrated',
  mobile: 'mobile',
  tfjs: 'TF.js',
  jaxjs: 'jax-js',
  jaxjsJit: 'jax-js `jit`',
};

/** Formats a row as a line for the terminal. */
export function hostLine(row: HostRow): string {
  const cells = sides.flatMap((side) => {
    const time = row.times[side];
    return time ? `${titles[side]} ${short(time.microseconds)}` : [];
  });
  return `${row.name.padEnd(40)} ${shortRatio(hostRatio(row)).padStart(7)}   ${cells.join('  ')}  (µs)`;
}

export function toHostMarkdown({ engine, date, processor, versions, rows, lone }: HostResult): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Host time per call

${date}, by \`npm run bench:host -- --record\`. ${engine}, on its null back end, which executes nothing. ${processor}.
${names.join(', ')}.

µs of processor time of one call, medians ± half the interquartile range; the wait of an idle device is subtracted. Retrograd, with the
profile of each kind of GPU, and its peers have a process each, and take turns. The ratio is the time of the fastest eager peer over that of
the slowest profile: above 1, Retrograd is faster. jax-js's compiled functions, in the last column, aren't eager.

${timesTable(rows)}

## Launches and submissions of one call

${countsTable(rows)}

## A lone call

\`${rows[0]?.name ?? ''}\` on an idle device: µs from its start to the first submission, at the end of a pause of 20 ms if nothing is
submitted before; and the submissions of 1,000 calls without a pause.

${loneTable(lone)}
${notesOf(rows)}`;
}

function timesTable(rows: readonly HostRow[]): string {
  const head = ['call', ...sides.map((side) => titles[side]), 'ratio'];
  const cell = ({ times }: HostRow, side: Side) => {
    const time = times[side];
    return time ? `${short(time.microseconds)} ± ${(100 * time.spread).toFixed(0)} %` : '–';
  };
  return table(
    head,
    rows.map((row) => [row.name, ...sides.map((side) => cell(row, side)), shortRatio(hostRatio(row))]),
  );
}

function countsTable(rows: readonly HostRow[]): string {
  const head = ['call', ...sides.map((side) => titles[side])];
  const cell = ({ times }: HostRow, side: Side) => {
    const time = times[side];
    return time ? `${count(time.launches)} in ${count(time.submissions)}` : '–';
  };
  return table(
    head,
    rows.map((row) => [row.name, ...sides.map((side) => cell(row, side))]),
  );
}

/** A count per call may be a fraction. */
const count = (n: number) => (Number.isInteger(n) ? String(n) : n.toFixed(2));

function loneTable(lone: HostResult['lone']): string {
  const rows = sides.flatMap((side) => {
    const call = lone[side];
    if (!call) return [];
    const library = (gpuProfiles as readonly Side[]).includes(side)
      ? `Retrograd, ${titles[side]}`
      : titles[side];
    const within = call.isWithinCall ? 'yes' : 'no';
    return [[library, short(call.firstSubmission), within, call.submissionsOfMany]];
  });
  return table(['library', 'first submission', 'within the call', 'submissions of 1,000 calls'], rows);
}

function notesOf(rows: readonly HostRow[]): string {
  const notes = rows.flatMap(({ name, notes }) =>
    sides.flatMap((side) => (notes[side] ? [`- ${name}, ${titles[side]}: ${notes[side]}`] : [])),
  );
  return notes.length > 0 ? `\n## Notes\n\n${notes.join('\n')}\n` : '';
}
