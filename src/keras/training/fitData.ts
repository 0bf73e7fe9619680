/** @file The training and validation data of `fit`. */
import type { Cleanup } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import { isBatchIterable, IterableSource } from './data/iterableSource.ts';
import type { BatchSource } from './data/batchSource.ts';
import type { Slots } from './data/slots.ts';
import { Table, TableSource } from './data/tableSource.ts';
import type { FitOptions } from './fitOptions.ts';
import { type BatchIterable, type Data, defaultBatchSize, openValidation, requireNone } from './openData.ts';

export interface FitData {
  readonly source: BatchSource;
  readonly validation: BatchSource | null;
}

/** Opens the data of a run. Errors: ValueError, ShapeError. */
export function openFitData(
  x: Data | BatchIterable,
  y: Data | null,
  options: FitOptions & { seed: number },
  slots: Slots,
  cleanup: Cleanup,
): FitData {
  const { batchSize, validationSplit = 0, validationData = null, sampleWeight } = options;
  const size = batchSize ?? defaultBatchSize;
  const validationSize = options.validationBatchSize ?? size;
  if (isBatchIterable(validationData))
    requireNone('fit', { validationBatchSize: options.validationBatchSize });
  const given =
    validationData === null
      ? null
      : openValidation(validationData, { op: 'fit', slots, batchSize: validationSize, cleanup });
  if (isBatchIterable(x)) {
    const share = validationSplit === 0 ? undefined : validationSplit;
    const shuffle = options.shuffle || undefined;
    requireNone('fit', { y, sampleWeight, batchSize, validationSplit: share, shuffle });
    const source = cleanup.add(new IterableSource('fit', x, { slots, goOn: true }));
    return { source, validation: given };
  }
  const table = cleanup.add(new Table('fit', { x, y, sampleWeight }, slots));
  const split = given || validationSplit === 0 ? table.rows : splitAt(table.rows, validationSplit);
  const { shuffle = true, seed } = options;
  const source = cleanup.add(new TableSource(table, { batchSize: size, to: split, shuffle, seed }));
  if (split === table.rows) return { source, validation: given };
  const rest = new TableSource(table, { batchSize: validationSize, from: split });
  return { source, validation: cleanup.add(rest) };
}

function splitAt(rows: number, share: number): number {
  const at = Math.floor(rows * (1 - share));
  if (at > 0 && at < rows) return at;
  throw new ValueError({
    op: 'fit',
    rule: '`validationSplit` leaves at least one sample for training and one for validation.',
    received: `validationSplit: ${share} of ${rows} samples`,
    hint: 'choose another fraction, or pass validationData.',
  });
}
