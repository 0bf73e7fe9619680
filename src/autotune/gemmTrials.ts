/** @file Trials of the tiles of a GEMM: of a matmul, or of a convolution that is computed as one. */
import type { OperandLayout } from '../../shaders/gemm.ts';
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import type { Device } from '../webgpu/device.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { conv2dOperands, conv2dResult, type Conv2dProblem } from '../kernels/convolution/conv2dProblem.ts';
import type { GemmAlgorithm } from '../kernels/gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../kernels/gemm/gemmProblem.ts';
import { gemmAlgorithms } from '../kernels/gemm/gemmAlgorithms.ts';
import { kernels } from '../kernels/loading/loadKernels.ts';
import { output } from '../kernels/launch/output.ts';
import { sizeClass, type Trials } from './tuningTask.ts';

const layoutText = ({ major, width, float16 }: OperandLayout) => `${major}${width}${float16 ? 'h' : ''}`;

const names = { forward: 'conv2d', inputGrad: 'conv2dInputGrad', filterGrad: 'conv2dFilterGrad' };

const nameOf = ({ conv2d }: GemmProblem) => (conv2d ? names[conv2d.direction] : 'matMul');

export const gemmTrials: Trials<GemmProblem, GemmAlgorithm> = {
  algorithms: gemmAlgorithms,

  key(problem) {
    const { dtype, size, a, b, outWidth } = problem;
    const { m, n, segments, length, slices } = size;
    const sizes = [m, n, length, segments, slices].map(sizeClass).join(' ');
    return `${nameOf(problem)} ${dtype} ${sizes} ${layoutText(a)} ${layoutText(b)} ${outWidth}`;
  },

  describe(problem) {
    const { m, n, segments, length, slices } = problem.size;
    const k = segments > 1 ? `${segments} · ${length}` : `${length}`;
    return `tile of ${nameOf(problem)}, ${slices > 1 ? `${slices} times ` : ''}${m} × ${n}, k ${k}`;
  },

  launch(device, problem, algorithm) {
    if (problem.conv2d) launchConv2d(device, problem.conv2d, problem, algorithm);
    else launchMatMul(device, problem, algorithm);
  },
};

function launchConv2d(
  device: Device,
  conv2d: Conv2dProblem,
  problem: GemmProblem,
  algorithm: GemmAlgorithm,
): void {
  const op = 'tune';
  const [a, b] = conv2dOperands(conv2d).map((spec) => output(device, spec, op)) as [Tensor, Tensor];
  kernels().launchImplicitGemm(conv2d, { op, a, b, spec: conv2dResult(conv2d), problem, algorithm });
}

function launchMatMul(device: Device, problem: GemmProblem, algorithm: GemmAlgorithm): void {
  const { dtype, size, a, b } = problem;
  const { m, n, length: k, slices } = size;
  const batch = slices > 1 ? [slices] : [];
  const matrices = (shape: Shape, { float16 }: OperandLayout, transposed: boolean) => {
    const stored: DType = float16 ? 'float16' : dtype;
    return {
      values: output(device, { shape: [...batch, ...shape], dtype: stored }, 'tune'),
      batch,
      transposed,
    };
  };
  const call = {
    op: 'tune',
    a: matrices([m, k], a, a.major === 'mn'),
    b: matrices([k, n], b, b.major === 'k'),
    sizes: { m, n, k, batch },
    spec: { shape: [...batch, m, n], dtype },
  };
  kernels().launchMatMul(call, problem, algorithm);
}
