/**
 * @file Launches LSTMs and GRUs over sequences, and their gradients: two launches a step, a product of matrices and the
 * gates.
 */
import {
  gruStep,
  gruStepGradient,
  lstmStep,
  lstmStepGradient,
  type StepGradientOptions,
  type StepOptions,
  stepWorkgroup,
} from '../../shaders/recurrent.ts';
import type { Shape } from '../core/shape.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { copied } from './copy.ts';
import { elementwiseKernel } from './elementwise.ts';
import { fillKernel } from './fill.ts';
import { matMulKernel } from './matMul.ts';
import { output } from './output.ts';

const params = { count: 'u32', units: 'u32', time: 'u32', step: 'u32' } as const;
const masked = ({ mask }: StepOptions): Bindings => (mask ? { mask: 'read u32' } : {});
const cotangents = ({ dh, dc, recurrent, mask }: StepGradientOptions): Bindings => ({
  trace: 'read f32',
  ...(dh ? { dhs: 'read f32' as const } : {}),
  ...(dc ? { dcs: 'read f32' as const } : {}),
  ...(recurrent ? { recurrent: 'read f32' as const } : {}),
  ...masked({ mask }),
  carry: 'read_write f32',
  dgates: 'write f32',
  dstep: 'write f32',
});

const kernels = {
  lstm: defineKernel({
    name: 'lstmStep',
    bindings: (options: StepOptions): Bindings => ({
      gates: 'read f32',
      recurrent: 'read f32',
      ...masked(options),
      h: 'read_write f32',
      c: 'read_write f32',
      hs: 'write f32',
      cs: 'write f32',
      trace: 'write f32',
    }),
    params,
    source: lstmStep,
  }),
  gru: defineKernel({
    name: 'gruStep',
    bindings: (options: StepOptions): Bindings => ({
      gates: 'read f32',
      recurrent: 'read f32',
      ...masked(options),
      h: 'read_write f32',
      hs: 'write f32',
      trace: 'write f32',
    }),
    params,
    source: gruStep,
  }),
};

const gradients = {
  lstm: defineKernel({ name: 'lstmStepGradient', bindings: cotangents, params, source: lstmStepGradient }),
  gru: defineKernel({
    name: 'gruStepGradient',
    bindings: (options: StepGradientOptions): Bindings => ({
      ...cotangents(options),
      dproducts: 'write f32',
    }),
    params,
    source: gruStepGradient,
  }),
};

export type StepKind = keyof typeof kernels;

/** Blocks of units in the gates, and in the trace of a step. */
export const gateCount = { lstm: 4, gru: 3 } as const satisfies Record<StepKind, number>;
export const traceCount = 5;

export interface StepsInput {
  /** [batch, time, gates · units]: what the inputs say. */
  gates: Tensor;
  /** [units, gates · units]. */
  recurrentKernel: Tensor;
  /** [gates · units], added to the product with the recurrent kernel. */
  bias: Tensor | null;
  /** [batch, units]; null for zeros. */
  h: Tensor | null;
  c: Tensor | null;
  /** Bool [batch, time]. */
  mask: Tensor | null;
}

/** All steps: the states [batch, time, units], for an LSTM the cells likewise, and the trace [batch, time, 5 · units]. */
export function stepsKernel(op: string, kind: StepKind, input: StepsInput): Tensor[] {
  const { gates, recurrentKernel, bias, mask } = input;
  const { device } = gates;
  const [batch, time] = gates.shape as [number, number];
  const units = recurrentKernel.shape[0] as number;
  const width = gateCount[kind] * units;
  const made = (...shape: Shape) => output(device, { shape, dtype: 'float32' }, op);
  const isLstm = kind === 'lstm';
  const hs = made(batch, time, units);
  const cs = isLstm ? made(batch, time, units) : null;
  const trace = made(batch, time, traceCount * units);
  const outputs = [hs, ...(cs ? [cs] : []), trace];
  if (hs.size === 0) return outputs;
  const stateSpec = { shape: [batch, units], dtype: 'float32' } as const;
  // The steps change these in place.
  const scratch = (state: Tensor | null) =>
    state ? elementwiseKernel(op, 'a', [state], stateSpec) : fillKernel(device, stateSpec, 0, op);
  const h = scratch(input.h);
  const c = isLstm ? scratch(input.c) : null;
  const count = batch * units;
  for (let step = 0; step < time; step++) {
    const recurrent = product(op, h, recurrentKernel, false, width, bias);
    device.launch(kernels[kind], {
      options: { mask: mask !== null },
      bindings: {
        gates: gates.storage,
        recurrent: recurrent.storage,
        ...(mask ? { mask: mask.storage } : {}),
        h: h.storage,
        ...(c && cs ? { c: c.storage, cs: cs.storage } : {}),
        hs: hs.storage,
        trace: trace.storage,
      },
      params: { count, units, time, step },
      workgroups: Math.ceil(count / stepWorkgroup),
    });
    recurrent.dispose();
  }
  return outputs;
}

export interface StepsCotangents {
  dhs: Tensor | null;
  dcs: Tensor | null;
}

export interface StepsGradient {
  /** Of the gates [batch, time, gates · units]. */
  dgates: Tensor;
  /** Of the products of states and recurrent kernel, likewise; for an LSTM the same as `dgates`. */
  dproducts: Tensor;
  /** Of the states before the first step; null where it wasn't asked for. */
  dh: Tensor | null;
  dc: Tensor | null;
}

/** The gradient of all steps, from the last to the first. */
export function stepsGradientKernel(
  op: string,
  kind: StepKind,
  { trace, recurrentKernel, mask }: Pick<StepsInput, 'recurrentKernel' | 'mask'> & { trace: Tensor },
  { dhs, dcs }: StepsCotangents,
  needsState: boolean,
): StepsGradient {
  const { device } = trace;
  const [batch, time] = trace.shape as [number, number];
  const units = recurrentKernel.shape[0] as number;
  const width = gateCount[kind] * units;
  const count = batch * units;
  const isLstm = kind === 'lstm';
  const made = (...shape: Shape) => output(device, { shape, dtype: 'float32' }, op);
  const zeros = (...shape: Shape) => fillKernel(device, { shape, dtype: 'float32' }, 0, op);
  const dgates = made(batch, time, width);
  const dproducts = isLstm ? dgates : made(batch, time, width);
  if (dgates.size === 0) {
    const state = needsState ? zeros(batch, units) : null;
    return { dgates, dproducts, dh: state, dc: state };
  }
  const dstep = made(batch, width);
  // What passes by the gates: of the cell, and of states that were carried over.
  const carry = zeros(isLstm && mask ? 2 : 1, batch, units);
  let recurrent: Tensor | null = null;
  for (let step = time - 1; step >= 0; step--) {
    device.launch(gradients[kind], {
      options: {
        mask: mask !== null,
        dh: dhs !== null,
        dc: dcs !== null,
        recurrent: recurrent !== null,
      },
      bindings: {
        trace: trace.storage,
        ...(dhs ? { dhs: dhs.storage } : {}),
        ...(dcs ? { dcs: dcs.storage } : {}),
        ...(recurrent ? { recurrent: recurrent.storage } : {}),
        ...(mask ? { mask: mask.storage } : {}),
        carry: carry.storage,
        dgates: dgates.storage,
        dstep: dstep.storage,
        ...(isLstm ? {} : { dproducts: dproducts.storage }),
      },
      params: { count, units, time, step },
      workgroups: Math.ceil(count / stepWorkgroup),
    });
    recurrent?.dispose();
    recurrent = step > 0 || needsState ? product(op, dstep, recurrentKernel, true, units, null) : null;
  }
  const part = (index: number) =>
    copied(
      op,
      carry,
      { offset: index * count, strides: [units, 1] },
      { shape: [batch, units], dtype: 'float32' },
    );
  const passed = isLstm ? (mask ? part(1) : null) : part(0);
  const sum = (a: Tensor, b: Tensor) => elementwiseKernel(op, 'a + b', [a, b], a);
  return {
    dgates,
    dproducts,
    dh: recurrent && passed ? sum(recurrent, passed) : recurrent,
    dc: needsState && isLstm ? part(0) : null,
  };
}

/** rows · kernel, or rows · kernelᵀ, [batch, n]. */
function product(
  op: string,
  rows: Tensor,
  kernel: Tensor,
  transposed: boolean,
  n: number,
  bias: Tensor | null,
): Tensor {
  const [m, k] = rows.shape as [number, number];
  return matMulKernel(
    op,
    { values: rows, batch: [], transposed: false },
    { values: kernel, batch: [], transposed },
    { m, n, k, batch: [] },
    { shape: [m, n], dtype: 'float32' },
    { bias },
  );
}
