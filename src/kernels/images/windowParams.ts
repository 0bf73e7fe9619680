/** @file The parameters by which kernels of images know their windows. */
import type { WindowAxis } from '../../core/windows.ts';

/** Strides, dilation and padding of windows along two axes. */
export function windowParams({ rows, columns }: { rows: WindowAxis; columns: WindowAxis }) {
  return {
    stride_h: rows.stride,
    stride_w: columns.stride,
    dilation_h: rows.dilation,
    dilation_w: columns.dilation,
    pad_h: rows.before,
    pad_w: columns.before,
  };
}
