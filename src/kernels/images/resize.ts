/** @file Launches resizes of images, and their adjoints. */
import { resize, type ResizeOptions, resizeWorkgroup } from '../../../shaders/resize.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { channelsPerInvocation } from './channels.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';

/** One axis: output position d samples the input at (d · scale + shift) / unit. Integers. */
export interface SampledAxis {
  readonly input: number;
  readonly output: number;
  readonly scale: number;
  readonly shift: number;
  readonly unit: number;
}

export interface ResizePlan {
  readonly method: 'nearest' | 'bilinear';
  readonly rows: SampledAxis;
  readonly columns: SampledAxis;
}

const kernel = defineKernel({
  name: 'resize',
  bindings: ({ type, width, direction }: ResizeOptions): Bindings => {
    const element = width === 4 ? `vec4<${type}>` : type;
    const [source, target] = direction === 'forward' ? ['x', 'y'] : ['dy', 'dx'];
    return { [source]: `read ${element}`, [target]: `write ${element}` };
  },
  params: {
    count: 'u32',
    channels: 'u32',
    x_height: 'u32',
    x_width: 'u32',
    y_height: 'u32',
    y_width: 'u32',
    row_scale: 'i32',
    row_shift: 'i32',
    row_unit: 'i32',
    column_scale: 'i32',
    column_shift: 'i32',
    column_unit: 'i32',
  },
  source: resize,
});

/** Resizes `source` by `plan`; direction `adjoint` maps a cotangent of the result to that of the image. */
export function resizeKernel(
  op: string,
  source: Tensor,
  { method, rows, columns }: ResizePlan,
  direction: ResizeOptions['direction'],
  spec: TensorSpec,
): Tensor {
  const target = output(source.device, spec, op);
  if (target.size === 0) return target;
  const depth = spec.shape.at(-1) as number;
  const width: 1 | 4 = depth % 4 === 0 ? 4 : 1;
  const channels = depth / width;
  const count = target.size / width;
  const perInvocation =
    direction === 'forward' ? channelsPerInvocation(profileOf(source.device), count, channels) : 1;
  const [from, to] = direction === 'forward' ? ['x', 'y'] : ['dy', 'dx'];
  source.device.launch(kernel, {
    options: { type: wgslType(source.dtype), width, perInvocation, method, direction },
    bindings: { [from]: source.storage, [to]: target.storage },
    params: {
      count,
      channels,
      x_height: rows.input,
      x_width: columns.input,
      y_height: rows.output,
      y_width: columns.output,
      row_scale: rows.scale,
      row_shift: rows.shift,
      row_unit: rows.unit,
      column_scale: columns.scale,
      column_shift: columns.shift,
      column_unit: columns.unit,
    },
    workgroups: Math.ceil(count / (perInvocation * resizeWorkgroup)),
  });
  return target;
}
