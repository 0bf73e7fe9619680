/** @file gruSteps: a GRU over a sequence. */
import { stepsGradientKernel, stepsKernel } from '../../kernels/recurrent.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { concat } from '../arrangement/concat.ts';
import { stepsCost } from '../define/cost.ts';
import { fill } from '../creation/creation.ts';
import { defineOp, type Op } from '../define/define.ts';
import { matMul } from '../products/matMul.ts';
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
import { sum } from '../reductions/sum.ts';
import { square } from '../elementwise/unary.ts';

type GruInputs = [
  gates: Tensor,
  recurrentKernel: Tensor,
  recurrentBias: Tensor | null,
  h: Tensor | null,
  mask: Tensor | null,
];

const op = 'gruSteps';

/** The values of a call that its gradient reads. */
interface Steps {
  readonly trace: Tensor;
  readonly recurrentKernel: Tensor;
  readonly mask: Tensor | null;
  readonly sizes: StepSizes;
}

interface Gradient {
  dgates: Tensor;
  dproducts: Tensor;
  dh: Tensor | null;
}

/**
 * All steps of a GRU whose reset gate is applied after the matmul: from the inputs' part of the gates, `gates` [batch, time,
 * 3 units], recurrentKernel [units, 3 units], recurrentBias [3 units] or null, and the state before the first step, h
 * [batch, units] or null for zeros. float32. At each step, with x the gates and u = h · recurrentKernel + recurrentBias, each
 * in the order z, r, g: z = sigmoid(x + u), r = sigmoid(x + u), g = tanh(x + r u), h = z h + (1 - z) g. Where `mask`, bool
 * [batch, time], is false, h is carried over.
 *
 * Returns [h, trace]: the states after each step [batch, time, units], and a trace [batch, time, 5 units] that the gradient
 * reads: z, r, g, u of the candidate, and the previous state; zeros at masked steps.
 * Source: Cho et al., Learning phrase representations using RNN encoder-decoder, 2014, in cuDNN's variant.
 * Errors: ShapeError, DTypeError for inputs that don't fit.
 */
export const gruSteps: Op<GruInputs, object, [h: Tensor<'float32'>, trace: Tensor<'float32'>]> =
  /* @__PURE__ */ defineOp({
    name: op,
    inputs: ['gates', 'recurrentKernel', 'recurrentBias?', 'h?', 'mask:bool?'],
    options: {},
    takesNull: true,
    save: { inputs: [1, 4], outputs: [1] },
    infer: ([gates, recurrentKernel, bias, h, mask]) => {
      const sizes = checkSteps(op, 'gru', gates, recurrentKernel, ({ batch, time, units }) => ({
        recurrentBias: [bias, [3 * units]],
        h: [h, [batch, units]],
        mask: [mask, [batch, time]],
      }));
      const { states, trace } = stepSpecs(sizes);
      return [states, trace];
    },
    forward: ([gates, recurrentKernel, bias, h, mask]) =>
      stepsKernel(op, 'gru', { gates, recurrentKernel, bias, h, c: null, mask }),
    backward: ([dhs, dtrace], { inputs, outputs: [, trace], needs, plan: [{ sizes }] }) => {
      const [, recurrentKernel, , , mask] = inputs;
      const steps = { trace, recurrentKernel, mask, sizes };
      const { dgates, dproducts, dh }: Gradient =
        needsOps(trace) || dtrace
          ? byOps(steps, dhs, dtrace)
          : stepsGradientKernel(op, 'gru', steps, { dhs, dcs: null }, needs[3]);
      return [
        needs[0] ? dgates : null,
        needs[1] ? kernelGradient(statesBefore(trace, sizes), dproducts) : null,
        needs[2] ? sum(dproducts, { axis: [0, 1] }) : null,
        needs[3] ? dh : null,
        null,
      ];
    },
    cost: stepsCost,
  });

/** Returns the same gradient as the kernels compute, composed of differentiable ops. */
function byOps(
  { trace, recurrentKernel, mask, sizes }: Steps,
  dhs: Tensor | null,
  dtrace: Tensor | null,
): Gradient {
  const { batch, time, units } = sizes;
  const zeros = () => fill([batch, units], 0);
  let dh: Tensor | null = null;
  const gates: Tensor[] = [];
  const products: Tensor[] = [];
  for (let t = time - 1; t >= 0; t--) {
    const counts = stepOf(mask, t);
    const [update, reset, candidate, inner, kept] = blocksOf(stepOf(trace, t));
    const traced = dtrace ? blocksOf(stepOf(dtrace, t)) : noBlocks;
    const state: Tensor = sumOf(stepOf(dhs, t), dh) ?? zeros();
    const ofCandidate = sumOf(mul(state, sub(1, update)), traced[2]);
    const bent = mul(ofCandidate, sub(1, square(candidate)));
    const updates = sumOf(mul(state, sub(kept, candidate)), traced[0]);
    const resets = sumOf(mul(bent, inner), traced[1]);
    const both = [mul(updates, sigmoidDerivative(update)), mul(resets, sigmoidDerivative(reset))];
    const ofInner = sumOf(mul(bent, reset), traced[3]);
    const dgates = whereCounts(counts, concat([...both, bent], { axis: -1 }), 0);
    const dproducts = whereCounts(counts, concat([...both, ofInner], { axis: -1 }), 0);
    const passed = sumOf(mul(state, update), traced[4]);
    const product = matMul(dproducts, recurrentKernel, { transposeB: true });
    dh = add(product, whereCounts(counts, passed, state));
    gates.unshift(dgates);
    products.unshift(dproducts);
  }
  const joined = (steps: Tensor[]) => (time > 0 ? stack(steps, { axis: 1 }) : fill([batch, 0, 3 * units], 0));
  return { dgates: joined(gates), dproducts: joined(products), dh: dh ?? zeros() };
}

/** Returns the state before each step: the last block of the trace. */
function statesBefore(trace: Tensor, { batch, time, units }: StepSizes): Tensor {
  return slice(trace, { begin: [0, 0, 4 * units], size: [batch, time, units] });
}
