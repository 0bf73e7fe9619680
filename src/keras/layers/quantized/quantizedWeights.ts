/**
 * @file The weights of quantized layers. Integers stay in their bits on the device, and kernels widen them as they read them; those whose
 * groups or axes no kernel reads take an int32 for an integer or a pair of 4 bits, and are widened for each call.
 */
import { groupsPerLine, isNarrowFloat, wordsPerLine, zeroWordsPerLine } from '../../../core/packedWeights.ts';
import type { Shape } from '../../../core/shape.ts';
import { div } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { dequantize } from '../../../ops/products/quantized.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { byGroups, throughFloat8, throughIntegers, unpacked } from './arithmetic.ts';
import { groupsForm, kernelForm, type Places, scalesForm, zerosForm } from './fileForm.ts';
import { narrowKernel } from './narrowWeights.ts';
import type { Quantization } from './quantization.ts';
import { unfolded } from './unfolded.ts';
import type { Add, Sizes, Weights } from './weights.ts';

export function weightsOf(quantization: Quantization, sizes: Sizes, add: Add): Weights {
  const { mode, inputs } = quantization;
  const rounded = (x: Tensor, axes: readonly number[]) => (inputs ? throughIntegers(x, inputs, axes) : x);
  if (mode === 'float8') return float8Weights(quantization, sizes, add);
  if (isNarrowFloat(mode)) return narrowKernel(mode, sizes, add);
  const { places, rows, columns, kernel: shape } = sizes;
  const isPairs = mode === 'int4';
  const block = isPairs ? quantization.block : null;
  if (places && readsGroups(rows, block)) {
    const file = isPairs ? [rows, Math.ceil(columns / 2)] : shape;
    const { packed, saved } = packedMatrix(
      {
        name: 'kernel',
        format: isPairs ? 'int4' : 'int8',
        file,
        places,
        perLine: isPairs ? columns : 1,
        block,
      },
      { shape: block === null && !isPairs ? sizes.scale : null, transposed: true },
      add,
    );
    const [kernel, ...others] = saved as [Variable, ...Variable[]];
    return {
      saved: [kernel, null, ...others],
      packed,
      kernel: () => unfolded(dequantize(packed), sizes),
      inputs: rounded,
    };
  }
  if (isPairs) return { ...packedWeights(quantization, sizes, add), inputs: rounded, packed: null };
  const kernel = add.plain('kernel', sizes.kernel, 'int8');
  const scale = add.plain('kernel_scale', sizes.scale, 'float32');
  return {
    saved: [kernel, null, scale],
    kernel: () => sizes.divide(cast(kernel, 'float32'), scale),
    inputs: rounded,
    packed: null,
  };
}

/** Returns whether kernels read groups of `block` weights of 4 bits: whole words. */
export const readsGroups = (length: number, block: number | null) =>
  block === null || block >= length || block % 8 === 0;

/** A matrix in files. */
export interface MatrixInFile {
  readonly name: 'kernel' | 'embeddings';
  readonly format: 'int8' | 'int4';
  readonly file: Shape;
  readonly places: Places;
  /** Integers of a line of pairs. */
  readonly perLine: number;
  readonly block: number | null;
}

/** Makes the variables of a matrix in few bits, in the order of files. */
export function packedMatrix(
  { name, format, file, places, perLine, block }: MatrixInFile,
  scales: { readonly shape: Shape | null; readonly transposed: boolean },
  add: Add,
): { readonly packed: QuantizedTensor; readonly saved: readonly Variable[] } {
  const [channels, length] = [places.columns.length, places.rows.length];
  const groupSize = block === null ? length : Math.min(block, length);
  const groups = groupsPerLine(length, groupSize);
  const form = kernelForm(format, file, places, perLine);
  const words = add.formed(name, [channels, wordsPerLine(format, length)], 'uint32', form);
  const ofGroups = scales.transposed ? [groups, channels] : [channels, groups];
  const { shape = null } = scales;
  const scale =
    block === null
      ? add.plain(`${name}_scale`, shape ?? [channels], 'float32')
      : add.formed(
          `${name}_scale`,
          [channels, groups],
          'float32',
          scalesForm(ofGroups, channels, groups, scales.transposed),
        );
  const layout = { format, channels, length, groupSize };
  if (block === null) {
    const packed = new QuantizedTensor(
      { ...layout, scaling: 'divide' },
      words as never,
      scale as never,
      null,
    );
    return { packed, saved: [words, scale] };
  }
  const zero = add.formed(
    `${name}_zero`,
    [channels, zeroWordsPerLine(groups)],
    'uint32',
    zerosForm(ofGroups, channels, groups, scales.transposed),
  );
  const rows = add.formed('g_idx', [length], 'float32', groupsForm(add.layer, length, block));
  const packed = new QuantizedTensor(
    { ...layout, scaling: 'multiply' },
    words as never,
    scale as never,
    zero as never,
  );
  return { packed, saved: [words, scale, zero, rows] };
}

/** Pairs of 4 bits along the columns; a scale for each column, or a scale and a zero for each group of rows. */
export function packedWeights(
  { block }: Quantization,
  sizes: Sizes,
  add: Add,
): Omit<Weights, 'inputs' | 'packed'> {
  const { rows, columns, kernel: shape } = sizes;
  const kernel = add.plain('kernel', [rows, Math.ceil(columns / 2)], 'int8');
  const integers = () => unpacked(kernel, -1, columns, true);
  if (block === null) {
    const scale = add.plain('kernel_scale', [columns], 'float32');
    return { saved: [kernel, null, scale], kernel: () => reshape(div(integers(), scale), { shape }) };
  }
  const ofGroups = [Math.ceil(rows / block), columns];
  const scale = add.plain('kernel_scale', ofGroups, 'float32');
  const zero = add.plain('kernel_zero', ofGroups, 'int8');
  const groups = add.plain('g_idx', [rows], 'float32');
  return {
    saved: [kernel, null, scale, zero, groups],
    kernel: () => reshape(byGroups(integers(), { scale, zero, groups, axis: 0 }), { shape }),
  };
}

function float8Weights({ history }: Quantization, { kernel: shape }: Sizes, add: Add): Weights {
  const kernel = add.plain('kernel', shape, 'float32');
  const pair = (name: string) =>
    [
      add.plain(`${name}_scale`, [], 'float32'),
      add.plain(`${name}_amax_history`, [history], 'float32'),
    ] as const;
  const [inputs, kernels, gradients] = [pair('inputs'), pair('kernel'), pair('outputs_grad')];
  return {
    saved: [kernel, null, ...inputs, ...kernels, ...gradients],
    kernel: () => throughFloat8(kernel, kernels[0]),
    inputs: (x) => throughFloat8(x, inputs[0]),
    packed: null,
  };
}
