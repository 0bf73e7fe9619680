/** @file A bar chart of values, drawn by Observable Plot. */
import * as Plot from '@observablehq/plot';
import type { Bar } from '../../protocol.ts';
import { element } from '../element.ts';
import { drawn, onWidth } from './plot.ts';
import type { OutputView } from './view.ts';

export function barsView(): OutputView<'bars'> {
  const root = element('div', { class: 'bars' });
  let latest: { bars: readonly Bar[]; label: string } = { bars: [], label: '' };
  const draw = () => root.replaceChildren(plotOf(latest.bars, latest.label, root.clientWidth || 480));
  onWidth(root, draw);
  return {
    kind: 'bars',
    root,
    update: ({ bars, label }) => {
      latest = { bars, label };
      draw();
    },
  };
}

function plotOf(bars: readonly Bar[], label: string, width: number) {
  const options: Plot.PlotOptions = {
    width,
    height: 48 + 34 * bars.length,
    marginLeft: 76,
    marginRight: 48,
    marginBottom: 40,
    x: { label, ticks: 4, grid: true, nice: true },
    y: { label: null, domain: bars.map(({ name }) => name), tickSize: 0 },
    marks: [
      Plot.barX(bars, { x: 'value', y: 'name', className: 'bar', rx: 3, insetTop: 4, insetBottom: 4 }),
      Plot.text(bars, {
        x: 'value',
        y: 'name',
        text: ({ value }: Bar) => value.toPrecision(3),
        textAnchor: 'start',
        dx: 6,
      }),
    ],
  };
  return drawn(
    options,
    `${label}: ${bars.map(({ name, value }) => `${name} ${value.toPrecision(3)}`).join(', ')}`,
  );
}
