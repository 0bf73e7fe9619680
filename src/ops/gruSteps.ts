/** @file gruSteps: a GRU over a sequence. */
import type { TensorSpec } from '../core/spec.ts';
import { stepsGradientKernel, stepsKernel, traceCount } from '../kernels/recurrent.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, sub } from './arithmetic.ts';
import { concat } from './concat.ts';
import { stepsCost } from './cost.ts';
import { fill } from './creation.ts';
import { defineOp, type Op, type Saved } from './define.ts';
import { matMul } from './matMul.ts';
import { slice } from './slice.ts';
import { stack } from './stack.ts';
import {
  checkSteps,
  fiveOf,
  isRecorded,
  kernelGradient,
  slope,
  stepOf,
  stepSpecs,
  sumOf,
  whereCounts,
} from './steps.ts';
import { sum } from './sum.ts';
import { square } from './unary.ts';

type GruInputs = [
  gates: Tensor,
  recurrentKernel: Tensor,
  recurrentBias: Tensor | null,
  h: Tensor | null,
  mask: Tensor | null,
];

const op = 'gruSteps';

interface Gradient {
  dgates: Tensor;
  dproducts: Tensor;
  dh: Tensor | null;
}

/**
 * All steps of a GRU whose reset gate acts after the product: from the inputs' part of the gates, `gates` [batch, time, 3
 * units], recurrentKernel [units, 3 units], recurrentBias [3 units] or null, and the state before the first step, h [batch,
 * units] or null for zeros. float32. At each step, with x the gates and u = h · recurrentKernel + recurrentBias, each in the
 * order z, r, g: z = sigmoid(x + u), r = sigmoid(x + u), g = tanh(x + r u), h = z h + (1 - z) g. Where `mask`, bool [batch,
 * time], is false, h is carried over.
 *
 * Returns [h, trace]: the states after each step [batch, time, units], and a trace [batch, time, 5 units] that the gradient
 * reads: z, r, g, u of the candidate, and the state before; zeros at masked steps.
 * Source: Cho et al., Learning phrase representations using RNN encoder-decoder, 2014, in cuDNN's variant.
 * Errors: ShapeError, DTypeError for inputs that don't fit.
 */
export const gruSteps: Op<GruInputs, object, Tensor[]> = /* @__PURE__ */ defineOp<
  GruInputs,
  object,
  Tensor[]
>({
  name: op,
  inputs: ['gates', 'recurrentKernel', 'recurrentBias?', 'h?', 'mask:bool?'],
  infer: (inputs) => {
    const [gates, recurrentKernel, bias, h, mask] = inputs as [
      TensorSpec,
      TensorSpec,
      ...(TensorSpec | null)[],
    ];
    const sizes = checkSteps(op, 'gru', gates, recurrentKernel, ({ batch, time, units }) => ({
      recurrentBias: [bias, [3 * units]],
      h: [h, [batch, units]],
      mask: [mask, [batch, time]],
    }));
    return stepSpecs(sizes, 1);
  },
  forward: ([gates, recurrentKernel, bias = null, h = null, mask = null]) =>
    stepsKernel(op, 'gru', {
      gates: gates as Tensor,
      recurrentKernel: recurrentKernel as Tensor,
      bias,
      h,
      c: null,
      mask,
    }),
  backward: (cotangents, saved) => {
    const { needs, outputs } = saved;
    const trace = outputs[1] as Tensor;
    const composed = isRecorded() || cotangents[1];
    const { dgates, dproducts, dh } = composed ? byOps(cotangents, saved) : byKernels(cotangents, saved);
    return [
      needs[0] ? dgates : null,
      needs[1] ? kernelGradient(statesBefore(trace), dproducts) : null,
      needs[2] ? sum(dproducts, { axis: [0, 1] }) : null,
      needs[3] ? dh : null,
      null,
    ];
  },
  takesNull: true,
  save: { inputs: [1, 4], outputs: [1] },
  cost: stepsCost,
});

function byKernels([dhs = null]: readonly (Tensor | null)[], saved: Saved): Gradient {
  const { inputs, outputs, needs } = saved;
  const [, recurrentKernel, , , mask = null] = inputs as readonly (Tensor | null)[];
  return stepsGradientKernel(
    op,
    'gru',
    { trace: outputs[1] as Tensor, recurrentKernel: recurrentKernel as Tensor, mask },
    { dhs, dcs: null },
    Boolean(needs[3]),
  );
}

/** The same, of ops that have gradients themselves. */
function byOps([dhs = null, dtrace = null]: readonly (Tensor | null)[], saved: Saved): Gradient {
  const { inputs, outputs } = saved;
  const [, recurrentKernel, , , mask = null] = inputs as readonly (Tensor | null)[];
  const trace = outputs[1] as Tensor;
  const [batch, time, width] = trace.shape as [number, number, number];
  const units = width / traceCount;
  const zeros = () => fill([batch, units], 0);
  let dh: Tensor | null = null;
  const gates: Tensor[] = [];
  const products: Tensor[] = [];
  for (let t = time - 1; t >= 0; t--) {
    const counts = stepOf(mask, t);
    const [update, reset, candidate, inner, kept] = fiveOf(stepOf(trace, t)) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const traced = dtrace ? fiveOf(stepOf(dtrace, t)) : [];
    const state: Tensor = sumOf(stepOf(dhs, t), dh) ?? zeros();
    const ofCandidate = sumOf(mul(state, sub(1, update)), traced[2] ?? null) as Tensor;
    const bent = mul(ofCandidate, sub(1, square(candidate)));
    const updates = sumOf(mul(state, sub(kept, candidate)), traced[0] ?? null) as Tensor;
    const resets = sumOf(mul(bent, inner), traced[1] ?? null) as Tensor;
    const both = [mul(updates, slope(update)), mul(resets, slope(reset))];
    const ofInner = sumOf(mul(bent, reset), traced[3] ?? null) as Tensor;
    const dgates = whereCounts(counts, concat([...both, bent], { axis: -1 }), 0);
    const dproducts = whereCounts(counts, concat([...both, ofInner], { axis: -1 }), 0);
    const passed = sumOf(mul(state, update), traced[4] ?? null) as Tensor;
    const product = matMul(dproducts, recurrentKernel as Tensor, { transposeB: true });
    dh = add(product, whereCounts(counts, passed, state));
    gates.unshift(dgates);
    products.unshift(dproducts);
  }
  const joined = (steps: Tensor[]) => (time > 0 ? stack(steps, { axis: 1 }) : fill([batch, 0, 3 * units], 0));
  return { dgates: joined(gates), dproducts: joined(products), dh: dh ?? zeros() };
}

/** The state before each step, as the trace has it: the last of its blocks. */
function statesBefore(trace: Tensor): Tensor {
  const [batch, time, width] = trace.shape as [number, number, number];
  const units = width / traceCount;
  return slice(trace, { begin: [0, 0, 4 * units], size: [batch, time, units] });
}
