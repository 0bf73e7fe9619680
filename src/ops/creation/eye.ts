/** @file eye */
import type { DType } from '../../core/dtype.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { checkShape, requireInteger, type Shape } from '../../core/shape.ts';
import { eyeKernel } from '../../kernels/copies/sequence.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { create, type CreationOptions } from './creation.ts';

export interface EyeOptions<D extends DType = DType> extends CreationOptions<D> {
  /** Number of columns; those beyond the rows are 0. Default: as many as rows. */
  columns?: number;
  /** Axes in front of the matrix. Default: none. */
  batchShape?: Shape;
}

const optionNames: OptionNames<EyeOptions> = {
  columns: true,
  batchShape: true,
  dtype: true,
  name: false,
};

/**
 * The identity matrix, also of a shape that isn't square. Shape: [...batchShape, rows, columns]. Any dtype.
 * Errors: ValueError for negative or fractional sizes, ShapeError for a batch shape that isn't one.
 */
export function eye<D extends DType = 'float32'>(
  rows: number,
  ...settings: Settings<EyeOptions<D>, ['columns', 'batchShape', 'dtype']>
): Tensor<D>;
export function eye(rows: number, ...settings: unknown[]): Tensor {
  const options: EyeOptions = optionsOf('eye', settings, optionNames, ['rows']);
  const { columns = rows, batchShape = [] } = options;
  requireInteger('eye', 'rows', rows, 0);
  requireInteger('eye', 'columns', columns, 0);
  checkShape('eye', batchShape);
  return create('eye', [...batchShape, rows, columns], options, (device, spec) =>
    eyeKernel(device, spec, 'eye'),
  );
}
