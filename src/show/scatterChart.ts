/** @file scatterChart: points at x and y, such as embeddings by class, or predictions by label. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject } from '../core/options.ts';
import { Chart } from './chart.ts';
import { drawLines, type LineChartOptions, lineChartOptionNames, pointsOf, styleOf } from './lineChart.ts';

/** Points by the name of their group. */
export type PointGroups = Readonly<Record<string, readonly (readonly [x: number, y: number])[]>>;

export interface ScatterChartOptions extends LineChartOptions {
  /** The name of the horizontal axis. Default 'x'. */
  xLabel?: string;
  /** The name of the vertical axis. Default 'y'. */
  yLabel?: string;
}

/**
 * A dot for each point, in a colour for each group: `scatterChart({ cats: [[0.1, 2], [0.3, 1]], dogs: [[2, 0.5]] })`. Points with a
 * coordinate that isn't finite are left out, and counted. Drawing takes time in proportion to the points.
 * Errors: ValueError for anything but pairs [x, y] of numbers by name, and for options.
 */
export function scatterChart(groups: PointGroups, options: ScatterChartOptions = {}): Chart<PointGroups> {
  const op = 'scatterChart';
  checkOptions(op, options, lineChartOptionNames);
  const style = { ...styleOf(op, { xLabel: 'x', yLabel: 'y', ...options }), marks: 'dots' } as const;
  return new Chart(op, groups, (data) => {
    const read = Object.entries(requireGroups(op, data)).map(([name, points], i) => ({
      name,
      points: pointsOf(op, name, points),
      series: i,
      isDashed: false,
    }));
    return (width) => drawLines(read, style, width);
  });
}

function requireGroups(op: string, groups: unknown): PointGroups {
  if (isPlainObject(groups)) {
    const flat = Object.entries(groups).find(
      ([, points]) => ArrayBuffer.isView(points) || (Array.isArray(points) && typeof points[0] === 'number'),
    );
    if (!flat) return groups as PointGroups;
    throw pairsError(op, `'${flat[0]}': ${describe(flat[1])}`);
  }
  throw pairsError(op, describe(groups));
}

function pairsError(op: string, received: string): ValueError {
  return new ValueError({
    op,
    rule: 'points are an object with pairs [x, y] for the name of each group.',
    received,
    hint: 'pass { cats: [[0.1, 2], [0.3, 1]] }; of a tensor [n, 2], await tensor.array().',
  });
}
