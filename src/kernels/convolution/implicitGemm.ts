/** @file Launches the three directions of a convolution as implicit GEMMs: the engine reads windows in place. */
import {
  convolution,
  type ConvolutionKernelOptions,
  convolutionParams,
  type Direction,
} from '../../../shaders/convolution.ts';
import type { Strides } from '../../../shaders/convolution/inputGrad.ts';
import { gemmDirectives, gemmParams, type OperandLayout } from '../../../shaders/gemm.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import type { DType } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { algorithmFor } from '../selection/algorithmFor.ts';
import type { Conv2dLauncher, Conv2dProblem } from './conv2dCall.ts';
import { gemmBindings, type GemmCall, launchGemm, widthOf } from '../gemm/gemm.ts';
import { gemmTunable } from '../gemm/gemmAlgorithm.ts';
import type { GemmProblem, GemmSize } from '../gemm/gemmProblem.ts';
import { joinsTaps } from './joinedTaps.ts';
import { output } from '../launch/output.ts';
import { windowValues } from '../images/windowValues.ts';

const defineDirection = (name: string, direction: Direction) =>
  defineKernel({
    name,
    bindings: (options: ConvolutionKernelOptions) => gemmBindings(options),
    params: { ...gemmParams, ...convolutionParams },
    directives: gemmDirectives,
    source: convolution(direction),
    stores: 'c_values',
  });

const kernels = {
  forward: /* @__PURE__ */ defineDirection('conv2d', 'forward'),
  inputGrad: /* @__PURE__ */ defineDirection('conv2dInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ defineDirection('conv2dFilterGrad', 'filterGrad'),
};

/** A direction as a GEMM: its size, and the layouts that the operands allow. */
interface GemmForm {
  size: GemmSize;
  a: OperandLayout;
  b: OperandLayout;
  outWidth: 1 | 4;
}

const forms: Record<Direction, (geometry: ConvolutionGeometry) => GemmForm> = {
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

function implicitGemmProblem(conv2d: Conv2dProblem): GemmProblem {
  const { size, a, b, outWidth } = forms[conv2d.direction](conv2d.geometry);
  const layoutOf = ({ major, width }: OperandLayout, dtype: DType): OperandLayout => ({
    major,
    width,
    float16: dtype === 'float16',
  });
  const [dtypeA, dtypeB] = conv2d.dtypes;
  return { dtype: 'float32', size, a: layoutOf(a, dtypeA), b: layoutOf(b, dtypeB), outWidth, conv2d };
}

export const implicitGemm: Conv2dLauncher = {
  launch({ op, problem: conv2d, a, b, spec, epilogue }) {
    const { device } = a;
    if (sizeOf(spec.shape) === 0) return output(device, spec, op);
    const problem = implicitGemmProblem(conv2d);
    const algorithm = algorithmFor(device, gemmTunable, problem);
    return launchImplicitGemm(conv2d, { op, a, b, spec, epilogue, problem, algorithm });
  },
};

/** In workgroup memory, which is GPUs', strides of two have a program of their own. */
function stridesOf({ rows, columns }: ConvolutionGeometry, { algorithm: { tile } }: GemmCall): Strides {
  if (rows.stride === 1 && columns.stride === 1) return 1;
  return tile.memory === 'shared' && rows.stride === 2 && columns.stride === 2 ? 2 : 'any';
}

/** Launches an implicit GEMM by a given algorithm. */
export function launchImplicitGemm({ direction, geometry }: Conv2dProblem, call: GemmCall): Tensor {
  const { rows, columns, inputs, outputs, groups } = geometry;
  const options = {
    strides: stridesOf(geometry, call),
    joined: direction === 'forward' && joinsTaps(geometry),
  };
  return launchGemm(kernels[direction], call, options, {
    in_h: rows.input,
    in_w: columns.input,
    in_c: inputs,
    out_h: rows.output,
    out_w: columns.output,
    out_c: outputs,
    ...windowValues(geometry),
    group_in: inputs / groups,
    group_out: outputs / groups,
  });
}
