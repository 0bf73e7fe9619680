/**
 * @file A program's logs as text in its output: consecutive lines share a block, tensors show their values, and the progress of a
 * run overwrites its line, as in a terminal.
 */
import { formatTensor, isReadable } from './formatResult.ts';
import { formatValue, shortText } from './formatValue.ts';
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

/** Lines that are shown together. Those of tensors change when their values have arrived, even if other output has followed. */
interface Block {
  readonly slot: Text;
  readonly lines: string[][];
  /** How many lines were cut off. */
  gone: number;
}

export class LogConsole {
  readonly #outputs: LogOutputs;
  #block: Block | undefined;
  /** What has changed since it was shown. */
  readonly #changed = new Set<Block>();
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
    const line = values.map((value) => (typeof value === 'string' ? shortText(value) : formatValue(value)));
    const block = this.#add(line);
    this.#isLineOpen = false;
    values.forEach((value, i) => {
      if (!isReadable(value)) return;
      this.#read(formatTensor(value), (text) => {
        line[i] = text;
        this.#showSoon(block);
      });
    });
  }

  /** A piece of text, as programs write it to a terminal: `\r` goes back to the start of the line. */
  write(text: string): void {
    for (const piece of text.replaceAll(COLOURS, '').split(/(?<=\n)/)) {
      const words = piece.slice(piece.lastIndexOf('\r') + 1).trimEnd();
      const line = this.#block?.lines.at(-1);
      if (!this.#block || !this.#isLineOpen || !line) this.#add([words]);
      else {
        line[0] = piece.includes('\r') ? words : line[0] + words;
        this.#showSoon(this.#block);
      }
      this.#isLineOpen = !piece.endsWith('\n');
    }
  }

  table(data: unknown, columns?: readonly string[]): void {
    this.#block = undefined;
    this.#isLineOpen = false;
    const shown = this.#outputs.table(rowsOf(data, columns));
    if (isReadable(data))
      this.#read(data.array(), (values) => shown.update(rowsOf(values, columns), undefined));
  }

  /** Shows all that was logged, with the values of tensors. */
  async settle(): Promise<void> {
    await Promise.all(this.#reading);
    this.#show();
  }

  /** What can't be read, such as a value of a recording, keeps its description. */
  #read<T>(value: Promise<T>, use: (value: T) => void): void {
    const reading = value.then(use, () => {}).then(() => void this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  #add(line: string[]): Block {
    this.#block ??= { slot: this.#outputs.text('', 'library'), lines: [], gone: 0 };
    const { lines } = this.#block;
    lines.push(line);
    if (lines.length > LINES) {
      lines.shift();
      this.#block.gone++;
    }
    this.#showSoon(this.#block);
    return this.#block;
  }

  #showSoon(block: Block): void {
    this.#changed.add(block);
    this.#timer ??= setTimeout(() => this.#show(), EVERY_MS);
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { slot, lines, gone } of this.#changed) {
      const words = lines.map((line) => line.join(' ')).join('\n');
      slot.update(gone > 0 ? `… ${gone.toLocaleString('en')} earlier lines\n${words}` : words);
    }
    this.#changed.clear();
  }
}
