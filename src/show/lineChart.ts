/** @file lineChart: lines through values, such as losses by step. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../core/options.ts';
import { requireOneOf } from '../core/shape.ts';
import { Chart } from './chart.ts';
import { requireText } from './checks.ts';
import { type Colour, grid, lineColour } from './colour.ts';
import { linePath, type Place } from './linePath.ts';
import { type Markup, markup } from './markup.ts';
import { tickText, valueText } from './numberText.ts';
import { label, legend, picture, rounded, textWidth } from './picture.ts';
import { integerScale, type Scale, scaleOf } from './scale.ts';

/** The values of a line: by their index, or pairs [x, y]. */
export type LineValues = ArrayLike<number> | readonly (readonly [x: number, y: number])[];

/** Lines by their names. */
export type Lines = Readonly<Record<string, LineValues>>;

export interface LineChartOptions {
  /** What the chart shows, for screen readers. Default: the names of axes and lines. */
  title?: string;
  /** 'linear' or 'log' for the axis of values. On a logarithmic one, values of 0 and below are left out, and counted. Default 'linear'. */
  scale?: 'linear' | 'log';
  /** The name of the horizontal axis. Default 'step'. */
  xLabel?: string;
  /** The name of the axis of values. Default ''. */
  yLabel?: string;
}

export const lineChartOptionNames: OptionNames<LineChartOptions> = {
  title: false,
  scale: false,
  xLabel: false,
  yLabel: false,
};

/**
 * A chart of lines: `lineChart({ loss: [1, 0.5, 0.3] })`. The values of a line are at 0, 1, 2, …, or pairs [x, y]. Where a value isn't
 * finite, the line has a gap, and the chart says how many there are. Drawing takes time in proportion to the values.
 * Errors: ValueError for lines or options of another kind.
 */
export function lineChart(lines: Lines, options: LineChartOptions = {}): Chart<Lines> {
  const op = 'lineChart';
  checkOptions(op, options, lineChartOptionNames);
  const style = styleOf(op, options);
  return new Chart(op, lines, (data) => {
    const read = Object.entries(requireLines(op, data)).map(([name, values], i) => ({
      name,
      points: pointsOf(op, name, values),
      series: i,
      isDashed: false,
    }));
    return (width) => drawLines(read, style, width);
  });
}

/** A line as it is drawn. */
export interface DrawnLine {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Its colour, by number. */
  readonly series: number;
  readonly isDashed: boolean;
}

export interface LineStyle {
  readonly title: string;
  readonly scale: 'linear' | 'log';
  readonly xLabel: string;
  readonly yLabel: string;
  /** How points are drawn. Default 'line'. */
  readonly marks?: 'line' | 'dots';
}

export function styleOf(op: string, options: LineChartOptions): LineStyle {
  const { scale = 'linear' } = options;
  requireOneOf(op, 'scale', scale, ['linear', 'log']);
  return {
    scale,
    title: requireText(op, 'title', options.title ?? ''),
    xLabel: requireText(op, 'xLabel', options.xLabel ?? 'step'),
    yLabel: requireText(op, 'yLabel', options.yLabel ?? ''),
  };
}

function requireLines(op: string, lines: unknown): Lines {
  if (isPlainObject(lines)) return lines as Lines;
  throw new ValueError({
    op,
    rule: 'lines are an object with the values of each line by its name.',
    received: describe(lines),
    hint: 'pass { loss: [1, 0.5, 0.3] }; values of a tensor are in await tensor.data().',
  });
}

export function pointsOf(op: string, name: string, values: unknown): readonly (readonly [number, number])[] {
  const isList = Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
  if (isList) {
    const list = Array.from(values as ArrayLike<unknown>);
    if (list.every((value) => typeof value === 'number')) return list.map((value, i) => [i, value]);
    const isPair = (value: unknown) =>
      Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');
    if (list.every(isPair)) return list as (readonly [number, number])[];
  }
  throw new ValueError({
    op,
    rule: 'the values of a line are numbers, or pairs [x, y] of numbers.',
    received: `'${name}': ${describe(values)}`,
    hint: 'of a tensor, pass the values that await tensor.data() returns.',
  });
}

const margin = { top: 10, right: 18, bottom: 34 };

export function drawLines(lines: readonly DrawnLine[], style: LineStyle, width: number): Markup {
  const isLog = style.scale === 'log';
  const isDrawn = ([x, y]: readonly [number, number]) =>
    Number.isFinite(x) && Number.isFinite(y) && (!isLog || y > 0);
  const drawn = lines.flatMap(({ points }) => points.filter(isDrawn));
  const entries = lines.map(({ name, points, series, isDashed }) => ({
    name,
    note: style.marks === 'dots' ? countText(points) : changeText(points),
    colour: lineColour(series),
    isDashed,
  }));
  const key = legend(entries, width);
  const note = omittedText(lines, isDrawn, isLog);
  const top = key.height + (note ? 18 : 0) + (style.yLabel ? 18 : 0) + margin.top;
  const plotHeight = Math.max(140, Math.min(300, Math.round(width * 0.42)));
  const height = top + plotHeight + margin.bottom;
  const [yMin, yMax] = drawn.length > 0 ? rangeOf(drawn, 1) : [isLog ? 0.1 : 0, 1];
  const [xMin, xMax] = drawn.length > 0 ? rangeOf(drawn, 0) : [0, 1];
  const yScale = scaleOf(style.scale, yMin, yMax, Math.max(3, Math.round(plotHeight / 45)));
  const left = 10 + Math.max(24, ...yScale.ticks.map((tick) => textWidth(tickText(tick))));
  const plotWidth = width - left - margin.right;
  const marks = Math.max(2, Math.round(width / 90));
  const xScale = drawn.every(([x]) => Number.isInteger(x))
    ? integerScale(xMin, xMax, marks)
    : scaleOf('linear', xMin, xMax, marks);
  const x = (value: number) => left + plotWidth * xScale.at(value);
  const y = (value: number) => top + plotHeight * (1 - yScale.at(value));
  const title = style.title || titleOf(lines, style);
  const description = [
    ...entries.map((entry) => `${entry.name} ${entry.note}`),
    ...(isLog ? ['on a logarithmic scale'] : []),
    ...(note ? [note] : []),
  ].join(', ');
  return picture(
    { width, height, title, description },
    ...key.parts,
    ...(note ? [label(0, key.height + 12, note, { class: 'note' })] : []),
    ...(style.yLabel ? [label(0, top - margin.top - 4, style.yLabel)] : []),
    ...axes({
      xScale,
      yScale,
      x,
      y,
      left,
      right: width - margin.right,
      bottom: top + plotHeight,
      // Of an empty chart, numbers at the axes would be made up.
      numbered: drawn.length > 0,
    }),
    ...(lines.some(({ points }) => points.length > 0)
      ? []
      : [
          label(left + plotWidth / 2, top + plotHeight / 2 + 4, 'no values yet', { 'text-anchor': 'middle' }),
        ]),
    label(left + plotWidth, height - 4, `${style.xLabel} →`, { 'text-anchor': 'end' }),
    ...lines.flatMap((line) => {
      const places = line.points.map((point): Place => (isDrawn(point) ? [x(point[0]), y(point[1])] : null));
      // A line through one point has no length.
      return style.marks === 'dots' || places.length === 1
        ? [dots(places, lineColour(line.series))]
        : [
            markup('path', {
              class: 'line',
              d: linePath(places, width),
              fill: 'none',
              stroke: lineColour(line.series),
              'stroke-width': 2.25,
              'stroke-linejoin': 'round',
              'stroke-linecap': 'round',
              'stroke-dasharray': line.isDashed ? '6 4' : null,
            }),
          ];
    }),
  );
}

/** The least and the largest x or y. */
function rangeOf(points: readonly (readonly [number, number])[], part: 0 | 1): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    min = Math.min(min, point[part]);
    max = Math.max(max, point[part]);
  }
  return [min, max];
}

/** Lines of no length with round ends; where several points share a place, one. */
function dots(places: readonly Place[], colour: Colour): Markup {
  const moves = places.flatMap((place) => (place ? [`M${rounded(place[0])} ${rounded(place[1])}h0`] : []));
  return markup('path', {
    class: 'dots',
    d: [...new Set(moves)].join(''),
    fill: 'none',
    stroke: colour,
    'stroke-width': 7,
    'stroke-linecap': 'round',
    'stroke-opacity': moves.length > 1 ? 0.7 : null,
  });
}

const countText = ({ length }: { readonly length: number }) =>
  `${length} ${length === 1 ? 'point' : 'points'}`;

function changeText(points: readonly (readonly [number, number])[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return 'no values';
  return points.length > 1 ? `${valueText(first[1])} → ${valueText(last[1])}` : valueText(last[1]);
}

/** Which values the picture can't show. */
function omittedText(
  lines: readonly DrawnLine[],
  isDrawn: (point: readonly [number, number]) => boolean,
  isLog: boolean,
): string {
  const omitted = lines.reduce(
    (total, { points }) => total + points.reduce((count, point) => count + (isDrawn(point) ? 0 : 1), 0),
    0,
  );
  if (omitted === 0) return '';
  const why = isLog ? 'not finite, or not above 0' : 'not finite';
  return `${omitted} ${omitted === 1 ? 'value is' : 'values are'} left out: ${why}`;
}

const titleOf = (lines: readonly DrawnLine[], { xLabel, yLabel }: LineStyle) =>
  `${yLabel || lines.map(({ name }) => name).join(', ')} by ${xLabel}`;

interface Axes {
  readonly xScale: Scale;
  readonly yScale: Scale;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly numbered: boolean;
}

function axes({ xScale, yScale, x, y, left, right, bottom, numbered }: Axes): Markup[] {
  return [
    ...yScale.ticks.flatMap((tick) => [
      markup('line', {
        x1: rounded(left),
        x2: right,
        y1: rounded(y(tick)),
        y2: rounded(y(tick)),
        stroke: grid,
      }),
      ...(numbered ? [label(left - 6, y(tick) + 4, tickText(tick), { 'text-anchor': 'end' })] : []),
    ]),
    ...(numbered
      ? xScale.ticks.map((tick) => label(x(tick), bottom + 16, tickText(tick), { 'text-anchor': 'middle' }))
      : []),
  ];
}
