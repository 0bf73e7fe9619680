/** @file timeseriesDatasetFromArray: windows of a series of steps, as in keras.utils. */
import { ValueError } from '../core/errors.ts';
import { numbersOf } from '../core/nestedNumbers.ts';
import { type OptionNames, optionsOf } from '../core/options.ts';
import { permutation } from '../core/permutation.ts';
import { describe, requireBoolean, requireInteger } from '../core/shape.ts';
import { checkSeed, freshSeed } from '../ops/define/seeds.ts';
import type { HostArray } from '../tensor/create.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Dataset } from './dataset.ts';
import { isArray, lengthOf, sliceOf, takeRows, valuesOf, withShape } from './rows.ts';

/** Options of `timeseriesDatasetFromArray`. */
export interface TimeseriesOptions {
  /** Number of steps in a window. */
  sequenceLength: number;
  /** Steps between the beginnings of two windows. Default 1. */
  sequenceStride?: number;
  /** Steps between the values of a window. Default 1. */
  samplingRate?: number;
  /** Windows in a batch. Default 128; null for single windows. */
  batchSize?: number | null;
  /** Whether windows come in random order, another one in each pass. Default false. */
  shuffle?: boolean;
  /** Makes the order reproducible. Default: a new seed. */
  seed?: number | null;
  /** The first step that is used. Default 0. */
  startIndex?: number | null;
  /** The step before which windows end. Default: the number of steps. */
  endIndex?: number | null;
}

const optionNames: OptionNames<TimeseriesOptions> = {
  sequenceLength: true,
  sequenceStride: true,
  samplingRate: true,
  batchSize: true,
  shuffle: true,
  seed: true,
  startIndex: true,
  endIndex: true,
};

const op = 'timeseriesDatasetFromArray';

/** Rows: one for each step, or for each target. */
type Rows = Tensor | HostArray | readonly unknown[];

/**
 * Windows of `sequenceLength` steps of a series, with the target at the first step of each: targets[i] belongs to the window that
 * begins at step i. To predict the step after a window, pass `targets` without their first `sequenceLength` steps. Elements are
 * batches [x, y], x [batch, sequenceLength, …]; batches x if `targets` is null.
 *
 *     const data = timeseriesDatasetFromArray(series, series.slice(24), { sequenceLength: 24 });
 *
 * Errors: ValueError for what aren't arrays of rows, and for options out of range.
 */
export function timeseriesDatasetFromArray(
  data: Rows,
  targets: null | undefined,
  options: TimeseriesOptions,
): Dataset<Tensor>;
export function timeseriesDatasetFromArray(
  data: Rows,
  targets: Rows,
  options: TimeseriesOptions,
): Dataset<readonly [x: Tensor, y: Tensor]>;
export function timeseriesDatasetFromArray(
  data: Rows,
  targets: Rows | null | undefined,
  ...args: unknown[]
): Dataset<unknown> {
  const options = optionsOf(op, args, optionNames, ['data', 'targets']) as TimeseriesOptions;
  const wanted = targets ?? null;
  for (const rows of wanted === null ? [data] : [data, wanted]) requireRows(rows);
  const { sequenceLength, samplingRate = 1, batchSize = 128, shuffle = false } = options;
  const { starts, startIndex } = startsOf(lengthOf(data), wanted && lengthOf(wanted), options);
  if (batchSize !== null) requireInteger(op, 'batchSize', batchSize, 1);
  requireBoolean(op, 'shuffle', shuffle);
  checkSeed(op, options.seed ?? undefined);
  const seed = options.seed ?? freshSeed();
  let pass = 0;
  const windows = new Dataset<unknown>(async function* () {
    const order = shuffle ? permutation(starts.length, seed, pass++) : null;
    const steps = await onHost(data);
    const labels = await onHost(wanted);
    for (let i = 0; i < starts.length; i++) {
      const start = startIndex + (starts[order?.[i] ?? i] as number);
      const window = takeRows(steps, start, sequenceLength, samplingRate);
      yield wanted === null ? window : [window, sliceOf(labels, start)];
    }
  }, starts.length);
  return batchSize === null ? windows : windows.batch(batchSize);
}

/** Returns where windows begin, counted from `startIndex`. Errors: ValueError. */
function startsOf(steps: number, targets: number | null, options: TimeseriesOptions) {
  const { sequenceLength, sequenceStride = 1, samplingRate = 1 } = options;
  const [startIndex, endIndex] = [options.startIndex ?? 0, options.endIndex ?? steps];
  requireInteger(op, 'sequenceLength', sequenceLength, 1);
  requireInteger(op, 'sequenceStride', sequenceStride, 1);
  requireInteger(op, 'samplingRate', samplingRate, 1);
  requireInteger(op, 'startIndex', startIndex, 0);
  requireInteger(op, 'endIndex', endIndex, 1);
  const span = (sequenceLength - 1) * samplingRate;
  const count = Math.min(endIndex - startIndex - span, targets ?? Number.POSITIVE_INFINITY);
  if (endIndex > steps || count < 1) {
    throw new ValueError({
      op,
      rule: `a window spans ${span + 1} steps, between \`startIndex\` and \`endIndex\`.`,
      received: `steps ${startIndex} to ${endIndex} of ${steps}${targets === null ? '' : `, ${targets} targets`}`,
      hint: 'pass a longer series, or a smaller sequenceLength.',
    });
  }
  const starts = Array.from({ length: Math.ceil(count / sequenceStride) }, (_, i) => i * sequenceStride);
  const last = startIndex + (starts.at(-1) as number);
  if (targets !== null && last >= targets) throw outOfTargets(targets, last);
  return { starts, startIndex };
}

/** Returns rows as values with a shape. */
async function onHost(rows: Rows | null): Promise<unknown> {
  if (rows instanceof Tensor) return valuesOf(rows);
  const numbers = Array.isArray(rows) ? numbersOf(rows) : null;
  return numbers ? withShape(Float32Array.from(numbers.values), numbers.shape) : rows;
}

function requireRows(rows: unknown): void {
  const isNumeric = Array.isArray(rows) ? numbersOf(rows) !== null : isArray(rows, false);
  if (isNumeric && lengthOf(rows) > 0) return;
  throw new ValueError({
    op,
    rule: '`data` and `targets` are arrays of rows of one shape: lists of numbers, tensors, or typed arrays with a property `shape`.',
    received: describe(rows),
    hint: 'pass [[1, 2], [3, 4], …] or a tensor.',
  });
}

function outOfTargets(targets: number, step: number): ValueError {
  return new ValueError({
    op,
    rule: 'there is a target for the first step of each window.',
    received: `${targets} targets, and a window from step ${step}`,
    hint: 'targets are counted from the first step of the data; pass as many as there are steps.',
  });
}
