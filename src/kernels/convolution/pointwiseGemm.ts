/** @file Launches 1 × 1 convolutions as matmuls: pixels are the rows of a matrix. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Conv2dLauncher } from './conv2dCall.ts';
import { type MatrixOperand, matMulKernel } from '../gemm/matMul.ts';

export const pointwiseGemm: Conv2dLauncher = {
  launch({ op, problem: { direction, geometry }, a, b, spec, epilogue }) {
    const { batch, rows, columns, inputs, outputs } = geometry;
    const pixels = batch * rows.input * columns.input;
    const sizes = {
      forward: { m: pixels, n: outputs, k: inputs },
      inputGrad: { m: pixels, n: inputs, k: outputs },
      filterGrad: { m: inputs, n: outputs, k: pixels },
    } as const;
    return matMulKernel({
      op,
      a: matrix(a, direction === 'filterGrad'),
      b: matrix(b, direction === 'inputGrad'),
      sizes: { ...sizes[direction], batch: [] },
      spec,
      epilogue,
    });
  },
};

const matrix = (values: Tensor, transposed: boolean): MatrixOperand => ({ values, batch: [], transposed });
