/**
 * @file A program's logs as text in its output: consecutive lines share a block, tensors show their values, and the progress of a
 * run overwrites its line, as in a terminal.
 */
import { formatTensor, isReadable } from './formatResult.ts';
import { formatValue } from './formatValue.ts';
import { type Row, rowsOf } from './rows.ts';

interface Text {
  update(words: unknown, tone?: 'library'): void;
}

/** The outputs that logs need. */
export interface LogOutputs {
  text(words: unknown, tone: 'library'): Text;
  table(rows: readonly Row[]): { update(rows: readonly Row[], caption: string | undefined): void };
}

/** More lines are cut off at the front. */
const LINES = 200;
/** The shortest time between two messages: a loop that logs must not block the page. */
const EVERY_MS = 50;
/** Colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with the control character ESC
const COLOURS = /\x1b\[[\d;]*m/g;

export class LogConsole {
  readonly #outputs: LogOutputs;
  /** The lines of the block, each in parts: those of tensors change when their values have arrived. */
  #lines: string[][] = [];
  #block: Text | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLineOpen = false;
  readonly #reading = new Set<Promise<void>>();

  constructor(outputs: LogOutputs) {
    this.#outputs = outputs;
  }

  /** Puts itself in the place of the global console, and of the terminal in which a run shows its progress. */
  install(): void {
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'dir'] as const)
      console[name] = (...values: unknown[]) => this.log(...values);
    console.table = (data: unknown, columns?: readonly string[]) => this.table(data, columns);
    const stdout = { isTTY: true, write: (text: string) => this.write(text) };
    Object.assign(globalThis, { process: { stdout } });
  }

  log(...values: unknown[]): void {
    const line: string[] = [];
    values.forEach((value, i) => {
      line[i] = typeof value === 'string' ? value : formatValue(value);
      if (isReadable(value))
        this.#read(formatTensor(value), (text) => {
          line[i] = text;
        });
    });
    this.#isLineOpen = false;
    this.#add(line);
  }

  /** A piece of text, as programs write it to a terminal: `\r` goes back to the start of the line. */
  write(text: string): void {
    for (const piece of text.replaceAll(COLOURS, '').split(/(?<=\n)/)) {
      const words = piece.slice(piece.lastIndexOf('\r') + 1).trimEnd();
      const line = this.#lines.at(-1);
      if (!this.#isLineOpen || !line) this.#add([words]);
      else if (piece.includes('\r')) line[0] = words;
      else line[0] += words;
      this.#isLineOpen = !piece.endsWith('\n');
    }
    this.#showSoon();
  }

  table(data: unknown, columns?: readonly string[]): void {
    this.#show();
    this.#block = undefined;
    this.#lines = [];
    this.#isLineOpen = false;
    const shown = this.#outputs.table(rowsOf(data, columns));
    if (isReadable(data))
      this.#read(data.array(), (values) => shown.update(rowsOf(values, columns), undefined));
  }

  /** Shows all that was logged, with the values of tensors. */
  async settle(): Promise<void> {
    this.#show();
    await Promise.all(this.#reading);
    this.#show();
  }

  /** What can't be read, such as a value of a recording, keeps its description. */
  #read<T>(value: Promise<T>, use: (value: T) => void): void {
    const reading = value
      .then(use, () => {})
      .then(() => {
        this.#reading.delete(reading);
        this.#showSoon();
      });
    this.#reading.add(reading);
  }

  #add(line: string[]): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
    this.#block ??= this.#outputs.text('', 'library');
    this.#showSoon();
  }

  #showSoon(): void {
    this.#timer ??= setTimeout(() => this.#show(), EVERY_MS);
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#block?.update(this.#lines.map((line) => line.join(' ')).join('\n'));
  }
}
