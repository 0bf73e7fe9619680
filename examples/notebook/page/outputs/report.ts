/** @file The report of a step. Its page is loaded with the first one. */
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function reportView(): OutputView<'report'> {
  const root = element('div', {
    class: 'report',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Report of a step',
  });
  return {
    kind: 'report',
    root,
    update: async ({ report }) => {
      const { StepReport } = await import('retrograd/inspect');
      root.replaceChildren();
      await new StepReport(report).show(root);
    },
  };
}
