/** @file Launches depthwise convolutions in strips of rows. The size of the kernel is part of the program. */
import { type ChannelWidth, type Direction, valueType } from '../../../shaders/depthwise/axis.ts';
import {
  depthwiseStrips,
  stripAxes,
  type StripOptions,
  stripParams,
  stripSize,
  stripValues,
  stripWorkgroup,
} from '../../../shaders/depthwise/strips.ts';
import {
  depthwiseTaps,
  type TapsOptions,
  tapsParams,
  tapsValues,
  tapsWorkgroup,
} from '../../../shaders/depthwise/taps.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { ParamValues } from '../../webgpu/params.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { blockCounts, blockGrid, edgesOf, phaseOf } from './blockGrid.ts';
import { channelWidth, type DepthwiseGeometry } from './depthwiseGeometry.ts';
import { addParts } from './depthwiseSums.ts';
import { output } from '../launch/output.ts';
import { partialSpec } from '../gemm/partialSums.ts';
import { remembered } from '../selection/remembered.ts';

const stripsKernel = /* @__PURE__ */ defineKernel({
  name: 'depthwiseStrips',
  bindings: ({ width }: StripOptions): Bindings => ({
    values: `read ${valueType(width)}`,
    weights: `read ${valueType(width)}`,
    result: `write ${valueType(width)}`,
  }),
  params: stripParams,
  source: depthwiseStrips,
});

const tapsKernel = /* @__PURE__ */ defineKernel({
  name: 'depthwiseTaps',
  bindings: ({ width }: TapsOptions): Bindings => ({
    image: `read ${valueType(width)}`,
    cotangent: `read ${valueType(width)}`,
    sums: `write ${valueType(width)}`,
  }),
  params: tapsParams,
  source: depthwiseTaps,
});

/** Divides `rows` iterations into strips of equal length: as long as possible with enough strips to compute in parallel. */
function cutRows(
  { depthwise: { busyInvocations, strips } }: AdapterProfile,
  window: number,
  rows: number,
  columnsOfStrips: number,
) {
  const parallel = Math.ceil(busyInvocations / Math.max(1, columnsOfStrips));
  const wanted = Math.max(1, Math.min(parallel, Math.floor(rows / (strips[window]?.minIterations ?? 1))));
  const iterations = Math.ceil(rows / wanted);
  return { iterations, strip_rows: Math.ceil(rows / iterations) };
}

type StripShape = Pick<StripOptions, 'width' | 'columns'>;

/** From the most reuse of what is read to the fewest registers. */
const shapes: readonly StripShape[] = [
  { width: 4, columns: 4 },
  { width: 4, columns: 3 },
  { width: 2, columns: 4 },
];
const minShape: StripShape = { width: 1, columns: 4 };

type BlockShape = StripShape & Required<Pick<StripOptions, 'rows'>>;

/** Returns the blocks of one channel, from the most reuse of what is read to the fewest registers. */
const blocksFor = (window: number): BlockShape[] => [
  { width: 1, columns: 4, rows: Math.max(1, (window - 1) >> 1) },
  { width: 1, columns: 4, rows: 1 },
  { width: 1, columns: 2, rows: 1 },
];

/** Returns the first shape whose values fit in the registers of the profile. */
function shapeFor(
  widest: ChannelWidth,
  { depthwise: { registers } }: AdapterProfile,
  valuesOf: (columns: number) => number,
): StripShape {
  const fits = ({ width, columns }: StripShape) => width <= widest && width * valuesOf(columns) <= registers;
  return shapes.find(fits) ?? minShape;
}

/** A launch of strips, without its buffers. */
interface StripsPlan {
  readonly options: StripOptions;
  readonly params: ParamValues<typeof stripParams>;
  readonly workgroups: number;
}

/** Divides what is computed into strips, or into blocks where strips would be too few. */
function planStrips(
  direction: Direction,
  { batch, rows, columns, channels }: DepthwiseGeometry,
  widest: ChannelWidth,
  profile: AdapterProfile,
): StripsPlan {
  const { window, stride } = rows;
  const phases = { down: phaseOf(direction, rows), across: phaseOf(direction, columns) };
  const program = { direction, window, stride, phases };
  const grid = blockGrid(direction, { rows, columns });
  const cut = (shape: StripShape & Pick<StripOptions, 'rows'>) => {
    const given = { ...program, ...shape };
    const size = stripSize(given);
    const [down, across] = stripAxes(given);
    const { rows: lines, columns: strip_columns } = blockCounts(grid, size);
    const side = (batch * strip_columns * channels) / shape.width;
    const cutting = shape.rows ? { iterations: 1, strip_rows: lines } : cutRows(profile, window, lines, side);
    const edges = {
      downEdges: edgesOf(down, size.rows, grid.from_row, [grid.from_h, grid.to_h]),
      acrossEdges: edgesOf(across, size.columns, grid.from_column, [grid.from_w, grid.to_w]),
    };
    const options: StripOptions = { ...given, ...edges };
    return { options, strip_columns, ...cutting, count: side * cutting.strip_rows };
  };
  const strips = cut(shapeFor(widest, profile, (count) => stripValues({ ...program, columns: count })));
  const block = blocksFor(window).find(
    (one) => stripValues({ ...program, ...one }) <= profile.depthwise.registers,
  );
  const isBlock = block && strips.count < profile.depthwise.minInvocations;
  const { options, count, ...cutting } = isBlock ? cut(block) : strips;
  return {
    options,
    params: { count, channels: channels / options.width, ...cutting, ...grid },
    workgroups: Math.ceil(count / stripWorkgroup),
  };
}

/** Computes the result, or the gradient of the image. */
export function launchDepthwiseStrips(
  op: string,
  direction: Direction,
  geometry: DepthwiseGeometry,
  values: Tensor,
  weights: Tensor,
  spec: TensorSpec,
): Tensor {
  const { device } = values;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const profile = profileOf(device);
  const widest = channelWidth(geometry, values, weights, out);
  const plan = remembered(profile, `${direction} strips`, { geometry, widest }, () =>
    planStrips(direction, geometry, widest, profile),
  );
  device.launch(stripsKernel, {
    ...plan,
    bindings: { values: values.storage, weights: weights.storage, result: out.storage },
  });
  return out;
}

/** Returns the number of elements of an axis that are covered by any window. */
const seen = ({ input, output: windows, window, stride, before }: WindowAxis) =>
  Math.max(0, Math.min(input, (windows - 1) * stride + window - before));

/** The maximum number of rows of an image for one strip, if the device isn't busy. */
const maxWholeRows = 8;

/**
 * A strip as wide as a small image: its sums are the result, and adding up parts takes no launch. Null where there is more to
 * share out, or where its values don't fit in registers.
 */
function wholeImage(
  widest: ChannelWidth,
  { batch, rows: { output, window, stride }, columns }: DepthwiseGeometry,
  { depthwise: { registers, minInvocations } }: AdapterProfile,
): StripShape | null {
  const isSmall = batch === 1 && output > 0 && output <= maxWholeRows && columns.output > 0;
  if (minInvocations === 0 || !isSmall) return null;
  const values = tapsValues({ columns: columns.output, window, stride });
  const width = ([4, 2, 1] as const).find((count) => count <= widest && count * values <= registers);
  return width === undefined ? null : { width, columns: columns.output };
}

/** Each strip has its own partial sums. They are added in order, so that the bits are the same every time. */
export function depthwiseFilterGradInStrips(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const { batch, rows, columns, channels } = geometry;
  const { device } = x;
  const profile = profileOf(device);
  const { window, stride } = rows;
  const widest = channelWidth(geometry, x, dy);
  const whole = wholeImage(widest, geometry, profile);
  const shape = whole ?? shapeFor(widest, profile, (count) => tapsValues({ columns: count, window, stride }));
  const strip_columns = Math.ceil(columns.output / shape.columns);
  const side = (batch * strip_columns * channels) / shape.width;
  const { iterations, strip_rows } = whole
    ? { iterations: rows.output, strip_rows: 1 }
    : cutRows(profile, window, rows.output, side);
  const parts = batch * strip_rows * strip_columns;
  const sums = output(device, parts === 1 ? spec : partialSpec(spec, parts), op);
  const count = side * strip_rows;
  device.launch(tapsKernel, {
    options: { ...shape, window, stride },
    bindings: { image: x.storage, cotangent: dy.storage, sums: sums.storage },
    params: {
      count,
      channels: channels / shape.width,
      strip_rows,
      strip_columns,
      iterations,
      in_h: rows.input,
      in_w: columns.input,
      seen_h: seen(rows),
      seen_w: seen(columns),
      out_h: rows.output,
      out_w: columns.output,
      pad_h: rows.before,
      pad_w: columns.before,
    },
    workgroups: Math.ceil(count / tapsWorkgroup),
  });
  return parts === 1 ? sums : addParts(op, sums, spec);
}
