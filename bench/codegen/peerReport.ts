/** @file Compares what the libraries launch for the same problems, and the model's predictions. */
import { titles } from '../report.ts';
import { type Library, type Peer, peers } from '../job.ts';
import { multiplyAdds } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { breakdown, type Machine, machines, type ModelledLaunch } from './model.ts';
import { launching, modelledLaunches, predict, predictedShare } from './predict.ts';
import type { CompiledPipeline } from './recorder.ts';
import { percent, type Setting, shortLabel, table } from './report.ts';

/** Goal of the comparison. */
const goal = 1.3;

interface Comparison {
  readonly report: ProblemReport;
  readonly machine: Machine;
  readonly peer: Peer;
  readonly ratio: number;
}

const comparisonsOf = (report: ProblemReport): Comparison[] =>
  machines.flatMap((machine) => {
    const { best } = predict(report, machine);
    return best ? [{ report, machine, ...best }] : [];
  });

export function toPeerMarkdown(reports: readonly ProblemReport[], setting: Setting): string {
  const families = [...new Set(reports.map(({ family }) => family))];
  const comparisons = reports.flatMap(comparisonsOf);
  return `# Generated code next to peers: ${setting.compiler}

${setting.date}, profile \`${setting.profile}\`, by \`npm run codegen -- --peers --record\`. Launches, registers, waves and instructions are
the compiler's and exact. Columns that say *model* are predictions of [a model](../../docs/decisions/codegen-model.md), not measurements.

${summary(comparisons)}

## Below 1: what the model says takes the time

The longest launch of each: its share of the predicted time, and the shares that multiply to its rate of multiply-adds (*issue*: of vector
instructions; *latency*: of time with a wave that can issue; *last round*: of SIMDs with work).

${belowTable(comparisons.filter(({ ratio }) => ratio < 0.995))}

${families.map((family) => familySection(reports.filter((report) => report.family === family))).join('\n\n')}
`;
}

/** Returns the same for programs: launches as [pipeline, workgroups, multiply-adds, bytes]. */
export function toPeerJson(reports: readonly ProblemReport[], setting: Setting): string {
  const pipelines = new Map<CompiledPipeline, number>();
  const numberOf = (pipeline: CompiledPipeline) => {
    if (!pipelines.has(pipeline)) pipelines.set(pipeline, pipelines.size + 1);
    return pipelines.get(pipeline);
  };
  const problems = reports.map((report) => ({
    name: report.name,
    family: report.family,
    fmas: report.fmas,
    bytes: report.bytes,
    libraries: Object.fromEntries(
      launching(report).map((library) => [
        library,
        {
          launches: modelledLaunches(report, library).map(({ pipeline, workgroups, executed, bytes }) => [
            numberOf(pipeline),
            workgroups,
            executed,
            bytes,
          ]),
          model: machines.map((machine) => predictedShare(report, library, machine)),
        },
      ]),
    ),
    notes: report.notes,
  }));
  const described = [...pipelines].map(([{ program, ...pipeline }, number]) => ({
    number,
    ...pipeline,
    mix: multiplyAdds(program) ?? program.mix,
  }));
  const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(',\n');
  return `{\n"setting": ${JSON.stringify(setting)},\n"machines": ${JSON.stringify(machines)},\n"problems": [\n${lines(problems)}\n],\n"pipelines": [\n${lines(described)}\n]\n}\n`;
}

/** Returns whether the goal is possible: it isn't if the peer already reaches more than 1 / goal of the limit. */
const leavesRoom = ({ report, peer, machine }: Comparison) =>
  goal * (predictedShare(report, peer, machine) ?? 0) <= 1;

function summary(comparisons: readonly Comparison[]): string {
  const ratios = comparisons.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const open = comparisons.filter(leavesRoom);
  const count = (test: (ratio: number) => boolean, among = comparisons) =>
    among.filter(({ ratio }) => test(ratio)).length;
  return [
    `- model: ${comparisons.length} comparisons with the best peer, on ${machines.length} machines; median ${(ratios[ratios.length >> 1] ?? 0).toFixed(2)}×, min ${(ratios[0] ?? 0).toFixed(2)}×`,
    `- model: ${count((ratio) => ratio < 0.995)} are below 1`,
    `- model: ${open.length} leave room for ${goal}× (in the others the peer is nearer to the machine's limit than that); of these, ${count((ratio) => ratio >= goal, open)} reach it`,
  ].join('\n');
}

function belowTable(comparisons: readonly Comparison[]): string {
  const rows = [...comparisons]
    .sort((a, b) => a.ratio - b.ratio)
    .map(({ report, machine, peer, ratio }) => [
      report.name,
      machine.name,
      `${titles[peer]} ${ratio.toFixed(2)}×`,
      ...(['retrograd', peer] as const).map((library) => longest(report, library, machine)),
    ]);
  return table(
    ['problem', 'model: machine', 'model: best peer', 'model: Retrograd', 'model: the peer'],
    rows,
  );
}

/** Describes the launch that takes the most time. */
function longest(report: ProblemReport, library: Library, machine: Machine): string {
  const launches = modelledLaunches(report, library).map((launch) => ({
    launch,
    ...breakdown(launch, machine),
  }));
  const total = launches.reduce((sum, { seconds }) => sum + seconds, 0);
  const [max] = [...launches].sort((a, b) => b.seconds - a.seconds);
  if (!max) return '';
  const { boundBy, issue, latency, lastRound, seconds } = max;
  const why =
    boundBy !== 'multiply-adds'
      ? boundBy
      : `issue ${percent(issue)}, latency ${percent(latency)}, last round ${percent(lastRound)}`;
  const share = launches.length > 1 ? ` (${percent(seconds / total)} of ${launches.length} launches)` : '';
  return `${nameOf(max.launch)}${share}: ${why}`;
}

const nameOf = ({ pipeline }: { pipeline: ModelledLaunch['pipeline'] }) =>
  shortLabel(pipeline.label).replace(/^retrograd /, '') || 'unnamed';

function familySection(reports: readonly ProblemReport[]): string {
  const head = [
    'problem',
    'library',
    'launches',
    'longest',
    'workgroups × threads',
    'VGPRs',
    'waves',
    'FMA',
    'useful',
    ...machines.map(({ name }) => `model: ${name}`),
  ];
  const notes = reports.flatMap(({ name, notes }) =>
    peers.flatMap((peer) => (notes[peer] ? [`- ${name}, ${titles[peer]}: ${notes[peer]}`] : [])),
  );
  const rows = reports.flatMap((report) => launching(report).map((library) => libraryRow(report, library)));
  return [
    `## ${reports[0]?.family}`,
    table(head, rows),
    ...(notes.length > 0 ? [notes.join('\n')] : []),
  ].join('\n\n');
}

/** Figures of a library's longest launch, by the first machine of the model. */
function libraryRow(report: ProblemReport, library: Library): (string | number)[] {
  const launches = modelledLaunches(report, library);
  const machine = machines[0] as Machine;
  const by = (launch: ModelledLaunch) => breakdown(launch, machine).seconds;
  const main = [...launches].sort((a, b) => by(b) - by(a))[0] as ModelledLaunch;
  const { workgroup, registers, waves, program, spills, scratch } = main.pipeline;
  const mix = multiplyAdds(program) ?? program.mix;
  const executed = launches.reduce((sum, launch) => sum + launch.executed, 0);
  return [
    library === 'retrograd' ? report.name : '',
    titles[library],
    launches.length,
    nameOf(main),
    `${main.workgroups} × ${workgroup}`,
    spills + scratch > 0 ? `${registers} (spills)` : registers,
    waves,
    mix.vector > 0 ? percent(mix.fma / mix.vector) : '',
    report.terms > 0 && executed > 0 ? percent(Math.min(1, report.fmas / executed)) : '',
    ...machines.map((each) => percent(predictedShare(report, library, each) ?? 0)),
  ];
}
