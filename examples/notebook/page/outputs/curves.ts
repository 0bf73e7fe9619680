/** @file Losses by step or epoch on one plot, logarithmic, drawn by Observable Plot. */
import * as Plot from '@observablehq/plot';
import type { Curve } from '../../protocol.ts';
import { element } from '../element.ts';
import { drawn, onWidth } from './plot.ts';
import type { OutputOf, OutputView } from './view.ts';

type Content = Omit<OutputOf<'curves'>, 'kind'>;

/** Shortest time in milliseconds between two plots: ten per second are enough for the eye. */
const drawEvery = 100;

export function curvesView(): OutputView<'curves'> {
  const key = element('ul', { class: 'key' });
  const frame = element('div', { class: 'frame' });
  const root = element('div', { class: 'curves', hidden: true }, key, frame);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest: Content = { curves: [], label: '', axis: '' };
  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    const { curves } = latest;
    root.hidden = curves.every(({ points }) => points.length === 0);
    if (root.hidden) return;
    key.replaceChildren(...curves.map((curve, i) => keyEntry(curve, i)));
    frame.replaceChildren(plotOf(latest, frame.clientWidth || 640));
  };
  const drawSoon = () => {
    timer ??= setTimeout(draw, drawEvery);
  };
  onWidth(frame, drawSoon);
  return {
    kind: 'curves',
    root,
    update: (content) => {
      latest = content;
      drawSoon();
    },
    settled: async () => {
      if (timer !== undefined) draw();
    },
  };
}

function keyEntry({ name, points }: Curve, index: number): HTMLElement {
  const [first, last] = [points[0]?.[1], points.at(-1)?.[1]];
  const fall = first && last && points.length > 1 ? `${first.toPrecision(3)} → ${last.toPrecision(3)}` : '';
  return element('li', { class: `series series${index}` }, element('b', {}, name), ` ${fall}`);
}

function plotOf({ curves, label, axis }: Content, width: number) {
  const positive = curves.map(({ points }) => points.filter(([, loss]) => loss > 0));
  const values = positive.flat().map(([, loss]) => loss);
  const first = Math.min(...curves.flatMap(({ points }) => points.map(([step]) => step)));
  const last = Math.max(...curves.flatMap(({ points }) => points.map(([step]) => step)));
  const domain = domainOf(values);
  return drawn(
    {
      width,
      height: Math.max(200, Math.min(320, width * 0.5)),
      marginLeft: 52,
      x: {
        label: axis,
        // A single point has an axis, too; ticks are integers.
        domain: [first, Math.max(first + 1, last)],
        nice: true,
        ticks: Math.max(3, Math.round(width / 110)),
        tickFormat: (step: number) => (Number.isInteger(step) ? String(step) : ''),
      },
      y: {
        type: 'log',
        label: 'loss',
        grid: true,
        ticks: ticksOf(domain),
        tickSize: 0,
        domain,
        tickFormat: worded,
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

/** Digits that marks begin with, and those for values that are near one another: decades would be mostly empty. */
const coarse = [1, 2, 5];
const fine = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
const near = 5;

/** Round values around all of `values`. */
function domainOf(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const round = marksOf(Math.log10(least) - 1, Math.log10(most) + 1, most < near * least ? fine : coarse);
  const low = round.filter((mark) => mark <= least).at(-1) ?? least;
  const high = round.find((mark) => mark >= most && mark > low) ?? most;
  return [low, high];
}

function marksOf(from: number, to: number, beginnings: readonly number[]): number[] {
  const marks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++)
    for (const digit of beginnings) marks.push(Number(`${digit}e${power}`));
  return marks;
}

/** Few enough that each can be read. */
function ticksOf([low, high]: readonly [number, number]): number[] {
  const beginnings = high < near * low ? fine : coarse;
  const inside = marksOf(Math.log10(low), Math.log10(high), beginnings).filter(
    (mark) => mark >= low && mark <= high,
  );
  if (inside.length <= 7) return inside;
  return inside.filter((mark) => Number.isInteger(Math.round(Math.log10(mark) * 1e6) / 1e6));
}

const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** A plain number if it is short, otherwise a power of ten. */
function worded(value: number): string {
  if (value >= 1e-3 && value < 1e4) return String(value);
  const [digit, power] = value.toExponential(0).split('e') as [string, string];
  const raised = [...String(Math.abs(Number(power)))].map((at) => digits[Number(at)]).join('');
  return `${digit === '1' ? '' : `${digit}·`}10${power.startsWith('-') ? '⁻' : ''}${raised}`;
}
