/**
 * @file Launches convolutions whose result has too few channels for the columns of a GEMM as GEMM + col2im: one GEMM
 * multiplies each pixel by all taps and channels of the kernel, and a second launch sums the products of each result.
 */
import { col2im, type Col2imOptions, col2imParams, col2imWorkgroup } from '../../../shaders/col2im.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Device } from '../../webgpu/device.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { type Conv2dCall, type Conv2dLauncher, type Conv2dProblem, widened } from './conv2dCall.ts';
import { copyInto } from '../copies/copy.ts';
import { biasBinding, biasStorage, epilogueOptions } from '../launch/epilogue.ts';
import { upTo } from '../launch/rounding.ts';
import { matMulKernel } from '../gemm/matMul.ts';
import { output } from '../launch/output.ts';
import { windowValues } from '../images/windowValues.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'col2im',
  bindings: (options: Col2imOptions): Bindings => ({
    columns: 'read f32',
    ...(options.multiplies ? { weights: 'read f32' } : {}),
    ...biasBinding(options, 'f32'),
    result: 'write f32',
  }),
  params: col2imParams,
  source: col2im,
});

const float32 = (shape: number[]): TensorSpec => ({ shape, dtype: 'float32' });

/** For a convolution without groups and strides, or the gradient of the image of one without groups. */
export const gemmCol2im: Conv2dLauncher = {
  launch(given) {
    const call = widened(given);
    const { op, a: image, b: weights } = call;
    const { device } = image;
    const { m, k, matrix, strides } = gemmForm(call.problem);
    if (k === 1 && profileOf(device).conv2d.multipliesTaps) return addTaps(call, image, weights);
    // Whole vectors. Values of the last one beyond the last tap are never read.
    const n = upTo(4, matrix[1] * matrix[2]);
    const kernelMatrix = output(device, float32([k, n]), op);
    const to = { offset: 0, strides: [n, matrix[2], 1] };
    copyInto(weights, { offset: 0, strides }, kernelMatrix, to, matrix);
    const columnMatrix = matMulKernel({
      op,
      a: { values: image, batch: [], transposed: false },
      b: { values: kernelMatrix, batch: [], transposed: false },
      sizes: { m, n, k, batch: [] },
      spec: float32([m, n]),
    });
    kernelMatrix.dispose();
    const result = addTaps(call, columnMatrix);
    columnMatrix.dispose();
    return result;
  },
};

/** Returns the kernel as a matrix [channels summed over, taps, channels of the result], with its strides. */
function gemmForm({ direction, geometry }: Conv2dProblem): {
  m: number;
  k: number;
  matrix: [inputs: number, taps: number, channels: number];
  strides: number[];
} {
  const { batch, rows, columns, inputs, outputs } = geometry;
  const taps = rows.window * columns.window;
  return direction === 'forward'
    ? {
        m: batch * rows.input * columns.input,
        k: inputs,
        matrix: [inputs, taps, outputs],
        strides: [outputs, inputs * outputs, 1],
      }
    : {
        m: batch * rows.output * columns.output,
        k: outputs,
        matrix: [outputs, taps, inputs],
        strides: [1, inputs * outputs, outputs],
      };
}

/** Adds up, for each result, the columns of its taps; with `weights`, the products of the only channel of an image with them. */
function addTaps(
  { op, problem, spec, epilogue }: Conv2dCall,
  columnMatrix: Tensor,
  weights?: Tensor,
): Tensor {
  const { rows, columns } = problem.geometry;
  const isForward = problem.direction === 'forward';
  const direction: Col2imOptions['direction'] = isForward ? 'forward' : 'inputGrad';
  const out = output(columnMatrix.device, spec, op);
  const [, height, width, channels] = spec.shape as [number, number, number, number];
  const stepOf = ({ stride, dilation }: WindowAxis) => (isForward || dilation > 1 ? 1 : stride);
  const strided = rows.stride > 1 || columns.stride > 1;
  const pixels = isForward || !strided ? pixelsFor(columnMatrix.device, width, channels) : 1;
  const groups = Math.ceil(width / pixels);
  const count = (out.size / channels / width) * groups;
  columnMatrix.device.launch(kernel, {
    options: {
      channels,
      direction,
      strided,
      pixels,
      multiplies: weights !== undefined,
      ...epilogueOptions(epilogue),
    },
    bindings: {
      columns: columnMatrix.storage,
      ...(weights ? { weights: weights.storage } : {}),
      ...biasStorage(epilogue),
      result: out.storage,
    },
    params: {
      count,
      groups,
      columns_per_pixel: columnMatrix.shape.at(-1) as number,
      height,
      width,
      from_h: isForward ? rows.input : rows.output,
      from_w: isForward ? columns.input : columns.output,
      ...windowValues(problem.geometry),
      step_h: stepOf(rows),
      step_w: stepOf(columns),
      alpha: epilogue.alpha ?? 0,
    },
    workgroups: Math.ceil(count / col2imWorkgroup),
  });
  return out;
}

/** Pixels of an invocation: several on software adapters, which pay for each iteration over the taps. */
function pixelsFor(device: Device, width: number, channels: number): 1 | 4 | 8 {
  if (profileOf(device).strided.elementsPerInvocation === 1) return 1;
  const most = channels === 1 ? 8 : channels <= 3 ? 4 : 1;
  return ([8, 4] as const).find((pixels) => pixels <= Math.min(most, width)) ?? 1;
}
