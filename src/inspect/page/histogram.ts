/** @file Small pictures of the distribution of values. */
import type { ValueStatistics } from '../step/reportData.ts';
import { s } from './dom.ts';
import { percent, short } from './format.ts';

const width = 120;
const height = 30;

/** Bars of a histogram on a square-root scale, so that rare values are seen; a line marks zero. */
export function histogram(values: ValueStatistics | null, { kind = 'activation' } = {}): SVGElement | string {
  if (!values || values.min === null || values.max === null) return '–';
  const { min, max, histogram: bins } = values;
  const label = `from ${short(min)} to ${short(max)}, mean ${short(values.mean)}`;
  const maximum = Math.sqrt(Math.max(...bins, 1));
  const step = width / bins.length;
  const bars = bins.map((count, i) => {
    const tall = count === 0 ? 0 : Math.max(1, (height * Math.sqrt(count)) / maximum);
    return s('rect', { x: i * step, y: height - tall, width: Math.max(0.5, step - 0.7), height: tall });
  });
  const zero = max > min && min < 0 && max > 0 ? (width * -min) / (max - min) : null;
  return s(
    'svg',
    {
      class: `histogram ${kind}`,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': label,
    },
    s('title', {}, label),
    ...bars,
    zero !== null && s('line', { x1: zero, x2: zero, y1: 0, y2: height }),
  );
}

/** `12 % zeros`, and special values if there are any. */
export function shares(values: ValueStatistics | null): string {
  if (!values || values.count === 0) return '–';
  const special = values.nans + values.infinities;
  const zeros = `${percent(values.zeros, values.count)}`;
  return special > 0 ? `${zeros}, ${values.nans} NaN, ${values.infinities} inf` : zeros;
}
