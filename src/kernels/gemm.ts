/** @file Common code of launches of the GEMM engine: bindings, options, parameters, and the sum of the parts of k. */
import { type GemmOptions, type GemmTile, gemmWorkgroups, type OperandLayout } from '../../shaders/gemm.ts';
import { wgslType } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Device } from '../webgpu/device.ts';
import type { Bindings } from '../webgpu/kernel.ts';
import type { Launch } from '../webgpu/launch.ts';
import type { ParamFields } from '../webgpu/params.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type GemmAlgorithm, type GemmProblem, workOf } from './gemmAlgorithm.ts';
import { output } from './output.ts';
import { addPartialSums, type Epilogue, partialSpec } from './partialSums.ts';

/** The bindings of an instance; element types depend on the widths. */
export function gemmBindings({ type, a, b, outWidth, bias }: GemmOptions): Bindings {
  const element = (width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
  const read = ({ width, float16 }: OperandLayout) => {
    if (float16) return `read ${width === 4 ? 'vec2<u32>' : 'u32'}`;
    return `read ${element(width)}`;
  };
  return {
    a_values: read(a),
    b_values: read(b),
    ...(bias ? { bias_values: `read ${type}` } : {}),
    c_values: `write ${element(outWidth)}`,
  } as Bindings;
}

/** 4 if all `sizes` are multiples of 4, otherwise 1. */
export function widthOf(...sizes: number[]): 1 | 4 {
  return sizes.every((n) => n % 4 === 0) ? 4 : 1;
}

/** What is to be computed from A and B: epilogue(A · B) as `spec`. */
export interface GemmCall {
  readonly op: string;
  readonly problem: GemmProblem;
  readonly algorithm: GemmAlgorithm;
  readonly spec: TensorSpec;
  readonly epilogue: Epilogue;
}

/** A tensor for the kernel to write: the result, or the sums of the parts of k. */
export function gemmOutput(device: Device, { op, algorithm: { split }, spec }: GemmCall): Tensor {
  return output(device, split.parts > 1 ? partialSpec(spec, split.parts) : spec, op);
}

export function gemmOptions({ algorithm, spec, epilogue }: GemmCall): GemmOptions {
  const { tile, a, b, outWidth, flat, remainderFirst, split } = algorithm;
  const { bias = null, activation = 'value' } = epilogue;
  return {
    tile,
    type: wgslType(spec.dtype),
    a,
    b,
    outWidth,
    flat,
    remainderFirst,
    bias: bias !== null,
    activation,
    split: split.parts > 1,
  };
}

/** The program of a launch, and the fallback that runs while it is being compiled. */
export function gemmPrograms<O extends { tile: GemmTile }>(
  { problem: { size }, algorithm: { fallback, split } }: GemmCall,
  options: O,
): Pick<Launch<O, Bindings, ParamFields>, 'options' | 'workgroups' | 'multiplications' | 'fallback'> {
  const on = (tile: GemmTile) => ({
    options: { ...options, tile },
    workgroups: gemmWorkgroups(tile, size.m, size.n, size.slices * split.parts),
  });
  return { ...on(options.tile), multiplications: workOf(size), fallback: fallback && on(fallback) };
}

export function gemmStorages(a: Tensor, b: Tensor, out: Tensor, { bias }: Epilogue): Record<string, Storage> {
  return {
    a_values: a.storage,
    b_values: b.storage,
    c_values: out.storage,
    ...(bias ? { bias_values: bias.storage } : {}),
  };
}

/** Values of the engine's own parameters. */
export function gemmParamValues({ problem: { size }, algorithm: { split }, spec, epilogue }: GemmCall) {
  return {
    ...size,
    splits: split.parts,
    segments_per_split: split.segmentsPerPart,
    steps_per_split: split.stepsPerPart,
    split_stride: sizeOf(spec.shape),
    alpha: epilogue.alpha ?? 0,
  };
}

/** The final result, from the output of the kernel. */
export function gemmResult({ op, algorithm: { split }, spec, epilogue }: GemmCall, out: Tensor): Tensor {
  return split.parts > 1 ? addPartialSums(op, out, spec, epilogue) : out;
}
