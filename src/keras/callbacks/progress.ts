/** @file The text of progress bars: values, times and counts. */
import { isList, type Logs } from './callback.ts';

/** ` - accuracy: 0.9012 - loss: 1.2345e-04`. */
export function formatLogs(logs: Logs): string {
  return Object.entries(logs)
    .map(([name, value]) => ` - ${name}: ${formatValue(value)}`)
    .join('');
}

/** Four decimals, or scientific notation for small values; a list in brackets. */
export function formatValue(value: number | readonly number[]): string {
  if (isList(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (Math.abs(value) > 1e-3) return value.toFixed(4);
  return value.toExponential(4).replace(/e([+-])(\d)$/, 'e$10$2');
}

/** `12ms/step`, from milliseconds. */
export function formatPace(milliseconds: number): string {
  if (milliseconds >= 1000 || milliseconds === 0) return `${(milliseconds / 1000).toFixed(0)}s/step`;
  if (milliseconds >= 1) return `${milliseconds.toFixed(0)}ms/step`;
  return `${(milliseconds * 1000).toFixed(0)}us/step`;
}

/** `1:02:03`, `2:03` or `3s`, from milliseconds. */
export function formatRest(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (seconds > 3600) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return seconds > 60 ? `${minutes}:${two(seconds % 60)}` : `${seconds}s`;
}

/** Counts steps and measures the time per step. The first step, which compiles, is left out if there are more. */
export class Clock {
  readonly started: number;
  #afterFirst: number | null = null;

  constructor(private readonly now: () => number) {
    this.started = now();
  }

  get elapsed(): number {
    return this.now() - this.started;
  }

  /** Returns the milliseconds per step after `done` steps. */
  pace(done: number): number {
    if (done === 0) return 0;
    const now = this.now();
    if (done === 1) this.#afterFirst ??= now;
    if (done > 1 && this.#afterFirst !== null) return (now - this.#afterFirst) / (done - 1);
    return (now - this.started) / done;
  }
}
