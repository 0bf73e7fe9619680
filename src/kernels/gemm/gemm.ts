/** @file Launches an instance of the GEMM engine: allocates its result, launches its kernel, and adds up the parts of k. */
import {
  type GemmOptions,
  type gemmParams,
  type GemmTile,
  gemmWorkgroups,
  type OperandLayout,
} from '../../../shaders/gemm.ts';
import { wgslType } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Bindings, Kernel } from '../../webgpu/kernel.ts';
import type { ParamFields, ParamValues } from '../../webgpu/params.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { GemmAlgorithm } from './gemmAlgorithm.ts';
import { type GemmProblem, workOf } from './gemmProblem.ts';
import { biasBinding, biasStorage, type Epilogue, epilogueOptions } from '../launch/epilogue.ts';
import { output } from '../launch/output.ts';
import { addPartialSums, partialSpec } from './partialSums.ts';

/** Returns the bindings of an instance; element types depend on the widths. */
export function gemmBindings({ type, a, b, outWidth, bias }: GemmOptions): Bindings {
  const element = (width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
  const read = ({ width, float16 }: OperandLayout) => {
    if (float16) return `read ${width === 4 ? 'vec2<u32>' : 'u32'}`;
    return `read ${element(width)}`;
  };
  return {
    a_values: read(a),
    b_values: read(b),
    ...biasBinding({ bias }, type),
    c_values: `write ${element(outWidth)}`,
  } as Bindings;
}

/** Returns 4 if all `sizes` are multiples of 4, otherwise 1. */
export function widthOf(...sizes: number[]): 1 | 4 {
  return sizes.every((n) => n % 4 === 0) ? 4 : 1;
}

/** epilogue(A · B) as `spec`, to be computed for `op`. */
export interface GemmCall {
  readonly op: string;
  readonly a: Tensor;
  readonly b: Tensor;
  readonly spec: TensorSpec;
  readonly epilogue?: Epilogue;
  readonly problem: GemmProblem;
  readonly algorithm: GemmAlgorithm;
}

/** Launches `kernel`; `options` and `params` are those that it has besides the engine's. */
export function launchGemm<O extends GemmOptions, P extends ParamFields>(
  kernel: Kernel<O, Bindings, P>,
  call: GemmCall,
  options: Omit<O, keyof GemmOptions>,
  params: Omit<ParamValues<P>, keyof typeof gemmParams>,
): Tensor {
  const { op, a, b, spec, epilogue = {}, problem, algorithm } = call;
  const { size } = problem;
  const { fallback, split } = algorithm;
  const { device } = a;
  const out = output(device, split.parts > 1 ? partialSpec(spec, split.parts) : spec, op);
  // The engine's options and the instance's own are all that it has; so are the parameters. They are assigned to the engine's:
  // spreading both into another object took a third of a call.
  const all = Object.assign(engineOptions(call), options) as GemmOptions as O;
  const workgroups = (tile: GemmTile) => gemmWorkgroups(tile, size.m, size.n, size.slices * split.parts);
  device.launch(kernel, {
    options: all,
    workgroups: workgroups(algorithm.tile),
    fallback: fallback && { options: { ...all, tile: fallback }, workgroups: workgroups(fallback) },
    bindings: {
      a_values: a.storage,
      b_values: b.storage,
      c_values: out.storage,
      ...biasStorage(epilogue),
    },
    params: Object.assign(engineParams(call), params) as unknown as ParamValues<P>,
    multiplications: workOf(size),
  });
  return split.parts > 1 ? addPartialSums(op, out, spec, epilogue) : out;
}

function engineOptions({ algorithm, spec, epilogue = {} }: GemmCall): GemmOptions {
  const { tile, a, b, outWidth, flat, remainderFirst, split } = algorithm;
  const { bias, activation } = epilogueOptions(epilogue);
  return {
    tile,
    type: wgslType(spec.dtype),
    a,
    b,
    outWidth,
    flat,
    remainderFirst,
    bias,
    activation,
    split: split.parts > 1,
  };
}

function engineParams({ problem: { size }, algorithm: { split }, spec, epilogue }: GemmCall) {
  const { m, n, segments, length, slices } = size;
  return {
    m,
    n,
    segments,
    length,
    slices,
    splits: split.parts,
    segments_per_split: split.segmentsPerPart,
    steps_per_split: split.stepsPerPart,
    split_stride: sizeOf(spec.shape),
    alpha: epilogue?.alpha ?? 0,
  } satisfies ParamValues<typeof gemmParams>;
}
