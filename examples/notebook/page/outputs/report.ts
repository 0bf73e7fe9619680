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
