/**
 * @file Convolutions whose result has few channels, too few for the columns of a product. What each pixel adds to the
 * results is one: its columns are the taps and channels of the kernel. A second launch gathers the results from there.
 */
import { fold, type FoldOptions, foldParams, foldWorkgroup } from '../../shaders/fold.ts';
import { type ConvolutionGeometry, imageShape, resultShape } from '../core/convolution.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { WindowAxis } from '../core/windows.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { copyInto } from './copy.ts';
import { matMulKernel } from './matMul.ts';
import { output } from './output.ts';
import type { Epilogue } from './partialSums.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'fold',
  bindings: ({ bias }: FoldOptions): Bindings => ({
    products: 'read f32',
    ...(bias ? { bias_values: 'read f32' as const } : {}),
    result: 'write f32',
  }),
  params: foldParams,
  source: fold,
});

const float32 = (shape: number[]): TensorSpec => ({ shape, dtype: 'float32' });

/** Bytes of the products of a folded convolution. */
export function foldedBytes(direction: 'forward' | 'inputGrad', geometry: ConvolutionGeometry): number {
  const { batch, rows, columns, inputs, outputs } = geometry;
  const taps = rows.window * columns.window;
  return direction === 'forward'
    ? 4 * batch * rows.input * columns.input * taps * outputs
    : 4 * batch * rows.output * columns.output * taps * inputs;
}

function gatherResult(
  op: string,
  direction: 'forward' | 'inputGrad',
  { rows, columns }: ConvolutionGeometry,
  products: Tensor,
  spec: TensorSpec,
  { bias = null, activation = 'value', alpha = 0 }: Epilogue,
): Tensor {
  const out = output(products.device, spec, op);
  const [, height, width, channels] = spec.shape as [number, number, number, number];
  const isForward = direction === 'forward';
  const stepOf = ({ stride, dilation }: WindowAxis) => (isForward || dilation > 1 ? 1 : stride);
  products.device.launch(kernel, {
    options: {
      channels,
      direction,
      strided: rows.stride > 1 || columns.stride > 1,
      bias: bias !== null,
      activation,
    },
    bindings: {
      products: products.storage,
      ...(bias ? { bias_values: bias.storage } : {}),
      result: out.storage,
    },
    params: {
      count: out.size / channels,
      products_of_pixel: products.shape[1] as number,
      height,
      width,
      from_h: isForward ? rows.input : rows.output,
      from_w: isForward ? columns.input : columns.output,
      kernel_h: rows.window,
      kernel_w: columns.window,
      stride_h: rows.stride,
      stride_w: columns.stride,
      dilation_h: rows.dilation,
      dilation_w: columns.dilation,
      pad_h: rows.before,
      pad_w: columns.before,
      step_h: stepOf(rows),
      step_w: stepOf(columns),
      alpha,
    },
    workgroups: Math.ceil(out.size / channels / foldWorkgroup),
  });
  products.dispose();
  return out;
}

/**
 * Multiplies every pixel of `image` by all taps of a kernel and gathers the results. `strides` say how far apart the
 * inputs, taps and channels of the result lie in the kernel.
 */
function multiplyAndGather(
  op: string,
  direction: 'forward' | 'inputGrad',
  geometry: ConvolutionGeometry,
  image: Tensor,
  weights: Tensor,
  [inputs, taps, channels]: readonly [number, number, number],
  strides: number[],
  spec: TensorSpec,
  epilogue: Epilogue,
): Tensor {
  const { device } = image;
  // In whole vectors. What the last of them computes beyond the last tap is never read.
  const n = Math.ceil((taps * channels) / 4) * 4;
  const matrix = output(device, float32([inputs, n]), op);
  copyInto(weights, { offset: 0, strides }, matrix, { offset: 0, strides: [n, channels, 1] }, [
    inputs,
    taps,
    channels,
  ]);
  const product = { m: image.size / inputs, n, k: inputs, batch: [] };
  const products = matMulKernel(
    op,
    { values: image, batch: [], transposed: false },
    { values: matrix, batch: [], transposed: false },
    product,
    float32([product.m, n]),
  );
  matrix.dispose();
  return gatherResult(op, direction, geometry, products, spec, epilogue);
}

/** For a convolution without groups and strides. */
export function foldedForward(
  op: string,
  geometry: ConvolutionGeometry,
  x: Tensor,
  weights: Tensor,
  epilogue: Epilogue,
): Tensor {
  const { rows, columns, inputs, outputs } = geometry;
  return multiplyAndGather(
    op,
    'forward',
    geometry,
    x,
    weights,
    [inputs, rows.window * columns.window, outputs],
    [outputs, inputs * outputs, 1],
    float32(resultShape(geometry)),
    epilogue,
  );
}

/** For a convolution without groups. */
export function foldedInputGrad(
  op: string,
  geometry: ConvolutionGeometry,
  dy: Tensor,
  weights: Tensor,
  epilogue: Epilogue,
): Tensor {
  const { rows, columns, inputs, outputs } = geometry;
  return multiplyAndGather(
    op,
    'inputGrad',
    geometry,
    dy,
    weights,
    [outputs, rows.window * columns.window, inputs],
    [1, inputs * outputs, outputs],
    float32(imageShape(geometry)),
    epilogue,
  );
}
