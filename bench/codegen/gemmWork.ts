/** @file Multiply-adds of a GEMM: those that its definition needs, and those that its tiles execute. */
import { gemmElements } from '../../shaders/gemm.ts';
import type { Conv2dProblem } from '../../src/kernels/convolution/conv2dCall.ts';
import { type GemmAlgorithm, gemmTunable } from '../../src/kernels/gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../../src/kernels/gemm/gemmProblem.ts';
import { profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import type { Autotuner } from '../../src/webgpu/autotuner.ts';
import type { Device } from '../../src/webgpu/device.ts';

export interface GemmWork {
  /** m × k × n, slices and the tile, in words. */
  readonly what: string;
  readonly useful: number;
  readonly executed: number;
  /** Bytes of A and B that workgroups copy to workgroup memory; 0 if they read them from storage. */
  readonly staged: number;
}

/** Watches the choices of `device`'s kernels without changing them. The result returns the choices since its last call. */
export function watchGemms(device: Device): () => GemmWork[] {
  let works: GemmWork[] = [];
  const watcher: Autotuner = {
    version: 0,
    measuring: null,
    choose(tunable, problem) {
      if (tunable.name !== gemmTunable.name) return null;
      // Tunables of one name have the same types.
      const gemm = problem as unknown as GemmProblem;
      works.push(workOf(gemm, gemmTunable.select(gemm, profileOf(device))));
      return null;
    },
  };
  device.autotuner = watcher;
  return () => {
    const taken = works;
    works = [];
    return taken;
  };
}

function workOf(problem: GemmProblem, algorithm: GemmAlgorithm): GemmWork {
  const { size, conv2d } = problem;
  const { tile, split } = algorithm;
  const { m, n, segments, length, slices } = size;
  const { groupM, groupN, groupK = 1 } = tile;
  const sharing = groupK > 1 ? `×${groupK}` : '';
  const lanes = tile.memory === 'registers' ? '' : ` × ${groupM}×${groupN}${sharing}`;
  const parts = split.parts > 1 ? `, k in ${split.parts}` : '';
  const executed = gemmElements(tile, m, n, 1) * stepsOf(problem, algorithm);
  const isStaged = tile.memory === 'shared' || tile.memory === 'subgroupMatrix';
  const perFma = 1 / (tile.groupM * tile.blockM) + 1 / (tile.groupN * tile.blockN);
  return {
    what: `${slices > 1 ? `${slices}× ` : ''}${m}×${segments * length}×${n}: ${tile.memory} ${tile.blockM}×${tile.blockN}${lanes}${parts}`,
    useful: conv2d ? convolutionFmas(conv2d) : m * n * segments * length * slices,
    executed,
    staged: isStaged ? 4 * executed * perFma : 0,
  };
}

function convolutionFmas({ geometry }: Conv2dProblem): number {
  const { batch, rows, columns, inputs, outputs, groups } = geometry;
  return (batch * rows.output * columns.output * rows.window * columns.window * inputs * outputs) / groups;
}

/** k steps of all slices, including those that pad the last k tile of a segment or part. */
function stepsOf({ size, conv2d }: GemmProblem, { tile, flat, split }: GemmAlgorithm): number {
  const { segments, length, slices } = size;
  const rounded = (steps: number) => Math.ceil(steps / tile.depth) * tile.depth;
  // Each tap of a strided convolution reaches one class of pixels, and classes are slices.
  const isStrided = conv2d?.direction === 'inputGrad' && slices > conv2d.geometry.groups;
  const reached = isStrided ? conv2d.geometry.groups : slices;
  if (flat || segments === 1) {
    const all = segments * length;
    const whole = Math.floor(all / split.stepsPerPart);
    const rest = all - whole * split.stepsPerPart;
    return reached * (whole * rounded(split.stepsPerPart) + rounded(rest));
  }
  return reached * segments * rounded(length);
}
