/**
 * @file Launches LSTMs and GRUs over sequences, and their gradients: one launch per step if steps are small, otherwise two,
 * the first of which is a GEMM.
 */
import {
  gateCount,
  gruStep,
  gruStepGradient,
  lstmStep,
  lstmStepGradient,
  type StepGradientOptions,
  type StepKind,
  type StepOptions,
  stepWorkgroup,
} from '../../shaders/recurrent.ts';
import { type InlineOptions, inlineTile } from '../../shaders/recurrentMatMul.ts';
import type { Shape } from '../core/shape.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { AdapterProfile } from './selection/adapterProfile.ts';
import { profileOf } from './selection/deviceProfile.ts';
import { copied } from './copies/copy.ts';
import { fillKernel } from './copies/fill.ts';
import { bindsAsVectors, output } from './launch/output.ts';

export { gateCount, type StepKind } from '../../shaders/recurrent.ts';
import { kernels } from './loading/loadKernels.ts';

/** Blocks of units in the trace of a step. */
export const traceCount = 5;

const params = { count: 'u32', batch: 'u32', units: 'u32', time: 'u32', step: 'u32' } as const;

const unitsOf = ({ width }: InlineOptions) => (width === 4 ? 'vec4<f32>' : 'f32');

const stepBindings =
  (isLstm: boolean) =>
  ({ mask, stateMatMul, bias, ...inline }: StepOptions): Bindings => {
    const read = `read ${unitsOf(inline)}` as const;
    const change = `read_write ${unitsOf(inline)}` as const;
    return {
      gates: read,
      ...(stateMatMul === 'separate' ? { recurrent: read, h: change } : {}),
      ...(stateMatMul === 'inline' ? { recurrent_kernel: read } : {}),
      ...(stateMatMul === 'inline' && bias ? { recurrent_bias: read } : {}),
      ...(mask ? { mask: 'read u32' as const } : {}),
      hs: change,
      ...(isLstm ? { c: change, cs: `write ${unitsOf(inline)}` as const } : {}),
      trace: `write ${unitsOf(inline)}`,
    };
  };

const gradientBindings =
  (isLstm: boolean) =>
  ({ mask, stateMatMul, dh, dc, ...inline }: StepGradientOptions): Bindings => {
    const read = `read ${unitsOf(inline)}` as const;
    const change = `read_write ${unitsOf(inline)}` as const;
    return {
      trace: read,
      ...(dh ? { dhs: read } : {}),
      ...(dc ? { dcs: read } : {}),
      ...(stateMatMul === 'separate' ? { recurrent: read } : {}),
      ...(stateMatMul === 'inline'
        ? { recurrent_kernel: read }
        : { dstep: `write ${unitsOf(inline)}` as const }),
      ...(mask ? { mask: 'read u32' as const } : {}),
      carry: change,
      dgates: change,
      ...(isLstm ? {} : { dproducts: change }),
    };
  };

const stepKernels = {
  lstm: defineKernel({ name: 'lstmStep', bindings: stepBindings(true), params, source: lstmStep }),
  gru: defineKernel({ name: 'gruStep', bindings: stepBindings(false), params, source: gruStep }),
};

const gradients = {
  lstm: defineKernel({
    name: 'lstmStepGradient',
    bindings: gradientBindings(true),
    params,
    source: lstmStepGradient,
  }),
  gru: defineKernel({
    name: 'gruStepGradient',
    bindings: gradientBindings(false),
    params,
    source: gruStepGradient,
  }),
};

type StateMatMul = StepOptions['stateMatMul'];

/** Returns where the matmul of states and recurrent kernel is computed: in the kernel of a step, or by a GEMM before it. */
function selectStepMatMul(
  { batch, units, kind }: { batch: number; units: number; kind: StepKind },
  { recurrent }: AdapterProfile,
): StateMatMul {
  return batch * units * units * gateCount[kind] <= recurrent.inlineMatMul ? 'inline' : 'separate';
}

/** How a step is divided into workgroups; sizes are in units of the width. */
interface StepLaunch {
  readonly options: InlineOptions;
  readonly params: { readonly count: number; readonly batch: number; readonly units: number };
  readonly workgroups: number;
}

/** Returns the launch shapes with the state's matmul inline, and without; `operands` are read in vectors. */
function launchShapes(
  { batch, units }: { batch: number; units: number },
  operands: readonly Tensor[],
): Record<StateMatMul, StepLaunch> {
  const width = units % 4 === 0 && operands.every(bindsAsVectors) ? 4 : 1;
  const samples = batch > 2 ? 4 : batch === 2 ? 2 : 1;
  const { columns } = inlineTile({ width });
  const count = batch * units;
  return {
    separate: {
      options: { width: 1, samples: 1 },
      params: { count, batch, units },
      workgroups: Math.ceil(count / stepWorkgroup),
    },
    inline: {
      options: { width, samples },
      params: { count: count / width, batch, units: units / width },
      workgroups: Math.ceil(batch / samples) * Math.ceil(units / width / columns),
    },
  };
}

export interface StepsInput {
  /** [batch, time, gates · units]: the contribution of the inputs. */
  gates: Tensor;
  /** [units, gates · units]. */
  recurrentKernel: Tensor;
  /** [gates · units], added to the matmul with the recurrent kernel. */
  bias: Tensor | null;
  /** [batch, units]; null for zeros. */
  h: Tensor | null;
  c: Tensor | null;
  /** Bool [batch, time]. */
  mask: Tensor | null;
}

/**
 * Computes all steps: the states [batch, time, units], for an LSTM the cells likewise, and the trace [batch, time, 5 · units].
 */
export function stepsKernel(
  op: string,
  kind: 'lstm',
  input: StepsInput,
): [hs: Tensor, cs: Tensor, trace: Tensor];
export function stepsKernel(op: string, kind: 'gru', input: StepsInput): [hs: Tensor, trace: Tensor];
export function stepsKernel(op: string, kind: StepKind, input: StepsInput): Tensor[] {
  const { gates, recurrentKernel, bias, mask } = input;
  const { device } = gates;
  const [batch, time] = gates.shape as [number, number];
  const units = recurrentKernel.shape[0] as number;
  const isLstm = kind === 'lstm';
  const made = (...shape: Shape) => output(device, { shape, dtype: 'float32' }, op);
  const hs = made(batch, time, units);
  const cs = isLstm ? made(batch, time, units) : null;
  const trace = made(batch, time, traceCount * units);
  const outputs = [hs, ...(cs ? [cs] : []), trace];
  if (hs.size === 0) return outputs;
  const stateSpec = { shape: [batch, units], dtype: 'float32' } as const;
  // The steps change these in place.
  const scratch = (state: Tensor | null) =>
    state ? kernels().elementwiseKernel(op, 'a', [state], stateSpec) : fillKernel(device, stateSpec, 0, op);
  const h = scratch(input.h);
  const c = isLstm ? scratch(input.c) : null;
  const chosen = selectStepMatMul({ batch, units, kind }, profileOf(device));
  const operands = [gates, recurrentKernel, hs, trace, ...(bias ? [bias] : []), ...(c && cs ? [c, cs] : [])];
  const shapes = launchShapes({ batch, units }, operands);
  for (let step = 0; step < time; step++) {
    // An inline matmul reads the previous state from the results, which the first step doesn't have.
    const stateMatMul = step === 0 ? 'separate' : chosen;
    const recurrent = stateMatMul === 'separate' ? stateMatMulOf(op, h, recurrentKernel, false, bias) : null;
    const { options, params, workgroups } = shapes[stateMatMul];
    device.launch(stepKernels[kind], {
      options: {
        mask: mask !== null,
        stateMatMul,
        bias: stateMatMul === 'inline' && bias !== null,
        ...options,
      },
      bindings: {
        gates: gates.storage,
        ...(recurrent ? { recurrent: recurrent.storage, h: h.storage } : {}),
        ...(stateMatMul === 'inline' ? { recurrent_kernel: recurrentKernel.storage } : {}),
        ...(stateMatMul === 'inline' && bias ? { recurrent_bias: bias.storage } : {}),
        ...(mask ? { mask: mask.storage } : {}),
        hs: hs.storage,
        ...(c && cs ? { c: c.storage, cs: cs.storage } : {}),
        trace: trace.storage,
      },
      params: { time, step, ...params },
      workgroups,
    });
    recurrent?.dispose();
  }
  return outputs;
}

export interface StepsCotangents {
  dhs: Tensor | null;
  dcs: Tensor | null;
}

export interface StepsGradient {
  /** Gradient of the gates [batch, time, gates · units]. */
  dgates: Tensor;
  /** Gradient of the matmul of states and recurrent kernel, in the same shape; for an LSTM equal to `dgates`. */
  dproducts: Tensor;
  /** Gradient of the states before the first step; null if it isn't needed. */
  dh: Tensor | null;
  dc: Tensor | null;
}

/** Computes the gradient of all steps, from the last to the first. */
export function stepsGradientKernel(
  op: string,
  kind: StepKind,
  { trace, recurrentKernel, mask }: Pick<StepsInput, 'recurrentKernel' | 'mask'> & { trace: Tensor },
  { dhs, dcs }: StepsCotangents,
  needsState: boolean,
): StepsGradient {
  const { device } = trace;
  const [batch, time] = trace.shape as [number, number];
  const [units, width] = recurrentKernel.shape as [number, number];
  const isLstm = kind === 'lstm';
  const made = (...shape: Shape) => output(device, { shape, dtype: 'float32' }, op);
  const zeros = (...shape: Shape) => fillKernel(device, { shape, dtype: 'float32' }, 0, op);
  const dgates = made(batch, time, width);
  const dproducts = isLstm ? dgates : made(batch, time, width);
  if (dgates.size === 0) {
    const state = needsState ? zeros(batch, units) : null;
    return { dgates, dproducts, dh: state, dc: state };
  }
  const isInline = selectStepMatMul({ batch, units, kind }, profileOf(device)) === 'inline';
  const dstep = made(batch, width);
  // Cotangents that bypass the gates: of the cell, and of states that were carried over.
  const carry = zeros(isLstm && mask ? 2 : 1, batch, units);
  const cotangents = [dhs, dcs].filter((x) => x !== null);
  const shapes = launchShapes({ batch, units }, [
    trace,
    recurrentKernel,
    carry,
    dgates,
    dproducts,
    ...cotangents,
  ]);
  let recurrent: Tensor | null = null;
  for (let step = time - 1; step >= 0; step--) {
    const later = isInline ? 'inline' : 'separate';
    const stateMatMul: StepGradientOptions['stateMatMul'] = step === time - 1 ? 'none' : later;
    const { options, params, workgroups } = shapes[stateMatMul === 'inline' ? 'inline' : 'separate'];
    device.launch(gradients[kind], {
      options: { mask: mask !== null, dh: dhs !== null, dc: dcs !== null, stateMatMul, ...options },
      bindings: {
        trace: trace.storage,
        ...(dhs ? { dhs: dhs.storage } : {}),
        ...(dcs ? { dcs: dcs.storage } : {}),
        ...(recurrent ? { recurrent: recurrent.storage } : {}),
        ...(stateMatMul === 'inline'
          ? { recurrent_kernel: recurrentKernel.storage }
          : { dstep: dstep.storage }),
        ...(mask ? { mask: mask.storage } : {}),
        carry: carry.storage,
        dgates: dgates.storage,
        ...(isLstm ? {} : { dproducts: dproducts.storage }),
      },
      params: { time, step, ...params },
      workgroups,
    });
    recurrent?.dispose();
    recurrent = step > 0 && !isInline ? stateMatMulOf(op, dstep, recurrentKernel, true, null) : null;
  }
  const state = needsState ? stateGradients(op, kind, { dproducts, carry, recurrentKernel }) : null;
  return { dgates, dproducts, dh: state?.dh ?? null, dc: state?.dc ?? null };
}

/**
 * Computes the gradients of the states before the first step: through its gates, and what bypasses them. For an LSTM, `carry` holds
 * the cotangent of the cell, and with a mask also that of the states that were carried over.
 */
function stateGradients(
  op: string,
  kind: StepKind,
  { dproducts, carry, recurrentKernel }: Record<'dproducts' | 'carry' | 'recurrentKernel', Tensor>,
): { dh: Tensor; dc: Tensor | null } {
  const [batch, time, width] = dproducts.shape as [number, number, number];
  const [carried, , units] = carry.shape as [number, number, number];
  const part = (x: Tensor, offset: number, stride: number, columns: number) =>
    copied(op, x, { offset, strides: [stride, 1] }, { shape: [batch, columns], dtype: 'float32' });
  const carriedOver = (index: number) => part(carry, index * batch * units, units, units);
  const firstStep = part(dproducts, 0, time * width, width);
  const through = stateMatMulOf(op, firstStep, recurrentKernel, true, null);
  const dc = kind === 'lstm' ? carriedOver(0) : null;
  const past = dc === null ? carriedOver(0) : carried > 1 ? carriedOver(1) : null;
  const dh = past ? kernels().elementwiseKernel(op, 'a + b', [through, past], through) : through;
  return { dh, dc };
}

/** rows · kernel + bias, or rows · kernelᵀ. */
function stateMatMulOf(
  op: string,
  rows: Tensor,
  kernel: Tensor,
  transposed: boolean,
  bias: Tensor | null,
): Tensor {
  const [m, k] = rows.shape as [number, number];
  const n = kernel.shape[transposed ? 0 : 1] as number;
  return kernels().matMulKernel({
    op,
    a: { values: rows, batch: [], transposed: false },
    b: { values: kernel, batch: [], transposed },
    sizes: { m, n, k, batch: [] },
    spec: { shape: [m, n], dtype: 'float32' },
    epilogue: { bias },
  });
}
