/**
 * @file The parameters by which kernels of images know their windows. Convolutions use them without what pools need, so the file is
 * separate.
 */
import type { WindowAxis } from '../../core/windows.ts';

/** The values of the parameters that describe the windows along both axes. */
export function windowValues({ rows, columns }: { rows: WindowAxis; columns: WindowAxis }) {
  return {
    kernel_h: rows.window,
    kernel_w: columns.window,
    stride_h: rows.stride,
    stride_w: columns.stride,
    dilation_h: rows.dilation,
    dilation_w: columns.dilation,
    pad_h: rows.before,
    pad_w: columns.before,
  };
}
