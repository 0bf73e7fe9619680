/** @file A GEMM to compute: its size, its operands, and how its k axis may be split. */
import type { OperandLayout } from '../../../shaders/gemm.ts';
import type { DType } from '../../core/dtype.ts';
import type { Conv2dProblem } from '../convolution/conv2dCall.ts';

/** The size of a GEMM: `slices` times m × n, over k = segments · length. */
export interface GemmSize {
  m: number;
  n: number;
  segments: number;
  length: number;
  slices: number;
}

/** How k is split. `parts` is 1 if it isn't. */
export interface Split {
  readonly parts: number;
  readonly segmentsPerPart: number;
  readonly stepsPerPart: number;
}

export function whole({ segments, length }: GemmSize): Split {
  return { parts: 1, segmentsPerPart: segments, stepsPerPart: length };
}

/** The layouts and `outWidth` are the widest that the operands allow. */
export interface GemmProblem {
  readonly dtype: DType;
  readonly size: GemmSize;
  readonly a: OperandLayout;
  readonly b: OperandLayout;
  readonly outWidth: 1 | 4;
  /** The convolution that is computed as an implicit GEMM; null for a matmul. */
  readonly conv2d: Conv2dProblem | null;
}

/** Returns the number of multiplications of a GEMM. */
export function workOf({ m, n, segments, length, slices }: GemmSize): number {
  return m * n * segments * length * slices;
}
