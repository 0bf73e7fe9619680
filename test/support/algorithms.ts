/** @file Forces the algorithms that kernels would otherwise select: an autotuner that always gives the same answer. */
import type { GemmTile } from '../../shaders/gemm.ts';
import type { Autotuner, Tunable } from '../../src/webgpu/autotuner.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { isFloating } from '../../src/core/dtype.ts';
import { profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import {
  allowsCol2im,
  allowsWinograd,
  type Conv2dAlgorithm,
  conv2dTunable,
} from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { blockAlgorithm } from '../../src/kernels/convolution/convolutionBlocks.ts';
import { fewChannelsAlgorithm } from '../../src/kernels/convolution/fewChannels.ts';
import { gemmTunable, onTile } from '../../src/kernels/gemm/gemmAlgorithm.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';

await Promise.all([loadKernelsFor('discrete'), loadKernelsFor('software')]);

/** An algorithm for a problem; null leaves the choice to the kernels. */
type Answer<P extends object, A> = (problem: P) => A | null;

/** Runs `body` with `answer` instead of the kernels' own selection among the algorithms of `tunable`. */
function withAnswer<P extends object, A, T>(tunable: Tunable<P, A>, answer: Answer<P, A>, body: () => T): T {
  const device = getDevice();
  const before = device.autotuner;
  const forced: Autotuner = {
    version: before?.version ?? 0,
    measuring: null,
    choose: (asked, problem, profile) =>
      // Tunables of one name have the same types.
      asked.name === tunable.name
        ? (answer(problem as never) as never)
        : (before?.choose(asked, problem, profile) ?? null),
  };
  device.autotuner = forced;
  try {
    return body();
  } finally {
    device.autotuner = before;
  }
}

/** Algorithms to force. Their shapes are those of the device's profile. */
export type ForcedConv2d =
  | Exclude<Conv2dAlgorithm, { shape: unknown }>
  | { readonly kind: 'blocks' | 'direct' | 'patches' };

/** Computes every convolution with `algorithm` if possible, and all others as implicit GEMMs. Pointwise ones stay a matmul. */
export function withConv2dAlgorithm<T>(algorithm: ForcedConv2d, body: () => T): T {
  return withAnswer(
    conv2dTunable,
    (problem) => {
      const { batch, rows, columns, inputs, outputs } = problem.geometry;
      if (conv2dTunable.select(problem, profileOf(getDevice())).kind === 'gemm') return null;
      const isEmpty = [batch, rows.output, columns.output, inputs, outputs].includes(0);
      const implicitGemm = { kind: 'implicitGemm' } as const;
      if (isEmpty) return implicitGemm;
      if (algorithm.kind === 'direct' || algorithm.kind === 'patches') {
        const direct = fewChannelsAlgorithm(problem, profileOf(getDevice()));
        return direct?.kind === algorithm.kind ? direct : implicitGemm;
      }
      if (algorithm.kind === 'blocks') return blockAlgorithm(problem) ?? implicitGemm;
      const allowed =
        (algorithm.kind === 'gemmCol2im' && allowsCol2im(problem)) ||
        (algorithm.kind === 'winograd' && allowsWinograd(problem));
      return allowed ? algorithm : implicitGemm;
    },
    body,
  );
}

/** Computes every GEMM of floats with `tile`, from its first call on. */
export function withGemmTile<T>(tile: GemmTile, body: () => T): T {
  return withAnswer(
    gemmTunable,
    (problem) =>
      isFloating(problem.dtype) ? { ...onTile(tile, problem, profileOf(getDevice())), fallback: null } : null,
    body,
  );
}
