/** @file The tables of `npm run codegen -- --steps`. */
import { type Library, libraries, type Peer, peers } from '../job.ts';
import { titles } from '../report.ts';
import { type Setting, table } from './report.ts';
import type { StepCounts, StepReport } from './steps.ts';

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
const moved = ({ read, written }: StepCounts) => read + written;

/** The peer that moves the least, and its counts divided by Retrograd's. */
export function closestPeer({ counts }: StepReport): { peer: Peer; bytes: number; launches: number } | null {
  const own = counts.retrograd;
  if (!own) return null;
  const ratios = peers.flatMap((peer) => {
    const found = counts[peer];
    return found ? [{ peer, bytes: moved(found) / moved(own), launches: found.launches / own.launches }] : [];
  });
  return ratios.sort((a, b) => a.bytes - b.bytes)[0] ?? null;
}

export function toStepMarkdown(reports: readonly StepReport[], { compiler, date }: Setting): string {
  const notes = reports.flatMap(({ name, notes: found }) =>
    Object.entries(found).map(([peer, note]) => `- ${name}, ${titles[peer as Peer]}: ${note}`),
  );
  return `# Training steps next to peers: ${compiler}

${date}, by \`npm run codegen -- --steps --record\`. One step: the loss, the gradient of the parameters, and gradient descent with
momentum, as each library's guide writes it: Retrograd and jax-js compile it. The second step is counted. Nothing was
executed, so no column is a time.

Launches and pipelines are exact. Bytes are limits: a launch reads and writes the buffers that it binds, or as much as it
loads and stores where it has no loops and that is less. *Useful* is the share of these bytes that
parameters, batch and constants have: no step, which also moves activations and gradients, reaches 100 %, but what two
libraries reach can be compared. Winograd convolutions write and read transformed images, for 2.25 to 4 times fewer
multiply-adds: where they are chosen, bytes say the least about time.

${table(
  ['step', 'peer with the fewest bytes', 'its bytes', 'its launches'],
  reports.map((report) => {
    const closest = closestPeer(report);
    const ratio = (value: number | undefined) => (value === undefined ? '' : `${value.toFixed(2)} ×`);
    return [
      report.name,
      closest ? titles[closest.peer] : 'none',
      ratio(closest?.bytes),
      ratio(closest?.launches),
    ];
  }),
)}

${reports.map(section).join('\n\n')}
${notes.length > 0 ? `\n## Without counts\n\n${notes.join('\n')}\n` : ''}`;
}

function section({ name, bytes, counts }: StepReport): string {
  const found = libraries.flatMap((library): [Library, StepCounts][] => {
    const of = counts[library];
    return of ? [[library, of]] : [];
  });
  const lines = found.map(([library, of]) => [
    titles[library],
    of.launches,
    of.pipelines,
    megabytes(of.read),
    megabytes(of.written),
    `${((100 * bytes) / moved(of)).toFixed(1)} %`,
  ]);
  return `## ${name}

${table(['library', 'launches', 'pipelines', 'MB read', 'MB written', 'useful'], lines)}`;
}

/** Returns the same for programs. */
export function toStepJson(reports: readonly StepReport[], setting: Setting): string {
  return `${JSON.stringify({ ...setting, steps: reports }, null, 2)}\n`;
}
