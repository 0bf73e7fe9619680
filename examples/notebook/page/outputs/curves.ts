/** @file Losses by step on one plot, logarithmic, drawn by Observable Plot. */
import * as Plot from '@observablehq/plot';
import type { Curve } from '../../protocol.ts';
import { element } from '../element.ts';
import { drawn } from './plot.ts';
import type { OutputView } from './view.ts';

/** Frames in which a new plot is drawn at the most: ten a second are enough for the eye. */
const drawEvery = 100;

export function curvesView(): OutputView<'curves'> {
  const key = element('ul', { class: 'key' });
  const frame = element('div', { class: 'frame' });
  const root = element('div', { class: 'curves', hidden: true }, key, frame);
  let waiting = false;
  let latest: { curves: readonly Curve[]; label: string } = { curves: [], label: '' };
  const draw = () => {
    waiting = false;
    const { curves, label } = latest;
    root.hidden = curves.every(({ points }) => points.length === 0);
    if (root.hidden) return;
    key.replaceChildren(...curves.map((curve, i) => keyEntry(curve, i)));
    frame.replaceChildren(plotOf(curves, label, frame.clientWidth || 640));
  };
  return {
    kind: 'curves',
    root,
    update: ({ curves, label }) => {
      latest = { curves, label };
      if (waiting) return;
      waiting = true;
      setTimeout(draw, drawEvery);
    },
  };
}

function keyEntry({ name, points }: Curve, index: number): HTMLElement {
  const [first, last] = [points[0]?.[1], points.at(-1)?.[1]];
  const fall = first && last && points.length > 1 ? `${first.toPrecision(3)} → ${last.toPrecision(3)}` : '';
  return element('li', { class: `series series${index}` }, element('b', {}, name), ` ${fall}`);
}

function plotOf(curves: readonly Curve[], label: string, width: number) {
  const positive = curves.map(({ points }) => points.filter(([, loss]) => loss > 0));
  const values = positive.flat().map(([, loss]) => loss);
  return drawn(
    {
      width,
      height: Math.max(200, Math.min(320, width * 0.5)),
      marginLeft: 52,
      x: { label: 'step', nice: true, ticks: Math.max(3, Math.round(width / 110)) },
      y: {
        type: 'log',
        label: 'loss',
        grid: true,
        ticks: 5,
        domain: domainOf(values),
        tickFormat: powerOfTen,
      },
      marks: positive.map((points, i) =>
        Plot.line(points, {
          x: '0',
          y: '1',
          className: `series${i}`,
          strokeWidth: 2.25,
          strokeLinejoin: 'round',
        }),
      ),
    },
    `${label}: ${curves.map(({ name, points }) => `${name} ${points.at(-1)?.[1].toPrecision(3)}`).join(', ')}`,
  );
}

/** Whole powers of ten around all values. */
function domainOf(values: readonly number[]): [number, number] {
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low * 10)];
}

const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function powerOfTen(value: number): string {
  const power = Math.log10(value);
  if (Math.abs(power - Math.round(power)) > 1e-6) return '';
  const text = String(Math.round(Math.abs(power)));
  return `10${power < -0.5 ? '⁻' : ''}${[...text].map((digit) => digits[Number(digit)]).join('')}`;
}
