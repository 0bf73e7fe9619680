/**
 * @file History: the metrics of a training run per epoch. Save it as JSON next to the model. It is unrelated to
 * `kerasHistory`, which records the operation that produced a tensor.
 */
import { isListOf } from '../../core/lists.ts';
import { FormatError, MissingHistoryError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { notHistory } from '../../history/explain.ts';
import { Callback, isList, type Logs, type RunParams } from './callback.ts';

type StoredValue = number | string | StoredValue[];

/** A history in JSON. */
export interface HistoryJSON {
  /** Values by name, one per epoch. NaN and infinities are the strings 'NaN', 'Infinity' and '-Infinity'. A list stays one. */
  history: Record<string, StoredValue[]>;
  epoch: number[];
  params: Record<string, unknown>;
}

/** The metrics of a run, recorded and returned by every `fit`. */
export class History extends Callback {
  /** Values by name, one for each epoch that had the value. */
  history: Record<string, number[]> = {};
  /** The epochs that ran, counted from 0. */
  epoch: number[] = [];
  #params: RunParams | null = null;

  /** The parameters of the run; empty before a run. */
  override get params(): RunParams {
    return this.#params ?? ({} as RunParams);
  }

  override setParams(params: RunParams): void {
    this.#params = params;
  }

  override onTrainBegin(): void {
    this.history = {};
    this.epoch = [];
  }

  override onEpochEnd(epoch: number, logs: Logs): void {
    this.epoch.push(epoch);
    for (const [name, value] of Object.entries(logs)) {
      const values = this.history[name] ?? [];
      values.push(value);
      this.history[name] = values;
    }
  }

  /** For `explainHistory`. */
  get [notHistory]() {
    return {
      why: 'it holds the metrics of a training run; `kerasHistory` belongs to tensors, and says which operation made them.',
      hint: 'read history.history.loss for metrics, or tensor.kerasHistory for the operation that made a tensor.',
    };
  }

  /** Errors: MissingHistoryError, always: a run has metrics, tensors have a history. */
  get kerasHistory(): never {
    const { why, hint } = this[notHistory];
    throw new MissingHistoryError({
      op: 'History',
      rule: `a History has no Keras history: ${why}`,
      received: `kerasHistory of a History of ${this.epoch.length} epochs`,
      hint,
    });
  }

  /** Returns what `JSON.stringify(history)` writes. */
  toJSON(): HistoryJSON {
    const entries = Object.entries(this.history).map(([name, values]) => [name, values.map(encode)]);
    return { history: Object.fromEntries(entries), epoch: [...this.epoch], params: { ...this.params } };
  }

  /** Returns a history from JSON, as text or parsed. Errors: FormatError for anything else. */
  static fromJSON(json: string | HistoryJSON): History {
    const { history, epoch, params } = requireJSON(typeof json === 'string' ? parse(json) : json);
    const made = new History();
    const entries = Object.entries(history).map(([name, values]) => [name, values.map(decode)]);
    made.history = Object.fromEntries(entries) as Record<string, number[]>;
    made.epoch = [...epoch];
    made.setParams({ ...params } as RunParams);
    return made;
  }
}

const encode = (value: unknown): StoredValue => {
  if (isList(value)) return value.map(encode);
  return Number.isFinite(value) ? (value as number) : String(value);
};
const decode = (value: StoredValue): number | unknown[] =>
  Array.isArray(value) ? value.map(decode) : Number(value);

const special = ['NaN', 'Infinity', '-Infinity'];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw rejected(text.length > 40 ? `${text.slice(0, 40)}…` : text, cause);
  }
}

function requireJSON(json: unknown): HistoryJSON {
  const { history, epoch, params } = (isRecord(json) ? json : {}) as Partial<HistoryJSON>;
  const isValue = (value: unknown): boolean =>
    isListOf(value, isValue) || typeof value === 'number' || special.includes(value as string);
  const isValid =
    isRecord(history) &&
    Object.values(history).every((values) => isListOf(values, isValue)) &&
    Array.isArray(epoch) &&
    epoch.every(Number.isInteger) &&
    isRecord(params);
  if (isValid) return json as HistoryJSON;
  throw rejected(describe(json));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rejected(received: string, cause?: unknown): FormatError {
  return new FormatError({
    op: 'History.fromJSON',
    rule: 'a history is { history: { name: [numbers] }, epoch: [integers], params }.',
    received,
    hint: 'pass the result of JSON.stringify(history). It is saved next to the model, not inside it.',
    cause,
  });
}
