/**
 * @file Launches the three directions of a depthwise convolution: result by result on GPUs, where threads are many and
 * neighbours share a cache; on CPU adapters in strips or blocks, which read what they share once.
 */
import {
  depthwise,
  type DepthwiseDirection,
  depthwiseOperands,
  type DepthwiseOptions,
  depthwiseParams,
  depthwiseWorkgroup,
} from '../../shaders/depthwise.ts';
import type { WindowAxis } from '../core/windows.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { depthwiseFilterGradInBlocks, launchDepthwiseBlocks } from './depthwiseBlocks.ts';
import {
  depthwiseFilterGradInStrips,
  depthwiseInputGradInStrips,
  depthwiseInStrips,
  usesStrips,
} from './depthwiseStrips.ts';
import { addPartialSums } from './gemm.ts';
import { bindsAsVectors, output } from './output.ts';

export interface DepthwiseGeometry {
  readonly batch: number;
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
  readonly channels: number;
  /** Result channels for each image channel. */
  readonly multiplier: number;
}

const define = (name: string, direction: DepthwiseDirection) =>
  defineKernel({
    name,
    bindings: ({ width }: DepthwiseOptions): Bindings => {
      const element = width === 4 ? 'vec4<f32>' : 'f32';
      const [a, b] = depthwiseOperands[direction];
      return { [a]: `read ${element}`, [b]: `read ${element}`, out: `write ${element}` };
    },
    params: depthwiseParams,
    source: depthwise(direction),
  });

const kernels = {
  forward: /* @__PURE__ */ define('depthwiseConv2d', 'forward'),
  inputGrad: /* @__PURE__ */ define('depthwiseConv2dInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ define('depthwiseConv2dFilterGrad', 'filterGrad'),
};

/** Invocations that fill a device; a filter gradient is cut into parts until there are as many. */
const wantedInvocations = 16384;

function launch(
  op: string,
  direction: DepthwiseDirection,
  { batch, rows, columns, channels, multiplier }: DepthwiseGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  rowsPerPart = 1,
): Tensor {
  const { device } = a;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const vectors = multiplier === 1 && channels % 4 === 0 && [a, b, out].every(bindsAsVectors);
  const width: 1 | 4 = vectors ? 4 : 1;
  const [first, second] = depthwiseOperands[direction];
  const count = out.size / width;
  device.launch(kernels[direction], {
    options: { width },
    bindings: { [first]: a.storage, [second]: b.storage, out: out.storage },
    params: {
      count,
      in_h: rows.input,
      in_w: columns.input,
      in_c: channels / width,
      out_h: rows.output,
      out_w: columns.output,
      out_c: (channels * multiplier) / width,
      multiplier,
      kernel_h: rows.window,
      kernel_w: columns.window,
      stride_h: rows.stride,
      stride_w: columns.stride,
      dilation_h: rows.dilation,
      dilation_w: columns.dilation,
      pad_h: rows.before,
      pad_w: columns.before,
      rows: batch * rows.output,
      rows_per_part: rowsPerPart,
    },
    workgroups: Math.ceil(count / depthwiseWorkgroup),
  });
  return out;
}

const onCpu = ({ device }: Tensor) => device.adapter.class === 'cpu';

export function depthwiseKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(x.device.adapter.class, geometry)) return depthwiseInStrips(op, geometry, x, kernel, spec);
  return onCpu(x)
    ? launchDepthwiseBlocks(op, 'forward', geometry, x, kernel, spec)
    : launch(op, 'forward', geometry, x, kernel, spec);
}

export function depthwiseInputGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  dy: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(dy.device.adapter.class, geometry))
    return depthwiseInputGradInStrips(op, geometry, dy, kernel, spec);
  return onCpu(dy)
    ? launchDepthwiseBlocks(op, 'inputGrad', geometry, dy, kernel, spec)
    : launch(op, 'inputGrad', geometry, dy, kernel, spec);
}

/** Each part covers some rows of the images; the parts are added in order, so that the bits are the same every time. */
export function depthwiseFilterGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(x.device.adapter.class, geometry))
    return depthwiseFilterGradInStrips(op, geometry, x, dy, spec);
  if (onCpu(x)) return depthwiseFilterGradInBlocks(op, geometry, x, dy, spec);
  const rows = geometry.batch * geometry.rows.output;
  const size = Math.max(1, sizeOf(spec.shape));
  const wanted = Math.max(1, Math.min(rows, Math.ceil(wantedInvocations / size)));
  const rowsPerPart = Math.max(1, Math.ceil(rows / wanted));
  const parts = Math.max(1, Math.ceil(rows / rowsPerPart));
  if (parts === 1) return launch(op, 'filterGrad', geometry, x, dy, spec, rowsPerPart);
  const cut = { shape: [parts, size], dtype: spec.dtype };
  return addPartialSums(op, launch(op, 'filterGrad', geometry, x, dy, cut, rowsPerPart), spec, {});
}
