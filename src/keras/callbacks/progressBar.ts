/** @file ProgressBar: shows the progress of a run in a terminal, in the style of Keras. */
import { requireBoolean } from '../../core/shape.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { Callback, type Logs } from './callback.ts';
import { byPosition, checkOptions } from '../../core/options.ts';
import { Clock, formatLogs, formatPace, formatRest } from './progress.ts';

export interface ProgressBarOptions {
  /** Receives pieces of text, including line ends. Default: standard output in Node, whole lines to the console elsewhere. */
  write?: (text: string) => void;
  /** Whether lines may be overwritten, and coloured. Default: true in a terminal. Otherwise there is one line per epoch. */
  dynamic?: boolean;
  /** Milliseconds between two updates, at least. Default 50. */
  interval?: number;
  /** The time in milliseconds. */
  now?: () => number;
}

const width = 20;
const bold = (text: string) => `\u001b[1m${text}\u001b[0m`;
const green = (text: string) => (text === '' ? '' : `\u001b[32m${text}\u001b[0m`);
const grey = (text: string) => `\u001b[37m${text}\u001b[0m`;

/** `verbose` of the run: 1 for a bar, 2 for one line per epoch, 0 for nothing. */
export class ProgressBar extends Callback {
  override readonly readsBatchLogs = 'latest';
  readonly #write: (text: string) => void;
  readonly #dynamic: boolean;
  readonly #interval: number;
  readonly #now: () => number;
  #clock: Clock;
  #inFit = false;
  #done = 0;
  #target: number | null = null;
  #updated = Number.NEGATIVE_INFINITY;
  /** Number of characters in the line that will be overwritten. */
  #shown = 0;

  /** Errors: ValueError for options. */
  constructor(options: ProgressBarOptions = {}) {
    super();
    const op = 'progressBar';
    checkOptions(op, options, ['write', 'dynamic', 'interval', 'now']);
    const terminal = terminalOf();
    const { write = terminal.write, dynamic = terminal.dynamic, interval = 50 } = options;
    requireBoolean(op, 'dynamic', dynamic);
    requireNumber(op, 'interval', interval, { min: 0 });
    this.#write = write;
    this.#dynamic = dynamic;
    this.#interval = interval;
    this.#now = options.now ?? (() => performance.now());
    this.#clock = new Clock(this.#now);
  }

  override onTrainBegin(): void {
    // Validation inside of a fit is silent.
    this.#inFit = true;
  }

  override onTrainEnd(): void {
    this.#inFit = false;
  }

  override onEpochBegin(epoch: number): void {
    this.#begin();
    const { epochs, verbose } = this.params;
    if (verbose !== 0 && epochs > 1) this.#write(`Epoch ${epoch + 1}/${epochs}\n`);
  }

  override onTrainBatchEnd(batch: number, logs: Logs): void {
    this.#update(batch + 1, logs);
  }

  override onEpochEnd(_epoch: number, logs: Logs): void {
    this.#finish(logs);
  }

  override onTestBegin(): void {
    if (!this.#inFit) this.#begin();
  }

  override onTestBatchEnd(batch: number, logs: Logs): void {
    if (!this.#inFit) this.#update(batch + 1, logs);
  }

  override onTestEnd(logs: Logs): void {
    if (!this.#inFit) this.#finish(logs);
  }

  override onPredictBegin(): void {
    this.#begin();
  }

  override onPredictBatchEnd(batch: number): void {
    this.#update(batch + 1, {});
  }

  override onPredictEnd(): void {
    this.#finish({});
  }

  /** After a failed run, later output starts on a new line. */
  override release(): void {
    if (this.#shown > 0) this.#write('\n');
    this.#shown = 0;
    this.#inFit = false;
  }

  #begin(): void {
    this.#clock = new Clock(this.#now);
    this.#done = 0;
    this.#shown = 0;
    this.#target = this.params.steps;
    this.#updated = Number.NEGATIVE_INFINITY;
  }

  #update(done: number, logs: Logs): void {
    this.#done = done;
    const pace = this.#clock.pace(done);
    const now = this.#now();
    if (this.params.verbose !== 1 || !this.#dynamic || now - this.#updated < this.#interval) return;
    this.#updated = now;
    const target = this.#target;
    const time = target === null ? this.#seconds : formatRest(pace * (target - done));
    this.#show(time, pace, logs);
  }

  #finish(logs: Logs): void {
    const { verbose } = this.params;
    if (verbose === 0) return;
    this.#target ??= this.#done;
    this.#done = this.#target;
    const pace = this.#clock.pace(this.#done);
    if (verbose === 1 && this.#dynamic) this.#show(this.#seconds, pace, logs);
    else this.#write(`${this.#count} - ${this.#seconds} - ${formatPace(pace)}${formatLogs(logs)}`);
    this.#write('\n');
    this.#shown = 0;
  }

  /** Overwrites the line. */
  #show(time: string, pace: number, logs: Logs): void {
    const rest = `${formatPace(pace)}${formatLogs(logs)}`;
    const target = this.#target;
    const filled = target ? Math.floor((width * this.#done) / target) : 0;
    const bar = target ? `${green('━'.repeat(filled))}${grey('━'.repeat(width - filled))} ` : '';
    const length = this.#count.length + 1 + (target ? width + 1 : 0) + time.length + 1 + rest.length;
    const cleared = ' '.repeat(Math.max(0, this.#shown - length));
    this.#write(`\r${bold(this.#count)} ${bar}${bold(time)} ${rest}${cleared}`);
    this.#shown = length;
  }

  /** ` 7/32`, or `7/Unknown`. */
  get #count(): string {
    const target = this.#target;
    if (target === null || target === 0) return `${String(this.#done).padStart(7)}/Unknown`;
    return `${String(this.#done).padStart(String(target).length)}/${target}`;
  }

  get #seconds(): string {
    return `${(this.#clock.elapsed / 1000).toFixed(0)}s`;
  }
}

/** Shows the progress of a run in a terminal. `fit({ verbose: 1 })` adds one by itself. */
export function progressBar(options?: ProgressBarOptions): ProgressBar;
export function progressBar(...args: unknown[]): ProgressBar {
  return new ProgressBar(byPosition('progressBar', args, []));
}

interface Terminal {
  write: (text: string) => void;
  dynamic: boolean;
}

function terminalOf(): Terminal {
  const { process } = globalThis as {
    process?: { stdout?: { isTTY?: boolean; write?: (text: string) => unknown } };
  };
  const out = process?.stdout;
  if (out?.write) return { write: (text) => void out.write?.(text), dynamic: out.isTTY === true };
  // A console takes whole lines.
  let line = '';
  const write = (text: string) => {
    line += text;
    if (!line.endsWith('\n')) return;
    console.log(line.slice(0, -1));
    line = '';
  };
  return { write, dynamic: false };
}
