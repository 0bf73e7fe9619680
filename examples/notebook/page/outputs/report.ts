/** @file The report of a step. Its page is loaded with the first one. */
import type { StepReportData } from 'retrograd/inspect';
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function reportView(): OutputView<'report'> {
  const root = element('div', {
    class: 'report',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Report of a step',
  });
  let shown = Promise.resolve();
  const show = async (report: StepReportData) => {
    const { StepReport } = await import('retrograd/inspect');
    root.replaceChildren();
    await new StepReport(report).show(root);
    followPage(root);
  };
  return {
    kind: 'report',
    root,
    update: ({ report }) => {
      shown = shown
        .then(() => show(report))
        .catch((error: Error) => {
          root.textContent = `The report can’t be shown: ${error.message}`;
        });
    },
    settled: () => shown,
  };
}

/** By itself a report follows the system. Here it follows the page, whose visitor may have chosen light or dark. */
function followPage(root: HTMLElement): void {
  const shadow = [root, ...root.children].find(({ shadowRoot }) => shadowRoot)?.shadowRoot;
  if (!shadow) return;
  const style = new CSSStyleSheet();
  style.replaceSync('.retrograd-report { color-scheme: inherit; }');
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, style];
}
