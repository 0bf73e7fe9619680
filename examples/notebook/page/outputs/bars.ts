/** @file A bar chart of values. */
import { barChart } from 'retrograd/show';
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function barsView(): OutputView<'bars'> {
  const root = element('div', { class: 'bars' });
  return {
    kind: 'bars',
    root,
    update: ({ bars, label }) => {
      barChart(
        bars.map(({ name, value }) => [name, value] as const),
        { label },
      ).show(root);
    },
  };
}
