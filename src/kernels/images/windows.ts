/** @file What kernels over windows of images share: geometry, parameters, and the channels that an invocation computes. */
import { poolWorkgroup } from '../../../shaders/pool.ts';
import type { WindowAxis } from '../../core/windows.ts';
import type { Device } from '../../webgpu/device.ts';
import { elementsPerInvocation } from '../launch/strided.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { windowValues } from './windowValues.ts';

/** Windows over images [batch, rows, columns, channels]. */
export interface WindowGeometry {
  readonly batch: number;
  readonly channels: number;
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
}

/** The parameters that `windowLaunch` gives. `x` are the images; `y` has a pixel for each window. */
export const windowParams = {
  count: 'u32',
  channels: 'u32',
  groups: 'u32',
  x_height: 'u32',
  x_width: 'u32',
  y_height: 'u32',
  y_width: 'u32',
  kernel_h: 'u32',
  kernel_w: 'u32',
  stride_h: 'u32',
  stride_w: 'u32',
  dilation_h: 'u32',
  dilation_w: 'u32',
  pad_h: 'u32',
  pad_w: 'u32',
} as const;

/** Whether the taps of a window are farther than 1 apart. */
export const isDilated = ({ rows, columns }: WindowGeometry) => rows.dilation > 1 || columns.dilation > 1;

/** Elements that a window reads: its taps. */
export const tapsOf = ({ rows, columns }: WindowGeometry) => rows.window * columns.window;

/** Invocations that keep the threads of a software adapter busy: a few workgroups. */
const busyInvocations = 4 * poolWorkgroup;

/**
 * The launch of a kernel that computes all channels of `places`, pixels or windows, and reads or writes `moved` elements for it: adjacent
 * channels are grouped into groups of about the same size, and an invocation computes one group.
 */
export function windowLaunch(device: Device, geometry: WindowGeometry, places: number, moved: number) {
  const { rows, columns } = geometry;
  const width: 1 | 4 = geometry.channels % 4 === 0 ? 4 : 1;
  const channels = geometry.channels / width;
  const isBusy = (n: number) => (places * channels) / Math.min(n, channels) >= busyInvocations;
  const groups = Math.ceil(channels / elementsPerInvocation(profileOf(device), moved / width, isBusy));
  const count = places * groups;
  return {
    options: { width, perInvocation: Math.ceil(channels / groups) },
    params: {
      count,
      channels,
      groups,
      x_height: rows.input,
      x_width: columns.input,
      y_height: rows.output,
      y_width: columns.output,
      ...windowValues(geometry),
    },
    workgroups: Math.ceil(count / poolWorkgroup),
  };
}

/** The WGSL type of one read or write: of one channel, or of four adjacent ones. */
export const lanesOf = (type: string, width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
