/** @file Losses by step or epoch on one chart, logarithmic. */
import { lineChart } from 'retrograd/show';
import { element } from '../element.ts';
import type { OutputOf, OutputView } from './view.ts';

type Content = Omit<OutputOf<'curves'>, 'kind'>;

/** Shortest time in milliseconds between two drawings: ten per second are enough for the eye. */
const drawEvery = 100;

export function curvesView(): OutputView<'curves'> {
  const root = element('div', { class: 'curves', hidden: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: Content = { curves: [], label: '', axis: '' };
  let chart: ReturnType<typeof lineChart> | null = null;
  let drawn = '';
  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    const { curves, label, axis } = latest;
    root.hidden = curves.every(({ points }) => points.length === 0);
    if (root.hidden) return;
    const lines = Object.fromEntries(curves.map(({ name, points }) => [name, points]));
    if (chart && drawn === `${label} ${axis}`) {
      chart.update(lines);
      return;
    }
    drawn = `${label} ${axis}`;
    chart = lineChart(lines, { scale: 'log', title: label, xLabel: axis, yLabel: 'loss' }).show(root);
  };
  return {
    kind: 'curves',
    root,
    update: (content) => {
      latest = content;
      timer ??= setTimeout(draw, drawEvery);
    },
    settled: async () => {
      if (timer !== undefined) draw();
    },
  };
}
