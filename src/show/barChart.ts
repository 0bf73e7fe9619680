/** @file barChart: values by name as horizontal bars. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../core/options.ts';
import { Chart } from './chart.ts';
import { requireText } from './checks.ts';
import { grid, ink, lineColour } from './colour.ts';
import { type Markup, markup } from './markup.ts';
import { tickText, valueText } from './numberText.ts';
import { label, picture, rounded, textWidth } from './picture.ts';
import { scaleOf } from './scale.ts';

/** Values by name: an object, or pairs in the order of the bars. An object has names that are integers first. */
export type Bars = Readonly<Record<string, number>> | readonly (readonly [name: string, value: number])[];

export interface BarChartOptions {
  /** What the chart shows, for screen readers. Default: `label`, or the names of the bars. */
  title?: string;
  /** The name of the axis of values, with their unit. Default ''. */
  label?: string;
}

const optionNames: OptionNames<BarChartOptions> = { title: false, label: false };

/**
 * A bar for each value, from 0: `barChart({ cat: 0.7, dog: 0.3 })`. Values that aren't finite have no bar; their text says what they are.
 * Errors: ValueError for anything but numbers by name, and for options.
 */
export function barChart(bars: Bars, options: BarChartOptions = {}): Chart<Bars> {
  const op = 'barChart';
  checkOptions(op, options, optionNames);
  const title = requireText(op, 'title', options.title ?? '');
  const axis = requireText(op, 'label', options.label ?? '');
  return new Chart(op, bars, (data) => {
    const entries = requireBars(op, data);
    return (width) => drawBars(entries, { title, axis }, width);
  });
}

function requireBars(op: string, bars: unknown): readonly (readonly [name: string, value: number])[] {
  const entries: readonly unknown[] = Array.isArray(bars)
    ? bars
    : isPlainObject(bars)
      ? Object.entries(bars)
      : [0];
  const isBar = (entry: unknown): entry is readonly [string, number] =>
    Array.isArray(entry) &&
    entry.length === 2 &&
    typeof entry[0] === 'string' &&
    typeof entry[1] === 'number';
  if (entries.every(isBar)) return entries;
  throw new ValueError({
    op,
    rule: 'bars are an object with a number for each name, or pairs [name, number].',
    received: describe(bars),
    hint: "pass { cat: 0.7, dog: 0.3 }, or [['cat', 0.7], ['dog', 0.3]].",
  });
}

const barHeight = 22;
const step = 32;

function drawBars(
  entries: readonly (readonly [name: string, value: number])[],
  { title, axis }: { title: string; axis: string },
  width: number,
): Markup {
  const finite = entries.map(([, value]) => value).filter(Number.isFinite);
  const texts = entries.map(([, value]) => valueText(value));
  const left = Math.min(width / 3, 10 + Math.max(0, ...entries.map(([name]) => textWidth(name))));
  const right = width - 12 - Math.max(0, ...texts.map(textWidth));
  const scale = scaleOf('linear', Math.min(0, ...finite), Math.max(0, ...finite), Math.max(2, width / 130));
  const x = (value: number) => left + (right - left) * scale.at(value);
  const bottom = 6 + step * entries.length;
  const height = bottom + (axis ? 38 : 22);
  return picture(
    {
      width,
      height,
      title: title || axis || entries.map(([name]) => name).join(', '),
      description: entries.map(([name], i) => `${name} ${texts[i]}`).join(', '),
    },
    ...scale.ticks.flatMap((tick) => [
      markup('line', { x1: rounded(x(tick)), x2: rounded(x(tick)), y1: 0, y2: bottom, stroke: grid }),
      label(x(tick), bottom + 16, tickText(tick), { 'text-anchor': 'middle' }),
    ]),
    ...(axis ? [label(right, height - 4, `${axis} →`, { 'text-anchor': 'end' })] : []),
    ...entries.flatMap(([name, value], i) => {
      const y = 6 + step * i;
      const hasBar = Number.isFinite(value);
      const [from, to] = hasBar ? [Math.min(x(0), x(value)), Math.max(x(0), x(value))] : [x(0), x(0)];
      return [
        label(left - 8, y + 15, shortened(name, left - 8), { 'text-anchor': 'end', fill: ink }),
        ...(hasBar
          ? [
              markup('rect', {
                class: 'bar',
                x: rounded(from),
                y,
                width: rounded(to - from),
                height: barHeight,
                rx: 3,
                fill: lineColour(0),
              }),
            ]
          : []),
        label(to + 6, y + 15, texts[i] as string, { class: 'value' }),
      ];
    }),
  );
}

/** A name that fits its room. */
export function shortened(name: string, room: number): string {
  const count = Math.max(1, Math.floor(room / textWidth('x')));
  return name.length > count ? `${name.slice(0, count - 1)}…` : name;
}
