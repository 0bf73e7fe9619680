/** @file An LSTM and a GRU of 512 units, and the attention of a GPT-2-small block, with their gradients. */
import {
  dotProductAttention,
  GradientTape,
  gruSteps,
  lstmSteps,
  matMul,
  mul,
  softmax,
  sum,
  type Tensor,
  variable,
} from 'retrograd';
import { float32, type Problem } from '../problem.ts';

const units = 512;
const time = 16;
const batch = 32;

/** One gate's recurrent multiplications at every step. */
const gateFmas = batch * time * units * units;

function withGradient(y: (...sources: Tensor[]) => Tensor, inputs: readonly Tensor[]) {
  const sources = inputs.map((x) => variable(x));
  const tape = new GradientTape();
  const result = y(...sources);
  return tape.gradient(sum(mul(result, result)), sources);
}

const lstm = (gates: Tensor, kernel: Tensor) => lstmSteps(gates, kernel, null, null, null)[0];
const gru = (gates: Tensor, kernel: Tensor, bias: Tensor) => gruSteps(gates, kernel, bias, null, null)[0];

const lstmInputs = [float32(batch, time, 4 * units), float32(units, 4 * units)];
const gruInputs = [float32(batch, time, 3 * units), float32(units, 3 * units), float32(3 * units)];

/** Scores, softmax, and the weighted values of 12 heads of 64: [heads, 1024, 64] each. */
const attention = (q: Tensor, k: Tensor, v: Tensor) =>
  matMul(softmax(mul(matMul(q, k, { transposeB: true }), 0.125)), v);
const heads = [12, 1024, 64] as const;
const attentionInputs = [float32(...heads), float32(...heads), float32(...heads)];
const attentionFmas = 2 * 12 * 1024 * 1024 * 64;

/** The same by one op: [1, 1024, heads, 64]. */
const fused = (q: Tensor, k: Tensor, v: Tensor) => dotProductAttention(q, k, v);
const fusedInput = float32(1, 1024, 12, 64);
const fusedInputs = [fusedInput, fusedInput, fusedInput];

const problem = (
  family: string,
  name: string,
  inputs: Problem['inputs'],
  fmas: number,
  run: Problem['run'],
): Problem => ({ family, name, inputs, fmas, terms: 0, run });

export const sequenceProblems: readonly Problem[] = [
  problem('recurrent', `LSTM, ${units} units, ${time} steps, batch ${batch}`, lstmInputs, 4 * gateFmas, lstm),
  problem(
    'recurrent',
    `LSTM, ${units} units, ${time} steps, batch ${batch}, with gradient`,
    lstmInputs,
    12 * gateFmas,
    (...inputs) => withGradient(lstm as never, inputs),
  ),
  problem('recurrent', `GRU, ${units} units, ${time} steps, batch ${batch}`, gruInputs, 3 * gateFmas, gru),
  problem(
    'recurrent',
    `GRU, ${units} units, ${time} steps, batch ${batch}, with gradient`,
    gruInputs,
    9 * gateFmas,
    (...inputs) => withGradient(gru as never, inputs),
  ),
  problem(
    'attention',
    'attention by separate ops, 12 heads of 64, 1024',
    attentionInputs,
    attentionFmas,
    attention,
  ),
  problem(
    'attention',
    'attention by separate ops, 12 heads of 64, 1024, with gradient',
    attentionInputs,
    3 * attentionFmas,
    (...inputs) => withGradient(attention as never, inputs),
  ),
  problem('attention', 'dotProductAttention, 12 heads of 64, 1024', fusedInputs, attentionFmas, fused),
  problem(
    'attention',
    'dotProductAttention, 12 heads of 64, 1024, with gradient',
    fusedInputs,
    3 * attentionFmas,
    (...inputs) => withGradient(fused as never, inputs),
  ),
];
