/** @file The report of a profile. */
import { checkOptions } from '../core/options.ts';
import type { AdapterDescription } from '../webgpu/adapter.ts';
import type { ProfiledLaunch } from './launches.ts';
import { type LayerRow, layersOf, type ProfileRow, rowsOf, totalOf, type Totals } from './rows.ts';
import { traceEvents } from './trace.ts';

/** How time was measured: on the GPU by timestamps, or by when the queue reported that a launch was done. */
export type Timing = 'timestamps' | 'wall';

/** What was measured. */
export interface Measured<R> {
  readonly launches: readonly ProfiledLaunch[];
  readonly submissions: number;
  readonly wallMilliseconds: number;
  readonly timing: Timing;
  readonly adapter: AdapterDescription;
  readonly result: R;
}

/** Options of `ProfileReport.table`. */
export interface TableOptions {
  /** Rows by op and layer, or only by layer. Default 'op'. */
  by?: 'op' | 'layer';
  /** Number of rows shown, the longest first. Default 40. */
  limit?: number;
}

/** Resolution of timestamps, in microseconds, from which a report warns about it. */
const coarse = 10;

/** The result of `profile`: times, launches and costs by op and layer. */
export class ProfileReport<R = unknown> {
  /** The result of the profiled function. Tensors in it belong to the caller. */
  readonly result: R;
  readonly timing: Timing;
  readonly adapter: AdapterDescription;
  /** All launches in order. */
  readonly events: readonly ProfiledLaunch[];
  /** Sums by op, layer and direction; the longest first. */
  readonly rows: readonly ProfileRow[];
  /** Sums by layer; the longest first. */
  readonly layers: readonly LayerRow[];
  /** Sums over all launches. */
  readonly total: Totals;
  /** Number of submissions to the GPU's queue, the same as without a profile. */
  readonly submissions: number;
  /** From the call of the function to the end of its work on the GPU. A profile slows it down. */
  readonly wallMilliseconds: number;
  /** The resolution of the clock, in microseconds; browsers make it coarse. Times of shorter launches are estimates. */
  readonly resolution: number;

  /** For `profile`. */
  constructor({ launches, submissions, wallMilliseconds, timing, adapter, result }: Measured<R>) {
    this.result = result;
    this.timing = timing;
    this.adapter = adapter;
    this.events = launches;
    this.rows = rowsOf(launches);
    this.layers = layersOf(launches);
    this.total = totalOf(launches);
    this.submissions = submissions;
    this.wallMilliseconds = wallMilliseconds;
    this.resolution = resolutionOf(launches);
  }

  /** Returns the rows as text, followed by the sums and how they were measured. */
  table(options: TableOptions = {}): string {
    checkOptions('table', options, ['by', 'limit']);
    const { by = 'op', limit = 40 } = options;
    const all = by === 'op' ? this.rows : this.layers;
    const text =
      by === 'op'
        ? textTable(this.rows.slice(0, limit), this.#opColumns())
        : textTable(this.layers.slice(0, limit), this.#layerColumns());
    const rest = all.length > limit ? [`and ${all.length - limit} more rows`] : [];
    return [text, ...rest, ...this.#footer()].join('\n');
  }

  /** Returns a timeline of launches and their layers, as JSON for chrome://tracing and ui.perfetto.dev. */
  toChromeTrace(): string {
    const { timing, adapter } = this;
    const name = `GPU${timing === 'wall' ? ' (wall time)' : ''}`;
    const traced = traceEvents(this.events, name);
    return JSON.stringify({ traceEvents: traced, displayTimeUnit: 'ms', otherData: { timing, ...adapter } });
  }

  toString(): string {
    return this.table();
  }

  #opColumns(): Column<ProfileRow>[] {
    return [
      ...this.#shared<ProfileRow>(),
      { head: 'GB/s', text: ({ bandwidth }) => amount(bandwidth) },
      { head: 'GFLOP/s', text: ({ speed }) => (speed === null ? '–' : amount(speed)) },
      {
        head: 'op',
        text: ({ op, backward }) => shortened(op) + (backward ? ' (backward)' : ''),
        align: 'left',
      },
      { head: 'layer', text: ({ layer }) => shortened(layer), align: 'left' },
    ];
  }

  #layerColumns(): Column<LayerRow>[] {
    return [
      ...this.#shared<LayerRow>(),
      { head: 'backward ms', text: ({ backwardMilliseconds }) => backwardMilliseconds.toFixed(3) },
      { head: 'layer', text: ({ layer }) => layer || '(outside of layers)', align: 'left' },
    ];
  }

  #shared<T extends Totals>(): Column<T>[] {
    const { milliseconds: all } = this.total;
    return [
      { head: 'ms', text: ({ milliseconds }) => milliseconds.toFixed(3) },
      { head: '%', text: ({ milliseconds }) => (all > 0 ? (100 * milliseconds) / all : 0).toFixed(1) },
      { head: 'launches', text: ({ launches }) => String(Math.round(100 * launches) / 100) },
      { head: 'MB', text: ({ bytes }) => amount(bytes / 1e6) },
      { head: 'GFLOP', text: ({ flops }) => (flops === null ? '–' : amount(flops / 1e9)) },
    ];
  }

  #footer(): string[] {
    const { total, submissions, wallMilliseconds, adapter, resolution } = this;
    const lines = [
      `${total.milliseconds.toFixed(3)} ms in ${counted(total.launches, 'launch', 'launches')} and ${counted(submissions, 'submission', 'submissions')}, ` +
        `${wallMilliseconds.toFixed(1)} ms from call to end; ${amount(total.bytes / 1e6)} MB moved` +
        (total.flops === null ? '' : `, ${amount(total.flops / 1e9)} GFLOP`),
      this.timing === 'timestamps'
        ? `GPU time by timestamps, a pass for each launch, on ${nameOfAdapter(adapter)}`
        : `wall time of each launch, submitted on its own: no timestamp-query on ${nameOfAdapter(adapter)}`,
    ];
    if (resolution >= coarse) {
      lines.push(
        `the clock counts in steps of ${amount(resolution)} µs: only sums over many launches mean something`,
      );
    }
    return lines;
  }
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

function nameOfAdapter({ vendor, architecture, device, description }: AdapterDescription): string {
  return description || [vendor, architecture, device].filter(Boolean).join(' ') || 'an unnamed adapter';
}

/** Returns the largest interval of which all times are multiples. */
function resolutionOf(launches: readonly ProfiledLaunch[]): number {
  let step = 0;
  for (const { begin, end } of launches) {
    for (const time of [begin, end]) step = greatestDivisor(step, Math.round(1000 * time));
  }
  return step / 1000;
}

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y > 0) [x, y] = [y, x % y];
  return x;
}

/** A column: its heading and its cells. Numbers are already formatted, and aligned to the right. */
interface Column<R> {
  readonly head: string;
  readonly text: (row: R) => string;
  readonly align?: 'left' | 'right';
}

function textTable<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => (line[i] as string).length)));
  const lines = cells.map((line) =>
    line
      .map((text, i) => {
        const width = widths[i] as number;
        return columns[i]?.align === 'left' ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.join('\n');
}

/** Returns `text` in at most 48 characters. */
function shortened(text: string): string {
  return text.length <= 48 ? text : `${text.slice(0, 47)}…`;
}

/** Formats a number with about three significant digits. */
function amount(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return value.toFixed(0);
  return value >= 1 ? value.toFixed(value >= 10 ? 1 : 2) : value.toPrecision(2);
}
