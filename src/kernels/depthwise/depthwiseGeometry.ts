/** @file Common code of all algorithms of a depthwise convolution: its sizes, its bindings, and how sums are split. */
import { type DepthwiseDirection, depthwiseOperands } from '../../../shaders/depthwise.ts';
import type { WindowAxis } from '../../core/windows.ts';
import type { Bindings } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { bindsAsVectors } from '../launch/output.ts';
import { windowValues } from '../images/windowValues.ts';

export interface DepthwiseGeometry {
  readonly batch: number;
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
  readonly channels: number;
  /** Result channels for each image channel. */
  readonly multiplier: number;
}

/** Returns the number of channels that are read at a time. */
export function channelWidth({ channels, multiplier }: DepthwiseGeometry, ...tensors: Tensor[]): 1 | 4 {
  return multiplier === 1 && channels % 4 === 0 && tensors.every(bindsAsVectors) ? 4 : 1;
}

const elementOf = (width: 1 | 4) => (width === 4 ? 'vec4<f32>' : 'f32');

/** The bindings of a direction: its operands, and `out`. */
export const depthwiseBindings =
  (direction: DepthwiseDirection) =>
  ({ width }: { width: 1 | 4 }): Bindings => {
    const [a, b] = depthwiseOperands[direction];
    return {
      [a]: `read ${elementOf(width)}`,
      [b]: `read ${elementOf(width)}`,
      out: `write ${elementOf(width)}`,
    };
  };

/** Returns the values of the parameters that describe the geometry, with channels in units of `width`. */
export function geometryValues(geometry: DepthwiseGeometry, width: 1 | 4, rowsPerPart: number) {
  const { batch, rows, columns, channels, multiplier } = geometry;
  return {
    in_h: rows.input,
    in_w: columns.input,
    in_c: channels / width,
    out_h: rows.output,
    out_w: columns.output,
    out_c: (channels * multiplier) / width,
    multiplier,
    ...windowValues(geometry),
    rows: batch * rows.output,
    rows_per_part: rowsPerPart,
  };
}

/** Splits a filter gradient of `size` values along the rows of all images. */
export interface FilterGradParts {
  readonly parts: number;
  readonly rowsPerPart: number;
}

/** Returns the number of parts for which there are `invocations`; none has more than `maxRows`. */
export function filterGradParts(
  { batch, rows }: Pick<DepthwiseGeometry, 'batch' | 'rows'>,
  size: number,
  invocations: number,
  maxRows = Number.POSITIVE_INFINITY,
): FilterGradParts {
  const all = batch * rows.output;
  const wanted = Math.max(1, Math.min(all, Math.ceil(invocations / Math.max(1, size))));
  const rowsPerPart = Math.max(1, Math.min(maxRows, Math.ceil(all / wanted)));
  return { parts: Math.max(1, Math.ceil(all / rowsPerPart)), rowsPerPart };
}
