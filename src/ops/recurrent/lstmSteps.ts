/** @file lstmSteps: an LSTM over a sequence. */
import { stepsGradientKernel, stepsKernel } from '../../kernels/recurrent.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { concat } from '../arrangement/concat.ts';
import { stepsCost } from '../define/cost.ts';
import { fill } from '../creation/creation.ts';
import { defineOp, type Op } from '../define/define.ts';
import { tanh } from '../elementwise/hyperbolic.ts';
import { matMul } from '../products/matMul.ts';
import { mulAdd } from '../elementwise/mulAdd.ts';
import { reshape } from '../arrangement/reshape.ts';
import { slice } from '../arrangement/slice.ts';
import { stack } from '../arrangement/stack.ts';
import {
  blocksOf,
  checkSteps,
  kernelGradient,
  needsOps,
  noBlocks,
  sigmoidDerivative,
  type StepSizes,
  stepOf,
  stepSpecs,
  sumOf,
  whereCounts,
} from './steps.ts';
import { square } from '../elementwise/unary.ts';

type LstmInputs = [
  gates: Tensor,
  recurrentKernel: Tensor,
  h: Tensor | null,
  c: Tensor | null,
  mask: Tensor | null,
];

const op = 'lstmSteps';

/** The values of a call that its gradient reads. */
interface Steps {
  readonly trace: Tensor;
  readonly recurrentKernel: Tensor;
  readonly mask: Tensor | null;
  readonly sizes: StepSizes;
}

interface Cotangents {
  readonly dhs: Tensor | null;
  readonly dcs: Tensor | null;
  readonly dtrace: Tensor | null;
}

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
 * the gradient reads: the gates after their activations, and the previous cell; zeros at masked steps.
 * Source: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000.
 * Errors: ShapeError, DTypeError for inputs that don't fit.
 */
export const lstmSteps: Op<
  LstmInputs,
  object,
  [h: Tensor<'float32'>, c: Tensor<'float32'>, trace: Tensor<'float32'>]
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['gates', 'recurrentKernel', 'h?', 'c?', 'mask:bool?'],
  options: {},
  takesNull: true,
  save: { inputs: [1, 2, 4], outputs: [0, 2] },
  readsOutputs: ([, recurrentKernel]) => [recurrentKernel, false, true],
  infer: ([gates, recurrentKernel, h, c, mask]) => {
    const sizes = checkSteps(op, 'lstm', gates, recurrentKernel, ({ batch, time, units }) => ({
      h: [h, [batch, units]],
      c: [c, [batch, units]],
      mask: [mask, [batch, time]],
    }));
    const { states, trace } = stepSpecs(sizes);
    return [states, states, trace];
  },
  forward: ([gates, recurrentKernel, h, c, mask]) =>
    stepsKernel(op, 'lstm', { gates, recurrentKernel, bias: null, h, c, mask }),
  backward: ([dhs, dcs, dtrace], { inputs, outputs: [hs, , trace], needs, plan: [{ sizes }] }) => {
    const [, recurrentKernel, h, , mask] = inputs;
    const steps = { trace, recurrentKernel, mask, sizes };
    const { dgates, dh, dc }: Gradient =
      needsOps(trace) || dtrace
        ? byOps(steps, { dhs, dcs, dtrace })
        : stepsGradientKernel(op, 'lstm', steps, { dhs, dcs }, needs[2] || needs[3]);
    return [
      needs[0] ? dgates : null,
      needs[1] ? kernelGradient(statesBefore(hs, h, sizes), dgates) : null,
      needs[2] ? dh : null,
      needs[3] ? dc : null,
      null,
    ];
  },
  cost: stepsCost,
});

/** Returns the same gradient as the kernels compute, composed of differentiable ops. */
function byOps({ trace, recurrentKernel, mask, sizes }: Steps, { dhs, dcs, dtrace }: Cotangents): Gradient {
  const { batch, time, units } = sizes;
  const zeros = () => fill([batch, units], 0);
  let dh: Tensor | null = null;
  let dc: Tensor | null = null;
  const steps: Tensor[] = [];
  for (let t = time - 1; t >= 0; t--) {
    const counts = stepOf(mask, t);
    const [written, remembered, candidate, shown, kept] = blocksOf(stepOf(trace, t));
    const traced = dtrace ? blocksOf(stepOf(dtrace, t)) : noBlocks;
    const state: Tensor = sumOf(stepOf(dhs, t), dh) ?? zeros();
    const cell: Tensor = sumOf(stepOf(dcs, t), dc) ?? zeros();
    const bent = tanh(mulAdd(remembered, kept, mul(written, candidate)));
    const total = mulAdd(mul(state, shown), sub(1, square(bent)), cell);
    const ofGates = [
      mul(sumOf(mul(total, candidate), traced[0]), sigmoidDerivative(written)),
      mul(sumOf(mul(total, kept), traced[1]), sigmoidDerivative(remembered)),
      mul(sumOf(mul(total, written), traced[2]), sub(1, square(candidate))),
      mul(sumOf(mul(state, bent), traced[3]), sigmoidDerivative(shown)),
    ];
    const dgates = whereCounts(counts, concat(ofGates, { axis: -1 }), 0);
    const below = sumOf(mul(total, remembered), traced[4]);
    const product = matMul(dgates, recurrentKernel, { transposeB: true });
    dc = whereCounts(counts, below, cell);
    dh = counts ? add(product, whereCounts(counts, zeros(), state)) : product;
    steps.unshift(dgates);
  }
  const dgates = time > 0 ? stack(steps, { axis: 1 }) : fill([batch, 0, 4 * units], 0);
  return { dgates, dh: dh ?? zeros(), dc: dc ?? zeros() };
}

/** Returns the states before each step: h or zeros, then those after each step except the last. */
function statesBefore(hs: Tensor, h: Tensor | null, { batch, time, units }: StepSizes): Tensor {
  if (time === 0) return hs;
  const shape = [batch, 1, units];
  const first = h ? reshape(h, { shape }) : fill(shape, 0);
  return concat([first, slice(hs, { begin: [0, 0, 0], size: [batch, time - 1, units] })], { axis: 1 });
}
