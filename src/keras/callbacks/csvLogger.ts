/** @file CSVLogger: writes the logs of epochs to a table. */
import { isList, type Logs } from './callback.ts';
import { callback, factoryOf, flag, own } from './declare.ts';
import { text } from './callbackOptions.ts';
import { Files, type SinkLike } from './sink.ts';

export interface CSVLoggerOptions {
  /** The file's name, such as 'run/log.csv'. */
  filename: string;
  /** Separates the values of a row. Default ','. */
  separator?: string;
  /** Whether to append to an existing file instead of replacing it. Default false. */
  append?: boolean;
  /** Where to store the file. Default: the environment's file storage. */
  sink?: SinkLike;
}

/** The whole file is written after each epoch, so that it is complete at any time. */
export class CSVLogger extends /* @__PURE__ */ callback<CSVLoggerOptions>('csvLogger', () => ({
  filename: text('names the file', "pass 'log.csv'."),
  separator: text('is a text', "pass ',' or ';'.", ','),
  append: flag(false),
  sink: own,
})) {
  readonly #files: Files;
  #text = '';
  #names: string[] | null = null;

  /** Errors: ValueError for options. */
  constructor(options: CSVLoggerOptions) {
    super(options);
    this.#files = new Files('csvLogger', options.sink);
  }

  override async onTrainBegin(): Promise<void> {
    const { filename, append } = this;
    const before = append ? await this.#files.load(filename) : null;
    this.#text = before ? new TextDecoder().decode(before) : '';
    if (this.#text !== '' && !this.#text.endsWith('\n')) this.#text += '\n';
    this.#names = this.#text === '' ? null : this.#header();
    if (!append) await this.#save();
  }

  override async onEpochEnd(epoch: number, logs: Logs): Promise<void> {
    if (!this.#names) {
      this.#names = ['epoch', ...namesOf(logs, this.params.validation === true)];
      this.#add(this.#names);
    }
    this.#add(this.#names.map((name) => (name === 'epoch' ? epoch : written(logs[name]))));
    await this.#save();
  }

  #add(values: readonly (string | number)[]): void {
    this.#text += `${values.map((value) => quoted(String(value), this.separator)).join(this.separator)}\n`;
  }

  /** Returns the column names of an existing table. */
  #header(): string[] {
    const line = this.#text.slice(0, this.#text.indexOf('\n')).trimEnd();
    return line.split(this.separator).map((name) => name.replaceAll(/^"|"$/g, ''));
  }

  async #save(): Promise<void> {
    await this.#files.save(this.filename, new TextEncoder().encode(this.#text));
  }
}

/** Writes the logs of epochs to a table. */
export const csvLogger = /* @__PURE__ */ factoryOf(CSVLogger, ['filename', 'separator', 'append']);

/** Returns the columns in alphabetical order, including those of validation even if the first epoch has none. */
function namesOf(logs: Logs, isValidated: boolean): string[] {
  const names = Object.keys(logs).sort();
  const isThere = names.some((name) => name.startsWith('val_'));
  if (!isValidated || isThere) return names;
  const measured = names.filter((name) => name !== 'learning_rate');
  return [...names, ...measured.map((name) => `val_${name}`)];
}

/** Returns what a cell contains: a list in brackets, as in Keras. */
function written(value: unknown): string {
  return isList(value) ? `[${value.map(written).join(', ')}]` : String(value ?? 'NA');
}

/** Returns a value, quoted if necessary. */
function quoted(value: string, separator: string): string {
  const isPlain = ![separator, '"', '\n', '\r'].some((mark) => value.includes(mark));
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}
