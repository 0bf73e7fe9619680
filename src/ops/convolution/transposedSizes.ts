/** @file Sizes of transposed convolutions along their spatial axes. Source: Keras's deconv_output_length. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

export interface TransposedWindows {
  /** Taps along each axis. */
  readonly window: readonly number[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: 'same' | 'valid';
  /** Null: as Keras infers. */
  readonly outputPadding: number | readonly number[] | null;
}

/** The sizes of the result for an input of `sizes`. Errors: ValueError for an output padding. */
export function transposedSizes(op: string, sizes: readonly number[], windows: TransposedWindows): number[] {
  const { window, strides, dilation, padding } = windows;
  const extras = extrasOf(op, windows);
  return sizes.map((size, axis) => {
    const stride = strides[axis] as number;
    const extent = ((window[axis] as number) - 1) * (dilation[axis] as number) + 1;
    const extra = extras[axis] as number | null;
    if (extra === null) {
      const length = padding === 'same' ? size * stride : size * stride + Math.max(extent - stride, 0);
      return Math.max(0, length);
    }
    if (padding === 'valid') return Math.max(0, (size - 1) * stride + extent + extra);
    if (extent % 2 === 0 && extra === 0) throw needsPadding(op, extent, stride);
    return Math.max(0, (size - 1) * stride + (extent % 2) + extra);
  });
}

/** Of (size - 1) · stride elements, a convolution with padding 'same' makes size - 1, so no result of it is transposed. */
function needsPadding(op: string, extent: number, stride: number): ValueError {
  return new ValueError({
    op,
    rule: "with padding 'same', a kernel of even size needs an `outputPadding` of at least 1, as in TensorFlow.",
    received: `outputPadding: 0 for a kernel of ${extent}, dilation included, and a stride of ${stride}`,
    hint: "leave `outputPadding` out for a result of size · stride, or use padding 'valid'.",
  });
}

function extrasOf(op: string, { outputPadding, strides }: TransposedWindows): (number | null)[] {
  if (outputPadding === null) return strides.map(() => null);
  const list: readonly unknown[] = Array.isArray(outputPadding)
    ? outputPadding
    : strides.map(() => outputPadding);
  const isExtra = (n: unknown, i: number) =>
    Number.isInteger(n) && Number(n) >= 0 && Number(n) < Number(strides[i]);
  if (list.length === strides.length && list.every(isExtra)) return list as number[];
  throw new ValueError({
    op,
    rule: `\`outputPadding\` is an integer of at least 0 and below the stride, or a list of ${strides.length}.`,
    received: `outputPadding: ${describe(outputPadding)} with strides ${describe(strides)}`,
    hint: 'leave it out, or pass less than the stride.',
  });
}
