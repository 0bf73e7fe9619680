/** @file Values side by side as bars, drawn by Observable Plot. */
import * as Plot from '@observablehq/plot';
import { element } from '../element.ts';
import { drawn } from './plot.ts';
import type { OutputView } from './view.ts';

export function barsView(): OutputView<'bars'> {
  const root = element('div', { class: 'bars' });
  return {
    kind: 'bars',
    root,
    update: ({ bars, label }) => {
      const draw = () => {
        const plot = drawn(
          {
            width: root.clientWidth || 480,
            height: 44 + 34 * bars.length,
            marginLeft: 84,
            marginRight: 56,
            x: { label, nice: true, ticks: 4, grid: true },
            y: { label: null, domain: bars.map(({ name }) => name), tickSize: 0 },
            marks: [
              Plot.barX(bars, {
                x: 'value',
                y: 'name',
                className: 'bar',
                rx: 3,
                insetTop: 4,
                insetBottom: 4,
              }),
              Plot.text(bars, {
                x: 'value',
                y: 'name',
                text: ({ value }) => value.toPrecision(3),
                textAnchor: 'start',
                dx: 6,
              }),
            ],
          },
          `${label}: ${bars.map(({ name, value }) => `${name} ${value.toPrecision(3)}`).join(', ')}`,
        );
        root.replaceChildren(plot);
      };
      // Its width is known once it stands in the page.
      requestAnimationFrame(draw);
    },
  };
}
