/** @file Compares what the libraries launch for the same problems, and the model's predictions. */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';
import { titles } from '../report.ts';
import { type Library, type Peer, peers } from '../job.ts';
import { multiplyAdds } from './isa.ts';
import type { ProblemReport } from './measure.ts';
import { breakdown, type Machine, machines, machinesOf, type ModelledLaunch } from './model.ts';
import { launching, modelledLaunches, predict, predictedShare } from './predict.ts';
import type { CompiledPipeline } from './recorder.ts';
import { percent, type Setting, shortLabel, table } from './report.ts';

/** Goal of the comparison. */
const goal = 1.3;

/** A comparison on a machine: `report` is of a profile that the library may choose there. */
interface Comparison {
  readonly report: ProblemReport;
  readonly machine: Machine;
  readonly peer: Peer;
  readonly ratio: number;
}

const comparisonsOf = (
  reports: readonly ProblemReport[],
  machinesFor: (profile: AdapterKind) => readonly Machine[] = machinesOf,
): Comparison[] =>
  reports.flatMap((report) =>
    machinesFor(report.profile).flatMap((machine) => {
      const { best } = predict(report, machine);
      return best ? [{ report, machine, ...best }] : [];
    }),
  );

export function toPeerMarkdown(reports: readonly ProblemReport[], setting: Setting): string {
  const families = [...new Set(reports.map(({ family }) => family))];
  const comparisons = comparisonsOf(reports);
  return `# Generated code next to peers: ${setting.compiler}

${setting.date}, by \`npm run codegen -- --peers --record\`. Launches, registers, waves and instructions are the compiler's and exact. Columns
that say *model* are predictions of [a model](../../docs/decisions/codegen-model.md), not measurements. On each machine, Retrograd's kernels are
those of the profile that the library chooses there: ${profilesOfMachines()}.

${summary(comparisons)}
${otherProfiles(reports)}

## Below 1: what the model says takes the time

The longest launch of each: its share of the predicted time, and the shares that multiply to its rate of multiply-adds (*issue*: of vector
instructions; *latency*: of time with a wave that can issue; *last round*: of SIMDs with work).

${belowTable(comparisons.filter(isBelow))}

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
    profile: report.profile,
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
          model: machinesOf(report.profile).map((machine) => predictedShare(report, library, machine)),
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

const profilesOfMachines = () =>
  machines.map(({ name, profiles }) => `\`${profiles[0]}\` on *${name}*`).join(', ');

const isBelow = ({ ratio }: Comparison) => ratio < 0.995;

/** An adapter may hide what it is, so a machine may get the profile of others. */
function otherProfiles(reports: readonly ProblemReport[]): string {
  const profiles = [...new Set(reports.map(({ profile }) => profile))];
  return profiles
    .map((profile) => {
      const own = reports.filter((report) => report.profile === profile);
      const comparisons = comparisonsOf(own, () => machines);
      const min = Math.min(...comparisons.map(({ ratio }) => ratio));
      return `- model: with the profile \`${profile}\` on all machines, ${comparisons.filter(isBelow).length} of ${comparisons.length} are below 1; min ${min.toFixed(2)}×`;
    })
    .join('\n');
}

function summary(comparisons: readonly Comparison[]): string {
  const ratios = comparisons.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const open = comparisons.filter(leavesRoom);
  const count = (test: (ratio: number) => boolean, among = comparisons) =>
    among.filter(({ ratio }) => test(ratio)).length;
  return [
    `- model: ${comparisons.length} comparisons with the best peer, on ${machines.length} machines; median ${(ratios[ratios.length >> 1] ?? 0).toFixed(2)}×, min ${(ratios[0] ?? 0).toFixed(2)}×`,
    `- model: ${comparisons.filter(isBelow).length} are below 1`,
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
  const names = [...new Set(reports.map(({ name }) => name))];
  const rows = names.flatMap((name) => problemRows(reports.filter((report) => report.name === name)));
  return [
    `## ${reports[0]?.family}`,
    table(head, rows),
    ...(notes.length > 0 ? [[...new Set(notes)].join('\n')] : []),
  ].join('\n\n');
}

/** Rows of a problem: Retrograd's for each profile, and one for each peer. `reports` differ in their profiles. */
function problemRows(reports: readonly ProblemReport[]): (string | number)[][] {
  const [first] = reports;
  if (!first) return [];
  const own = reports.map((report) => libraryRow(report, 'retrograd', machinesOf(report.profile)));
  const others = launching(first).filter((library) => library !== 'retrograd');
  const rows = [...own, ...others.map((library) => libraryRow(first, library, machines))];
  return rows.map((row, i) => [i === 0 ? first.name : '', ...row]);
}

/** Figures of a library's longest launch, by the first of the machines, and the shares that it reaches on them. */
function libraryRow(report: ProblemReport, library: Library, shown: readonly Machine[]): (string | number)[] {
  const launches = modelledLaunches(report, library);
  const machine = shown[0] as Machine;
  const by = (launch: ModelledLaunch) => breakdown(launch, machine).seconds;
  const main = [...launches].sort((a, b) => by(b) - by(a))[0] as ModelledLaunch;
  const { workgroup, registers, waves, program, spills, scratch } = main.pipeline;
  const mix = multiplyAdds(program) ?? program.mix;
  const executed = launches.reduce((sum, launch) => sum + launch.executed, 0);
  return [
    library === 'retrograd' ? `${titles[library]}, ${report.profile}` : titles[library],
    launches.length,
    nameOf(main),
    `${main.workgroups} × ${workgroup}`,
    spills + scratch > 0 ? `${registers} (spills)` : registers,
    waves,
    mix.vector > 0 ? percent(mix.fma / mix.vector) : '',
    report.terms > 0 && executed > 0 ? percent(Math.min(1, report.fmas / executed)) : '',
    ...machines.map((each) =>
      shown.includes(each) ? percent(predictedShare(report, library, each) ?? 0) : '',
    ),
  ];
}
