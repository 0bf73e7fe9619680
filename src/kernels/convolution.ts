/**
 * @file Launches the three directions of a 2D convolution. A kernel of one tap over every pixel is a plain product of
 * matrices and goes there.
 */
import {
  convolution,
  type ConvolutionKernelOptions,
  convolutionParams,
  type Direction,
} from '../../shaders/convolution.ts';
import { gemmDirectives, gemmParams, type OperandLayout } from '../../shaders/gemm.ts';
import { type ConvolutionGeometry, imageShape, kernelShape, resultShape } from '../core/convolution.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { gemmBindings, gemmParamValues, gemmPrograms, type GemmSize, widthOf, withGemmPlan } from './gemm.ts';
import { withVariant } from './convolutionVariant.ts';
import { foldedForward, foldedInputGrad } from './fold.ts';
import { unpackFloat16 } from './float16.ts';
import { matMulKernel } from './matMul.ts';
import { output } from './output.ts';
import { addPartialSums, type Epilogue, partialSums } from './partialSums.ts';
import { winogradFilterGrad, winogradForward, winogradInputGrad } from './winograd.ts';

const defineDirection = (name: string, direction: Direction) =>
  defineKernel({
    name,
    bindings: ({ type, a, b, outWidth, bias }: ConvolutionKernelOptions): Bindings =>
      gemmBindings(type, a, b, outWidth, bias),
    params: { ...gemmParams, ...convolutionParams },
    directives: gemmDirectives,
    source: convolution(direction),
  });

const kernels = {
  forward: /* @__PURE__ */ defineDirection('conv2d', 'forward'),
  inputGrad: /* @__PURE__ */ defineDirection('conv2dInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ defineDirection('conv2dFilterGrad', 'filterGrad'),
};

/** A direction's product: its sizes, and how its operands lie. */
interface Plan {
  size: GemmSize;
  a: OperandLayout;
  b: OperandLayout;
  outWidth: 1 | 4;
}

/** Channels of which a tap alone is too short a segment. */
const fewChannels = 8;

/** Whether a forward convolution takes a row of its kernel as one segment. */
function joinsTaps({ columns, inputs, groups }: ConvolutionGeometry): boolean {
  return groups === 1 && columns.dilation === 1 && columns.window > 1 && inputs <= fewChannels;
}

const plans: Record<Direction, (geometry: ConvolutionGeometry) => Plan> = {
  forward: (geometry) => {
    const { batch, rows, columns, inputs, outputs, groups } = geometry;
    const width = widthOf(outputs, outputs / groups);
    const joined = joinsTaps(geometry);
    return {
      size: {
        m: batch * rows.output * columns.output,
        n: outputs / groups,
        segments: rows.window * (joined ? 1 : columns.window),
        length: (inputs / groups) * (joined ? columns.window : 1),
        slices: groups,
      },
      a: { major: 'k', width: widthOf(inputs, inputs / groups) },
      b: { major: 'mn', width },
      outWidth: width,
    };
  },
  inputGrad: ({ batch, rows, columns, inputs, outputs, groups }) => {
    const width = widthOf(outputs, outputs / groups);
    const classSize = Math.ceil(rows.input / rows.stride) * Math.ceil(columns.input / columns.stride);
    return {
      size: {
        m: batch * classSize,
        n: inputs / groups,
        segments: rows.window * columns.window,
        length: outputs / groups,
        slices: groups * rows.stride * columns.stride,
      },
      a: { major: 'k', width },
      b: { major: 'k', width },
      outWidth: widthOf(inputs, inputs / groups),
    };
  },
  filterGrad: ({ batch, rows, columns, inputs, outputs, groups }) => {
    const width = widthOf(outputs, outputs / groups);
    return {
      size: {
        m: rows.window * columns.window * (inputs / groups),
        n: outputs / groups,
        segments: batch * rows.output,
        length: columns.output,
        slices: groups,
      },
      a: { major: 'mn', width: widthOf(inputs, inputs / groups) },
      b: { major: 'mn', width },
      outWidth: width,
    };
  },
};

function launch(
  op: string,
  direction: Direction,
  geometry: ConvolutionGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  epilogue: Epilogue = {},
): Tensor {
  const { device } = a;
  if (sizeOf(spec.shape) === 0) return output(device, spec, op);
  const { rows, columns, inputs, outputs, groups } = geometry;
  const { bias = null, activation = 'value', alpha = 0 } = epilogue;
  const product = plans[direction](geometry);
  const { size } = product;
  const layoutOf = (x: Tensor, layout: OperandLayout) => ({ ...layout, half: x.dtype === 'float16' });
  const facts = {
    of: kernels[direction].name,
    dtype: spec.dtype,
    ...product,
    a: layoutOf(a, product.a),
    b: layoutOf(b, product.b),
  };
  return withGemmPlan(device, facts, (plan) => {
    const { tile, split, ...layouts } = plan;
    const isSplit = split.parts > 1;
    const out = isSplit ? partialSums(device, spec, split.parts, op) : output(device, spec, op);
    device.launch(kernels[direction], {
      ...gemmPrograms(device, plan, size, {
        tile,
        type: 'f32',
        ...layouts,
        bias: bias !== null,
        activation,
        split: isSplit,
        strided: rows.stride > 1 || columns.stride > 1,
        joined: direction === 'forward' && joinsTaps(geometry),
      }),
      bindings: {
        a_values: a.storage,
        b_values: b.storage,
        c_values: out.storage,
        ...(bias ? { bias_values: bias.storage } : {}),
      },
      params: {
        ...gemmParamValues(size, split, alpha, sizeOf(spec.shape)),
        in_h: rows.input,
        in_w: columns.input,
        in_c: inputs,
        out_h: rows.output,
        out_w: columns.output,
        out_c: outputs,
        kernel_w: columns.window,
        stride_h: rows.stride,
        stride_w: columns.stride,
        dilation_h: rows.dilation,
        dilation_w: columns.dilation,
        pad_h: rows.before,
        pad_w: columns.before,
        group_in: inputs / groups,
        group_out: outputs / groups,
      },
    });
    return isSplit ? addPartialSums(op, out, spec, { bias, activation, alpha }) : out;
  });
}

/** Whether every pixel is one window of its own, so that the convolution is a product of matrices. */
function isPointwise({ rows, columns, groups }: ConvolutionGeometry): boolean {
  return (
    groups === 1 &&
    [rows, columns].every(
      (axis) => axis.window === 1 && axis.stride === 1 && axis.input === axis.output && axis.before === 0,
    )
  );
}

/** As ways that transform their operands want them. */
const widened = (op: string, x: Tensor) => (x.dtype === 'float16' ? unpackFloat16(op, x) : x);

const matrix = (values: Tensor, transposed = false) => ({ values, batch: [], transposed });

/** The convolution of image `x` with `kernel`. */
export function conv2dKernel(
  op: string,
  geometry: ConvolutionGeometry,
  x: Tensor,
  kernel: Tensor,
  epilogue: Epilogue = {},
): Tensor {
  const spec: TensorSpec = { shape: resultShape(geometry), dtype: 'float32' };
  if (isPointwise(geometry)) {
    const { batch, rows, columns, inputs, outputs } = geometry;
    const product = { m: batch * rows.input * columns.input, n: outputs, k: inputs, batch: [] };
    return matMulKernel(op, matrix(x), matrix(kernel), product, spec, epilogue);
  }
  return withVariant(x.device, 'forward', geometry, (variant) => {
    if (variant === 'implicit') return launch(op, 'forward', geometry, x, kernel, spec, epilogue);
    const [image, weights] = [widened(op, x), widened(op, kernel)];
    if (variant === 'folded') return foldedForward(op, geometry, image, weights, epilogue);
    return winogradForward(op, variant, geometry, image, weights, epilogue);
  });
}

/** The gradient for the image, from the cotangent `dy` of the result. */
export function conv2dInputGradKernel(
  op: string,
  geometry: ConvolutionGeometry,
  dy: Tensor,
  kernel: Tensor,
  epilogue: Epilogue = {},
): Tensor {
  const spec: TensorSpec = { shape: imageShape(geometry), dtype: 'float32' };
  if (isPointwise(geometry)) {
    const { batch, rows, columns, inputs, outputs } = geometry;
    const product = { m: batch * rows.input * columns.input, n: inputs, k: outputs, batch: [] };
    return matMulKernel(op, matrix(dy), matrix(kernel, true), product, spec, epilogue);
  }
  return withVariant(dy.device, 'inputGrad', geometry, (variant) => {
    if (variant === 'implicit') return launch(op, 'inputGrad', geometry, dy, kernel, spec, epilogue);
    const weights = widened(op, kernel);
    if (variant === 'folded') return foldedInputGrad(op, geometry, dy, weights, epilogue);
    return winogradInputGrad(op, variant, geometry, dy, weights, epilogue);
  });
}

/** The gradient for the kernel. */
export function conv2dFilterGradKernel(
  op: string,
  geometry: ConvolutionGeometry,
  x: Tensor,
  dy: Tensor,
): Tensor {
  const spec: TensorSpec = { shape: kernelShape(geometry), dtype: 'float32' };
  if (isPointwise(geometry)) {
    const { batch, rows, columns, inputs, outputs } = geometry;
    const product = { m: inputs, n: outputs, k: batch * rows.input * columns.input, batch: [] };
    return matMulKernel(op, matrix(x, true), matrix(dy), product, spec);
  }
  return withVariant(x.device, 'filterGrad', geometry, (variant) => {
    if (typeof variant === 'number') return winogradFilterGrad(op, variant, geometry, widened(op, x), dy);
    return launch(op, 'filterGrad', geometry, x, dy, spec);
  });
}
