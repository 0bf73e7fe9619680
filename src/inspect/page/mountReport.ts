/** @file Shows a report in an element: a header, the main numbers of the step, and tabs. */
import type { StepReportData } from '../step/reportData.ts';
import { compareView } from './compareView.ts';
import { h } from './dom.ts';
import { findingsView, tiles } from './findingsView.ts';
import { gradientsView } from './gradientsView.ts';
import { GraphView } from './graphView.ts';
import { kernelsView } from './kernelsView.ts';
import { layersView } from './layersView.ts';
import { mapsView } from './mapsView.ts';
import { memoryView } from './memoryView.ts';
import { type TabMemory, Tabs } from './tabs.ts';

/** The level of the title's heading: 1 if the report is the page, 2 if it is part of one. */
export type TitleLevel = 1 | 2;

/** A report, and for a comparison also that of an earlier step. */
export interface ReportPage {
  readonly report: StepReportData;
  readonly before?: StepReportData;
}

export function mountReport(
  container: Element | ShadowRoot,
  { report, before }: ReportPage,
  level: TitleLevel,
  memory: TabMemory = {},
): void {
  let graph: GraphView | null = null;
  const graphView = () => {
    graph ??= new GraphView(report);
    return graph;
  };
  const showCall = (call: number) => {
    tabs.choose('Graph');
    graphView().reveal(call);
  };
  const tabs = new Tabs(
    [
      ...(before ? [{ name: 'Comparison', make: () => compareView(before, report) }] : []),
      { name: 'Findings', badge: findingsBadge(report), make: () => findingsView(report, showCall) },
      { name: 'Graph', make: () => graphView().element, shown: () => graphView().show() },
      { name: 'Layers', make: () => layersView(report) },
      { name: 'Gradients', make: () => gradientsView(report) },
      { name: 'Memory', make: () => memoryView(report) },
      { name: 'Kernels', make: () => kernelsView(report) },
      ...(report.featureMaps.length > 0 ? [{ name: 'Feature maps', make: () => mapsView(report) }] : []),
    ],
    level === 1 ? 'h2' : 'h3',
    memory,
  );
  container.append(
    h(
      'div',
      { class: 'retrograd-report' },
      h(
        'header',
        {},
        h('p', { class: 'kicker' }, before ? 'Two steps compared' : 'Step report'),
        h(`h${level}`, { class: 'title' }, report.name),
        h('p', { class: 'soft' }, `${report.adapter} · retrograd ${report.library}`),
      ),
      tiles(report),
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the report' }, ...tabs.buttons),
      h('div', { class: 'panels' }, ...tabs.panels),
    ),
  );
  tabs.selectInitial();
}

/** The number of findings, in the colour of the first. */
function findingsBadge({ findings }: StepReportData): HTMLElement | null {
  const [first] = findings;
  return first ? h('span', { class: `count ${first.severity}` }, String(findings.length)) : null;
}
