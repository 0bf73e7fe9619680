/** @file Values for the weights of quantized layers, from those of a kernel. */
import { FormatError } from '../../../core/errors.ts';
import { isNarrowFloat } from '../../../core/packedWeights.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Quantization } from './quantization.ts';
import { type Lines, packRows, quantizeGroups, quantizeLines } from './quantizer.ts';
import type { Sizes } from './weights.ts';

/** Values of the weights of a layer, in the order of elements in files. */
export type FileValues = ReadonlyMap<Variable, Int32Array | Float32Array>;

/** Quantizes a kernel as the weights `saved` are. Errors: FormatError for axes in an order that isn't that of a matrix. */
export function requantized(
  { mode, block }: Quantization,
  { rows, columns, places }: Sizes,
  saved: readonly (Variable | null)[],
  values: Float32Array,
): FileValues {
  const [kernel, scale, zero, groups] = saved.filter((weight) => weight !== null) as [
    Variable,
    Variable,
    Variable?,
    Variable?,
  ];
  // Files have the kernel of float8, and those of 16 bits, in float32.
  if (mode === 'float8' || isNarrowFloat(mode)) return new Map([[kernel, values]]);
  if (!places?.columns.every((place, c) => place === c)) {
    throw new FormatError({
      op: 'save',
      rule: 'a kernel is quantized if the axes that are summed come first.',
      received: 'an einsum layer with another order of axes',
      hint: 'save the adapter on its own by saveAdapter, or leave the layer out of `filters`.',
    });
  }
  const lines = { values, lines: columns, length: rows, isAlongRows: false };
  return quantizedValues(lines, mode === 'int4', block, columns, [kernel, scale, zero, groups]);
}

/** Values of a matrix with a scale for each line, or a scale and a zero for each group of a line. */
export function quantizedValues(
  lines: Lines,
  isPairs: boolean,
  block: number | null,
  columns: number,
  [kernel, scale, zero, groups]: readonly [Variable, Variable, Variable?, Variable?],
): FileValues {
  const isGrouped = isPairs && block !== null;
  const made = isGrouped
    ? quantizeGroups(lines, block)
    : quantizeLines(lines, isPairs ? [-8, 7] : [-127, 127]);
  const integers = isPairs ? packRows(made.integers, columns) : made.integers;
  const found = new Map<Variable, Int32Array | Float32Array>([
    [kernel, integers],
    [scale, made.scale],
  ]);
  if (!isGrouped || !zero || !groups) return found;
  const numbers = Float32Array.from({ length: lines.length }, (_, i) => Math.floor(i / block));
  return found.set(zero, made.zero).set(groups, numbers);
}
