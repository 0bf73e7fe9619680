/** @file lstmSteps: an LSTM over a sequence. */
import type { TensorSpec } from '../core/spec.ts';
import { stepsGradientKernel, stepsKernel, traceCount } from '../kernels/recurrent.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, sub } from './arithmetic.ts';
import { concat } from './concat.ts';
import { stepsCost } from './cost.ts';
import { fill } from './creation.ts';
import { defineOp, type Op, type Saved } from './define.ts';
import { tanh } from './hyperbolic.ts';
import { matMul } from './matMul.ts';
import { mulAdd } from './mulAdd.ts';
import { reshape } from './reshape.ts';
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
import { square } from './unary.ts';

type LstmInputs = [
  gates: Tensor,
  recurrentKernel: Tensor,
  h: Tensor | null,
  c: Tensor | null,
  mask: Tensor | null,
];

const op = 'lstmSteps';

/** Cotangents of what a step left in its trace. */
type Traced = readonly (Tensor | null)[];

interface Gradient {
  dgates: Tensor;
  dh: Tensor | null;
  dc: Tensor | null;
}

/**
 * All steps of an LSTM: from the inputs' part of the gates, `gates` [batch, time, 4 units], recurrentKernel [units, 4 units],
 * and the states before the first step, h and c [batch, units] or null for zeros. float32. At each step, with i, f, g, o =
 * gates + h · recurrentKernel, in that order: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c). Where `mask`, bool
 * [batch, time], is false, h and c are carried over.
 *
 * Returns [h, c, trace]: the states and cells after each step [batch, time, units], and a trace [batch, time, 5 units] that
 * the gradient reads: the gates after their activations, and the cell before them; zeros at masked steps.
 * Source: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000.
 * Errors: ShapeError, DTypeError for inputs that don't fit.
 */
export const lstmSteps: Op<LstmInputs, object, Tensor[]> = /* @__PURE__ */ defineOp<
  LstmInputs,
  object,
  Tensor[]
>({
  name: op,
  inputs: ['gates', 'recurrentKernel', 'h?', 'c?', 'mask:bool?'],
  infer: (inputs) => {
    const [gates, recurrentKernel, h, c, mask] = inputs as [TensorSpec, TensorSpec, ...(TensorSpec | null)[]];
    const sizes = checkSteps(op, 'lstm', gates, recurrentKernel, ({ batch, time, units }) => ({
      h: [h, [batch, units]],
      c: [c, [batch, units]],
      mask: [mask, [batch, time]],
    }));
    return stepSpecs(sizes, 2);
  },
  forward: ([gates, recurrentKernel, h = null, c = null, mask = null]) =>
    stepsKernel(op, 'lstm', {
      gates: gates as Tensor,
      recurrentKernel: recurrentKernel as Tensor,
      bias: null,
      h,
      c,
      mask,
    }),
  backward: (cotangents, saved) => {
    const [, , h = null] = saved.inputs as readonly (Tensor | null)[];
    const [hs] = saved.outputs as [Tensor];
    const { needs } = saved;
    const composed = isRecorded() || cotangents[2];
    const { dgates, dh, dc } = composed ? byOps(cotangents, saved) : byKernels(cotangents, saved);
    return [
      needs[0] ? dgates : null,
      needs[1] ? kernelGradient(statesBefore(hs, h), dgates) : null,
      needs[2] ? dh : null,
      needs[3] ? dc : null,
      null,
    ];
  },
  takesNull: true,
  save: { inputs: [1, 2, 4], outputs: [0, 2] },
  cost: stepsCost,
});

function byKernels([dhs = null, dcs = null]: readonly (Tensor | null)[], saved: Saved): Gradient {
  const { inputs, outputs, needs } = saved;
  const [, recurrentKernel, , , mask = null] = inputs as readonly (Tensor | null)[];
  return stepsGradientKernel(
    op,
    'lstm',
    { trace: outputs[2] as Tensor, recurrentKernel: recurrentKernel as Tensor, mask },
    { dhs, dcs },
    Boolean(needs[2] || needs[3]),
  );
}

/** The same, of ops that have gradients themselves. */
function byOps([dhs = null, dcs = null, dtrace = null]: readonly (Tensor | null)[], saved: Saved): Gradient {
  const { inputs, outputs } = saved;
  const [, recurrentKernel, , , mask = null] = inputs as readonly (Tensor | null)[];
  const trace = outputs[2] as Tensor;
  const { shape } = trace;
  const [batch, time, width] = shape as [number, number, number];
  const units = width / traceCount;
  const zeros = () => fill([batch, units], 0);
  let dh: Tensor | null = null;
  let dc: Tensor | null = null;
  const steps: Tensor[] = [];
  for (let t = time - 1; t >= 0; t--) {
    const counts = stepOf(mask, t);
    const found = fiveOf(stepOf(trace, t)) as [Tensor, Tensor, Tensor, Tensor, Tensor];
    const traced: Traced = dtrace ? fiveOf(stepOf(dtrace, t)) : [];
    const state: Tensor = sumOf(stepOf(dhs, t), dh) ?? zeros();
    const cell: Tensor = sumOf(stepOf(dcs, t), dc) ?? zeros();
    const [written, remembered, candidate, shown, kept] = found;
    const bent = tanh(mulAdd(remembered, kept, mul(written, candidate)));
    const total = mulAdd(mul(state, shown), sub(1, square(bent)), cell);
    const ofGates = [
      mul(sumOf(mul(total, candidate), traced[0] ?? null) as Tensor, slope(written)),
      mul(sumOf(mul(total, kept), traced[1] ?? null) as Tensor, slope(remembered)),
      mul(sumOf(mul(total, written), traced[2] ?? null) as Tensor, sub(1, square(candidate))),
      mul(sumOf(mul(state, bent), traced[3] ?? null) as Tensor, slope(shown)),
    ];
    const dgates = whereCounts(counts, concat(ofGates, { axis: -1 }), 0);
    const below = sumOf(mul(total, remembered), traced[4] ?? null) as Tensor;
    const product = matMul(dgates, recurrentKernel as Tensor, { transposeB: true });
    dc = whereCounts(counts, below, cell);
    dh = counts ? add(product, whereCounts(counts, zeros(), state)) : product;
    steps.unshift(dgates);
  }
  const dgates = time > 0 ? stack(steps, { axis: 1 }) : fill([batch, 0, 4 * units], 0);
  return { dgates, dh: dh ?? zeros(), dc: dc ?? zeros() };
}

/** The states before each step: h, or zeros, then those after the steps but for the last. */
function statesBefore(hs: Tensor, h: Tensor | null): Tensor {
  const [batch, time, units] = hs.shape as [number, number, number];
  if (time === 0) return hs;
  const shape = [batch, 1, units];
  const first = h ? reshape(h, { shape }) : fill(shape, 0);
  return concat([first, slice(hs, { begin: [0, 0, 0], size: [batch, time - 1, units] })], { axis: 1 });
}
