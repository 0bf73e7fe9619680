/** @file historyChart: a metric of one or several runs of `fit`, by epoch. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../core/options.ts';
import { suggestionFor } from '../core/suggest.ts';
import { Chart } from './chart.ts';
import { requireText } from './checks.ts';
import {
  type DrawnLine,
  drawLines,
  type LineChartOptions,
  lineChartOptionNames,
  pointsOf,
  styleOf,
} from './lineChart.ts';

/** Values by the names of metrics, one for each epoch: `history` of what `fit` returns. */
export type Metrics = Readonly<Record<string, ArrayLike<number>>>;

/** What `fit` returns, or its `history`. */
export type Run = { readonly history: Metrics } | Metrics;

/** One run, or several by their names. */
export type Runs = Run | Readonly<Record<string, Run>>;

export interface HistoryChartOptions extends LineChartOptions {
  /** The metric. It is drawn with that of the validation, `val_loss`, where there is one. Default 'loss'. */
  metric?: string;
}

const optionNames: OptionNames<HistoryChartOptions> = { metric: false, ...lineChartOptionNames };

/** A chart of training, which can draw a run while it goes on. */
export class HistoryChart extends Chart<Runs> {
  /** A callback of `fit`: it draws the run after each epoch. */
  readonly callback = {
    onTrainBegin: (): void => {
      this.#live = {};
    },
    onEpochEnd: (_epoch: number, logs: Readonly<Record<string, number>>): void => {
      for (const [name, value] of Object.entries(logs)) {
        const values = this.#live[name] ?? [];
        values.push(value);
        this.#live[name] = values;
      }
      this.update(this.#live);
    },
  };
  #live: Record<string, number[]> = {};
}

/**
 * A chart of a metric by epoch, counted from 1: `historyChart(await net.fit(x, y))`. Values of the validation are dashed. Of several runs, pass
 * each by its name: `historyChart({ adam: first, sgd: second })`. Without runs, the chart is empty until its `callback` draws one.
 * Errors: ValueError for other runs or options, and for a metric that a run doesn't have.
 */
export function historyChart(runs: Runs = {}, options: HistoryChartOptions = {}): HistoryChart {
  const op = 'historyChart';
  checkOptions(op, options, optionNames);
  const { metric: given = 'loss', ...others } = options;
  const metric = requireText(op, 'metric', given);
  const style = styleOf(op, { xLabel: 'epoch', yLabel: metric, ...others });
  return new HistoryChart(op, runs, (data) => {
    const lines = runsOf(op, data).flatMap(([name, metrics], i) => linesOf(op, name, metrics, metric, i));
    return (width) => drawLines(lines, style, width);
  });
}

function runsOf(op: string, runs: unknown): [name: string, metrics: Metrics][] {
  const single = metricsOf(runs);
  if (single) return Object.keys(single).length > 0 ? [['', single]] : [];
  if (isPlainObject(runs)) {
    const named = Object.entries(runs).map(([name, run]) => [name, metricsOf(run)] as const);
    if (named.every((entry): entry is [string, Metrics] => entry[1] !== null)) return [...named];
  }
  throw new ValueError({
    op,
    rule: 'runs are what fit returns, or an object with several of them by name.',
    received: describe(runs),
    hint: 'pass the result of await net.fit(…), or its history: { loss: [1, 0.5], val_loss: [1.1, 0.7] }.',
  });
}

/** Returns the metrics of a run; null for anything else. */
function metricsOf(run: unknown): Metrics | null {
  const { history } = (run ?? {}) as { history?: unknown };
  const metrics = isPlainObject(history) ? history : run;
  if (!isPlainObject(metrics)) return null;
  const areLists = Object.values(metrics).every(
    (values) => Array.isArray(values) || ArrayBuffer.isView(values),
  );
  return areLists ? (metrics as unknown as Metrics) : null;
}

function linesOf(op: string, run: string, metrics: Metrics, metric: string, series: number): DrawnLine[] {
  const names = [metric, `val_${metric}`].filter((name) => Object.hasOwn(metrics, name));
  if (names.length === 0) throw noMetric(op, run, metrics, metric);
  return names.map((name) => ({
    name: run ? `${run} ${name}` : name,
    points: pointsOf(op, name, metrics[name]).map(([epoch, value]) => [epoch + 1, value] as const),
    series,
    isDashed: name !== metric,
  }));
}

function noMetric(op: string, run: string, metrics: Metrics, metric: string): ValueError {
  const known = Object.keys(metrics).filter((name) => !name.startsWith('val_'));
  return new ValueError({
    op,
    rule: '`metric` names a metric of each run.',
    received: `metric: '${metric}'${run ? ` for the run '${run}'` : ''}, which has ${known.join(', ') || 'no metrics'}`,
    hint: suggestionFor(metric, known, 'pass the name of a metric that the model was compiled with.'),
  });
}
