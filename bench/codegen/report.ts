/** @file The results as a page and as JSON. */
import { libraries, type Library, peers } from '../job.ts';
import { usefulShare } from './gemmShare.ts';
import type { GemmWork } from './gemmWork.ts';
import { mainLoop } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { type Machine, machines, machinesOf } from './model.ts';
import { predict } from './predict.ts';
import type { CompiledPipeline, RecordedLaunch } from './recorder.ts';

export interface Setting {
  /** The chip and the driver that compiled for it. */
  readonly compiler: string;
  readonly profile: string;
  readonly date: string;
}

/** Pipelines by number, in the order of their first launch. */
class PipelineTable {
  readonly numbers = new Map<CompiledPipeline, number>();

  constructor(reports: readonly ProblemReport[]) {
    for (const { launches } of reports)
      for (const library of libraries)
        for (const { pipeline } of launches[library] ?? [])
          if (!this.numbers.has(pipeline)) this.numbers.set(pipeline, this.numbers.size + 1);
  }

  numberOf = (pipeline: CompiledPipeline) => this.numbers.get(pipeline) as number;
}

export function toJson(reports: readonly ProblemReport[], setting: Setting): string {
  const table = new PipelineTable(reports);
  const launchesOf = (launches: readonly RecordedLaunch[] = []) =>
    launches.map(({ pipeline, workgroups, bytes }) => [table.numberOf(pipeline), workgroups, bytes]);
  const problems = reports.map(({ launches, ...report }) => ({
    ...report,
    launches: Object.fromEntries(
      libraries.filter((name) => launches[name]).map((name) => [name, launchesOf(launches[name])]),
    ),
    predicted: machinesOf(report.profile).map((machine) => predict({ ...report, launches }, machine)),
  }));
  const pipelines = [...table.numbers].map(([pipeline, number]) => ({ number, ...pipeline }));
  const lines = (values: readonly unknown[]) =>
    values.map((value) => `  ${JSON.stringify(value)}`).join(',\n');
  return `{\n"setting": ${JSON.stringify(setting)},\n"problems": [\n${lines(problems)}\n],\n"pipelines": [\n${lines(pipelines)}\n]\n}\n`;
}

export const percent = (share: number) => `${Math.round(100 * share)} %`;
const cells = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`;
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [cells(head), cells(head.map(() => '---')), ...rows.map(cells)].join('\n');

export function toMarkdown(reports: readonly ProblemReport[], setting: Setting): string {
  const pipelines = new PipelineTable(reports);
  const families = [...new Set(reports.map(({ family }) => family))];
  const modelled = machines.filter((machine) => reports.some(({ profile }) => isOn(machine, profile)));
  const sections = families.map((family) => {
    const rows = reports.filter((report) => report.family === family);
    return `## ${family}\n\n${problemTable(rows, modelled, pipelines)}`;
  });
  return `# Generated code: ${setting.compiler}

${setting.date}, profile \`${setting.profile}\`, by \`npm run codegen\`. Registers, waves, LDS, spills and instructions are the compiler's and exact.
Columns that say *model* are predictions of [a model](../../docs/decisions/codegen-model.md), not measurements: the share of a machine's limit
(${modelled.map(({ name }) => name).join(', ')}), and the best peer's predicted time over Retrograd's.

- *useful*: the share of a problem's executed multiply-adds that its definition asks for, where it is a GEMM.
- *launches*: P numbers the pipelines listed at the end; × is the number of workgroups.

${summary(reports)}

${sections.join('\n\n')}

## Pipelines

*Loop* is the one that does max of the multiply-adds, with the loops in it; otherwise the longest. *FMA* is their share of its vector
instructions. *In flight* are its loads that are in flight at once, and the multiply-adds that are executed meanwhile.

${pipelineTable(pipelines)}
`;
}

/** Whether the library may choose a profile on a machine. */
const isOn = ({ profiles }: Machine, profile: ProblemReport['profile']) => profiles.includes(profile);

/** Summarizes the figures that have limits. */
function summary(reports: readonly ProblemReport[]): string {
  const shares = reports.map(({ gemms }) => usefulShare(gemms)).filter((share) => share !== null);
  const own = [
    ...new Set(reports.flatMap(({ launches }) => (launches.retrograd ?? []).map(({ pipeline }) => pipeline))),
  ];
  const spilled = own.filter(({ spills, scratch }) => spills + scratch > 0);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const useful = `- useful multiply-adds: ${percent(mean)} on average, ${percent(Math.min(...shares))} in the worst problem`;
  const ratios = reports.flatMap((report) =>
    machinesOf(report.profile).flatMap((machine) => predict(report, machine).best?.ratio ?? []),
  );
  const below = ratios.filter((ratio) => ratio < 1).length;
  const comparisons = `- model: of ${ratios.length} comparisons with the best peer, ${below} are below 1`;
  return [
    ...(shares.length > 0 ? [useful] : []),
    `- pipelines with spills or scratch: ${spilled.length}`,
    `- registers: ${Math.max(...own.map(({ registers }) => registers))} at most; waves of a SIMD: ${Math.min(...own.map(({ waves }) => waves))} at least`,
    ...(ratios.length > 0 ? [comparisons] : []),
  ].join('\n');
}

function problemTable(
  reports: readonly ProblemReport[],
  modelled: readonly Machine[],
  pipelines: PipelineTable,
): string {
  const head = [
    'problem',
    'GEMM',
    'useful',
    'launches',
    ...modelled.map(({ name }) => `model: ${name}`),
    'model: best peer',
  ];
  return table(
    head,
    reports.map((report) => {
      const useful = usefulShare(report.gemms);
      const predictions = modelled.map((machine) =>
        isOn(machine, report.profile) ? predict(report, machine) : null,
      );
      const ratios = predictions.flatMap((prediction) =>
        prediction?.best ? [`${prediction.best.peer} ${prediction.best.ratio.toFixed(2)}×`] : [],
      );
      return [
        report.name,
        gemmText(report.gemms),
        useful === null ? '' : percent(useful),
        launchText(report, 'retrograd', pipelines),
        ...predictions.map((prediction) => (prediction ? percent(prediction.share) : '')),
        [...ratios, ...notesOf(report)].join(', '),
      ];
    }),
  );
}

/** Repeated ones are merged with their count: large images are computed in bands. */
function gemmText(gemms: readonly GemmWork[]): string {
  const groups: { what: string; count: number }[] = [];
  for (const { what } of gemms) {
    const last = groups.at(-1);
    if (last?.what === what) last.count++;
    else groups.push({ what, count: 1 });
  }
  return groups.map(({ what, count }) => (count > 1 ? `${count} of ${what}` : what)).join('; ');
}

const notesOf = ({ notes }: ProblemReport) =>
  peers.flatMap((peer) => (notes[peer] ? [`${peer}: ${notes[peer]}`] : []));

function launchText({ launches }: ProblemReport, library: Library, { numberOf }: PipelineTable): string {
  const all = launches[library] ?? [];
  const shown = all.slice(0, 6).map(({ pipeline, workgroups }) => `P${numberOf(pipeline)}×${workgroups}`);
  return `${all.length}: ${shown.join(', ')}${all.length > shown.length ? ', …' : ''}`;
}

function pipelineTable({ numbers }: PipelineTable): string {
  const head = [
    '',
    'kernel',
    'threads',
    'VGPRs',
    'waves',
    'LDS',
    'spills',
    'loop',
    'FMA',
    'vector',
    'LDS reads',
    'clamps',
    'loads',
    'in flight',
  ];
  return table(
    head,
    [...numbers].map(([pipeline, number]) => {
      const { label, workgroup, registers, waves, lds, spills, scratch, program } = pipeline;
      const loop = mainLoop(program) ?? [...program.loops].sort((a, b) => b.instructions - a.instructions)[0];
      const mix = loop ?? program.mix;
      return [
        `P${number}`,
        shortLabel(label),
        workgroup,
        registers,
        waves,
        lds,
        spills + scratch,
        loop ? loop.instructions : `(${mix.instructions})`,
        mix.vector > 0 ? percent(mix.fma / mix.vector) : '',
        mix.vector,
        mix.ldsReads,
        mix.clamps,
        mix.loads,
        loop ? `${loop.loadsInFlight}, ${loop.fmaUnderLoads} FMA` : '',
      ];
    }),
  );
}

/** The kernel's name; Retrograd's labels continue with its options. */
export const shortLabel = (label: string) =>
  label
    .replace(/ \{.*$/s, '')
    .replace(/\|/g, '\\|')
    .slice(0, 60);
