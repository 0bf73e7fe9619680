/** @file The curve of a number over recorded steps, with the chosen step and those that were opened. */
import type { RecordedStep } from '../recording/recordingData.ts';
import { linePath, type Place } from '../../show/linePath.ts';
import { h, s } from './dom.ts';
import { short } from './format.ts';

const width = 1000;
const height = 180;
const margin = 8;
/** With a wider range of values, a linear scale would show only the largest. */
const decades = 100;

export class StepCurve {
  readonly element = h('div', { class: 'steps' });

  constructor(
    private readonly steps: readonly RecordedStep[],
    private readonly opened: () => readonly number[],
  ) {}

  /** Draws the number of this name, and a line at a step. */
  draw(name: string, chosen: number): void {
    const values = this.steps.map(({ values }) => values[name] ?? null);
    const finite = values.filter((value) => value !== null);
    const min = Math.min(...finite);
    const max = Math.max(...finite);
    const x = (step: number) => margin + ((width - 2 * margin) * step) / Math.max(1, values.length - 1);
    const isLogarithmic = min > 0 && max > decades * min;
    const scale = isLogarithmic ? Math.log : (value: number) => value;
    const [bottom, top] = [scale(min), scale(max)];
    const y = (value: number) =>
      height - margin - ((height - 2 * margin) * (scale(value) - bottom)) / (top - bottom || 1);
    const places = values.map((value, step): Place => (value === null ? null : [x(step), y(value)]));
    const dot = (step: number, kind: string) => {
      const value = values[step] ?? null;
      return s('path', { class: kind, d: `M${x(step)} ${value === null ? margin : y(value)} h0` });
    };
    const failed = this.steps.flatMap(({ error }, step) =>
      error !== null || values[step] === null ? [step] : [],
    );
    const picture = s(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label':
          finite.length > 0 ? `${name}, from ${short(values[0])} to ${short(values.at(-1))}` : name,
      },
      s('line', { class: 'marker', x1: x(chosen), x2: x(chosen), y1: 0, y2: height }),
      s('path', { class: 'curve', d: linePath(places, width) }),
      ...failed.map((step) => dot(step, 'failed')),
      ...this.opened().map((step) => dot(step, 'opened')),
    );
    const range =
      finite.length > 0
        ? `${name}: ${short(min)} to ${short(max)}${isLogarithmic ? ', on a logarithmic scale' : ''}`
        : name;
    this.element.replaceChildren(h('p', { class: 'soft' }, range), picture);
  }
}
