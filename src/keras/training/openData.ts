/** @file Opens the data that a caller passes as a source of batches. */
import type { Cleanup } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import { isRecord } from './perOutput.ts';
import { type BatchIterable, isBatchIterable, IterableSource } from './data/iterableSource.ts';
import type { Data, Slots } from './data/slots.ts';
import type { BatchSource } from './data/batchSource.ts';
import { type DataRecord, type Parts, partsOfRecord } from './data/partsOfRecord.ts';
import { Table, type TableData, TableSource } from './data/tableSource.ts';

export type { BatchIterable, BatchItem } from './data/iterableSource.ts';
export type { Data, Values } from './data/slots.ts';

/** Validation data: `[x, y]`, `[x, y, sampleWeight]`, a record of these, or batches. */
export type ValidationData = readonly (Data | null | undefined)[] | DataRecord | BatchIterable;

/** The names of the options of `fit`, which distinguish `fit(x, options)` from `fit(x, y)`. */
export const fitOptionNames = [
  'batchSize',
  'epochs',
  'verbose',
  'callbacks',
  'validationSplit',
  'validationData',
  'shuffle',
  'seed',
  'classWeight',
  'sampleWeight',
  'initialEpoch',
  'stepsPerEpoch',
  'validationSteps',
  'validationBatchSize',
  'validationFreq',
  'signal',
];

export interface OpenOptions {
  op: string;
  slots: Slots;
  batchSize: number | undefined;
  cleanup: Cleanup;
}

/** Default batch size. */
export const defaultBatchSize = 32;

/** Options of `fit` and `evaluate`, by which `fit(x, options)` is distinguished from `fit(x, y)` with targets by name. */
const optionNames: ReadonlySet<string> = new Set([...fitOptionNames, 'steps']);

/** Targets by name are arrays or tensors: a record with a number or a string in it is taken as options. */
function isOptions(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const isSetting = (setting: unknown) =>
    ['number', 'string', 'boolean', 'function'].includes(typeof setting);
  return Object.keys(value).every((name) => optionNames.has(name)) || Object.values(value).some(isSetting);
}

/**
 * Distinguishes `(x, y, options)` from `(x, options)`: there may be no targets, and batches contain theirs.
 * Errors: ValueError for arguments that are left over.
 */
export function splitArguments<O extends object>(
  op: string,
  x: unknown,
  y: unknown,
  options: O | undefined,
  extra: readonly unknown[],
): { data: Data | null; settings: O } {
  rejectExtraArguments(op, extra, ['x', 'y', 'options']);
  const optionsAreSecond = options === undefined && y !== null && (isBatchIterable(x) || isOptions(y));
  if (optionsAreSecond) return { data: null, settings: y as O };
  return { data: y as Data | null, settings: options ?? ({} as O) };
}

/** Returns the batches of data, in order. Errors: ValueError, ShapeError. */
export function openData(
  data: TableData | BatchIterable,
  { op, slots, batchSize, cleanup }: OpenOptions,
): BatchSource {
  if (isBatchIterable(data)) {
    requireNone(op, { batchSize });
    return cleanup.add(new IterableSource(op, data, { slots }));
  }
  const table = cleanup.add(new Table(op, data, slots));
  return cleanup.add(new TableSource(table, { batchSize: batchSize ?? defaultBatchSize }));
}

/** Returns the batches of validation data. Errors: ValueError, ShapeError. */
export function openValidation(data: ValidationData, options: OpenOptions): BatchSource {
  if (isBatchIterable(data)) {
    // `batchSize` applies only to data that are sliced here.
    return openData(data, { ...options, batchSize: undefined });
  }
  const parts: Parts | null = Array.isArray(data)
    ? { x: data[0], y: data[1], sampleWeight: data[2] }
    : partsOfRecord(`${options.op}: validationData`, data);
  if (parts && !(Array.isArray(data) && (data.length < 1 || data.length > 3)))
    return openData(parts as TableData, options);
  throw new ValueError({
    op: options.op,
    rule: '`validationData` is [x, y], [x, y, sampleWeight], { x, y, sampleWeight }, or batches.',
    received: Array.isArray(data) ? `an array of ${data.length}` : describe(data),
    hint: 'pass validationData: [xv, yv].',
  });
}

/** Throws for options that do not apply to data that come in batches. */
export function requireNone(op: string, options: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return;
  throw new ValueError({
    op,
    rule: 'batches from an iterable are used as they come.',
    received: given.map(([name, value]) => `${name}: ${describe(value)}`).join(', '),
    hint: 'yield [x, y, sampleWeight], in the order and in batches of the size that you want.',
  });
}
