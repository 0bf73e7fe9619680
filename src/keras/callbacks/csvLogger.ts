/** @file CSVLogger: writes the logs of epochs to a table. */
import { describe, requireBoolean } from '../../core/shape.ts';
import { Callback, type Logs } from './callback.ts';
import { byPosition, checkOptions, type Settings } from '../../core/options.ts';
import { invalid } from './callbackOptions.ts';
import { Files, type SinkLike } from './sink.ts';

/** Options of `csvLogger`. */
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
export class CSVLogger extends Callback {
  readonly #options: Required<Omit<CSVLoggerOptions, 'sink'>>;
  readonly #files: Files;
  #text = '';
  #names: string[] | null = null;

  /** Errors: ValueError for options. */
  constructor(options: CSVLoggerOptions) {
    super();
    const op = 'csvLogger';
    checkOptions(op, options, ['filename', 'separator', 'append', 'sink']);
    const { filename, separator = ',', append = false, sink } = options;
    if (typeof filename !== 'string' || filename === '') {
      throw invalid(op, '`filename` names the file.', `filename: ${describe(filename)}`, "pass 'log.csv'.");
    }
    if (typeof separator !== 'string' || separator === '') {
      throw invalid(op, '`separator` is a text.', `separator: ${describe(separator)}`, "pass ',' or ';'.");
    }
    requireBoolean(op, 'append', append);
    this.#options = { filename, separator, append };
    this.#files = new Files(op, sink);
  }

  override async onTrainBegin(): Promise<void> {
    const { filename, append } = this.#options;
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
    this.#add(this.#names.map((name) => (name === 'epoch' ? epoch : (logs[name] ?? 'NA'))));
    await this.#save();
  }

  #add(values: readonly (string | number)[]): void {
    this.#text += `${values.map((value) => quoted(String(value), this.#options.separator)).join(this.#options.separator)}\n`;
  }

  /** Returns the column names of an existing table. */
  #header(): string[] {
    const line = this.#text.slice(0, this.#text.indexOf('\n')).trimEnd();
    return line.split(this.#options.separator).map((name) => name.replaceAll(/^"|"$/g, ''));
  }

  async #save(): Promise<void> {
    await this.#files.save(this.#options.filename, new TextEncoder().encode(this.#text));
  }
}

/** Writes the logs of epochs to a table. */
export function csvLogger(
  ...settings: Settings<CSVLoggerOptions, ['filename', 'separator', 'append']>
): CSVLogger;
export function csvLogger(...args: unknown[]): CSVLogger {
  return new CSVLogger(byPosition('csvLogger', args, ['filename', 'separator', 'append']) as never);
}

/** Returns the columns in alphabetical order, including those of validation even if the first epoch has none. */
function namesOf(logs: Logs, isValidated: boolean): string[] {
  const names = Object.keys(logs).sort();
  const isThere = names.some((name) => name.startsWith('val_'));
  if (!isValidated || isThere) return names;
  const measured = names.filter((name) => name !== 'learning_rate');
  return [...names, ...measured.map((name) => `val_${name}`)];
}

/** Returns a value, quoted if necessary. */
function quoted(value: string, separator: string): string {
  const isPlain = ![separator, '"', '\n', '\r'].some((mark) => value.includes(mark));
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}
