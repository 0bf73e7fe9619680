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

/** A report, and for a comparison also that of an earlier step. */
export interface ReportPage {
  readonly report: StepReportData;
  readonly before?: StepReportData;
}

/** The open tab: a report of a recording opens with the tab of the one shown before. */
export interface TabMemory {
  tab?: string;
}

interface Tab {
  readonly name: string;
  /** Creates the tab when it is first shown. */
  make(): HTMLElement;
  /** Called whenever it is shown. */
  shown?(): void;
}

export function mountReport(
  container: Element | ShadowRoot,
  { report, before }: ReportPage,
  memory: TabMemory = {},
): void {
  let graph: GraphView | null = null;
  const graphView = () => {
    graph ??= new GraphView(report);
    return graph;
  };
  const showCall = (call: number) => {
    choose('Graph');
    graphView().reveal(call);
  };
  const tabs: Tab[] = [
    ...(before ? [{ name: 'Comparison', make: () => compareView(before, report) }] : []),
    { name: 'Findings', make: () => findingsView(report, showCall) },
    { name: 'Graph', make: () => graphView().element, shown: () => graphView().show() },
    { name: 'Layers', make: () => layersView(report) },
    { name: 'Gradients', make: () => gradientsView(report) },
    { name: 'Memory', make: () => memoryView(report) },
    { name: 'Kernels', make: () => kernelsView(report) },
    ...(report.featureMaps.length > 0 ? [{ name: 'Feature maps', make: () => mapsView(report) }] : []),
  ];
  const panels = tabs.map(({ name }) =>
    h('div', {
      role: 'tabpanel',
      id: `panel-${slug(name)}`,
      'aria-labelledby': `tab-${slug(name)}`,
      hidden: true,
    }),
  );
  const buttons = tabs.map(({ name }, i) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${slug(name)}`,
        'aria-controls': `panel-${slug(name)}`,
        onclick: () => choose(name),
        onkeydown: (event) => move(event as KeyboardEvent, i),
      },
      name,
      name === 'Findings' && report.findings.length > 0
        ? h('span', { class: `count ${report.findings[0]?.severity}` }, String(report.findings.length))
        : null,
    ),
  );

  function select(name: string): void {
    memory.tab = name;
    tabs.forEach((tab, i) => {
      const [button, panel] = [buttons[i], panels[i]];
      const isSelected = tab.name === name;
      button?.setAttribute('aria-selected', String(isSelected));
      button?.setAttribute('tabindex', isSelected ? '0' : '-1');
      panel?.toggleAttribute('hidden', !isSelected);
      if (!isSelected || !panel) return;
      if (panel.childElementCount === 0) panel.append(tab.make());
      tab.shown?.();
    });
  }

  /** Selects a tab after a user action, which may scroll; the initial display must not. */
  function choose(name: string): void {
    select(name);
    buttons.find((_, i) => tabs[i]?.name === name)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  function move(event: KeyboardEvent, i: number): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (i + step + tabs.length) % tabs.length;
    choose(tabs[next]?.name ?? '');
    buttons[next]?.focus();
  }

  container.append(
    h(
      'div',
      { class: 'retrograd-report' },
      h(
        'header',
        {},
        h('p', { class: 'kicker' }, before ? 'Two steps compared' : 'Step report'),
        h('h1', {}, report.name),
        h('p', { class: 'soft' }, `${report.adapter} · retrograd ${report.library}`),
      ),
      tiles(report),
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the report' }, ...buttons),
      h('main', {}, ...panels),
    ),
  );
  select((tabs.find(({ name }) => name === memory.tab) ?? tabs[0])?.name ?? '');
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
