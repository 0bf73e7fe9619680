/** @file Two steps side by side: what changed in numbers, layers and weights. */
import { differencesOf, weightPairs } from '../step/differences.ts';
import type { StepReportData } from '../step/reportData.ts';
import { h, table } from './dom.ts';
import { bytesText, percent, short, timeText } from './format.ts';
import { LayerIndex, totalsOf } from './totals.ts';

export function compareView(before: StepReportData, after: StepReportData): HTMLElement {
  const numbers: [string, number | null, number | null, (value: number) => string][] = [
    ['loss', before.loss, after.loss, short],
    ['gradient norm', before.gradientNorm, after.gradientNorm, short],
    ['GPU time', before.total.milliseconds, after.total.milliseconds, timeText],
    ['launches', before.total.launches, after.total.launches, String],
    ['calls', before.total.calls, after.total.calls, String],
    ['moved', before.total.bytes, after.total.bytes, bytesText],
    ['peak memory', before.memory.peak, after.memory.peak, bytesText],
  ];
  const heads = (what: string) => [
    { text: what },
    ...['Before', 'After', 'Change'].map((text) => ({ text, isNumber: true })),
  ];
  const row = (name: string, a: number | null, b: number | null, text: (value: number) => string) => [
    h('b', {}, name),
    a === null ? '–' : text(a),
    b === null ? '–' : text(b),
    change(a, b),
  ];
  return h(
    'section',
    {},
    ...modelDifferences(before, after),
    h('h3', {}, 'The steps'),
    table(
      'The steps',
      heads('Number'),
      numbers.map(([name, a, b, text]) => row(name, a, b, text)),
    ),
    h('h3', {}, 'Findings'),
    ...findingChanges(before, after),
    h('h3', {}, 'Time of layers'),
    table(
      'Time of layers',
      heads('Layer'),
      layerTimes(before, after).map(([name, a, b]) => row(name, a, b, timeText)),
    ),
    h('h3', {}, 'Gradients of weights'),
    table(
      'Gradients of weights',
      heads('Weight'),
      weightNorms(before, after).map(([name, a, b]) => row(name, a, b, short)),
    ),
  );
}

function change(a: number | null, b: number | null): string {
  if (a === null || b === null) return a === b ? '' : a === null ? 'new' : 'gone';
  if (a === b) return '=';
  if (a === 0) return 'new';
  return b > 10 * a ? `× ${short(b / a)}` : `${b > a ? '+' : '−'}${percent(Math.abs(b - a), Math.abs(a))}`;
}

/** Says first that the steps are of different models, if they are. */
function modelDifferences(before: StepReportData, after: StepReportData): HTMLElement[] {
  const differences = differencesOf(before, after);
  if (differences.length === 0) return [];
  return [
    h('h3', {}, 'The models differ'),
    h(
      'p',
      { class: 'finding warning' },
      'Only what both have is comparable: losses and norms may differ for this reason alone.',
    ),
    h('ul', {}, ...differences.map((text) => h('li', {}, text))),
  ];
}

function findingChanges(before: StepReportData, after: StepReportData): HTMLElement[] {
  const titles = (data: StepReportData) => new Set(data.findings.map(({ title }) => title));
  const [was, is] = [titles(before), titles(after)];
  const gone = [...was]
    .filter((title) => !is.has(title))
    .map((title) => h('p', { class: 'finding good' }, `gone: ${title}`));
  const kept = [...is].map((title) =>
    h('p', { class: 'finding warning' }, `${was.has(title) ? 'still' : 'new'}: ${title}`),
  );
  const all = [...kept, ...gone];
  return all.length > 0 ? all : [h('p', { class: 'soft' }, 'None in either step.')];
}

interface LayerTime {
  readonly name: string;
  readonly className: string;
  readonly time: number;
}

type Pair = [name: string, before: number | null, after: number | null];

/** Matches layers by their names or, as with weights, by their order where both steps have the same kinds of layers. */
function layerTimes(before: StepReportData, after: StepReportData): Pair[] {
  const [was, is] = [before, after].map((data) => {
    const index = new LayerIndex(data);
    return index.computing.map((layer) => ({
      name: index.nameOf(layer),
      className: layer.className,
      time: totalsOf(index.callsIn(layer)).milliseconds,
    }));
  }) as [LayerTime[], LayerTime[]];
  const kinds = (layers: readonly LayerTime[]) => layers.map(({ className }) => className).join();
  if (kinds(was) === kinds(is)) return is.map(({ name, time }, i) => [name, was[i]?.time ?? null, time]);
  const times = (layers: readonly LayerTime[]) => new Map(layers.map(({ name, time }) => [name, time]));
  return joined(times(was), times(is));
}

function weightNorms(before: StepReportData, after: StepReportData): Pair[] {
  return weightPairs(before, after).map(([was, is]) => [
    (is ?? was)?.name ?? '',
    was?.gradientValues?.norm ?? null,
    is?.gradientValues?.norm ?? null,
  ]);
}

function joined(
  before: ReadonlyMap<string, number | null>,
  after: ReadonlyMap<string, number | null>,
): Pair[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => [name, before.get(name) ?? null, after.get(name) ?? null]);
}
