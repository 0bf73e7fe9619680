/**
 * @file The gates of an LSTM and of a GRU at one step, and their gradients. One invocation computes one unit of one sample.
 * The matmul with the recurrent kernel is `given`, computed before by the matrix engine, or `own`: summed here, which saves
 * a launch at each step where a step is small.
 *
 * `trace` is what the gradient reads: for each sample and step five rows of values a unit, the gates and what they acted
 * on. Where the mask is false, states are carried over, and the trace is zeros.
 *
 * Sources: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000; Cho et al.,
 * Learning phrase representations using RNN encoder-decoder, 2014.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, preciseTanh, sigmoid } from './lib/math.ts';
import { each, range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export const stepWorkgroup = 64;

/** Blocks of units in the gates. */
export const gateCount = { lstm: 4, gru: 3 } as const;
export type StepKind = keyof typeof gateCount;

export type StepOptions = {
  mask: boolean;
  /** Whether the state's matmul is a launch of its own, or computed inline from the arrays of the neighbouring step. */
  stateMatMul: 'separate' | 'inline';
  /** Whether the inline matmul begins with a bias. */
  bias: boolean;
};

export type StepGradientOptions = {
  mask: boolean;
  /** None at the last step, which no later one hands a gradient. */
  stateMatMul: 'separate' | 'inline' | 'none';
  /** Whether the outputs have a cotangent. */
  dh: boolean;
  /** Whether the cells have one. */
  dc: boolean;
};

function eachUnit(body: string): string {
  return wgsl`
${flatIndex}
${mathFunctions(body)}
@compute @workgroup_size(${stepWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${stepWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let line = i / params.units;
  let unit = i % params.units;
  // A line is a sample; rows count the steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;
  ${body}
}
`;
}

/** Where gate `k` of `gates` lies for `row`, or `line`. */
const at = (row: 'row' | 'line', gates: number, k: number) =>
  `(${row} * ${gates}u + ${k}u) * params.units + unit`;

/** Stores the five rows that the gradient reads. */
const writeTrace = (values: readonly string[]) =>
  each(values, (value, k) => `trace[${at('row', 5, k)}] = ${value};`);

const clearTrace = writeTrace(['0.0', '0.0', '0.0', '0.0', '0.0']);

/** `product_0` and so on: the previous state times the recurrent kernel, for each gate. */
function stateTimesKernel(kind: StepKind, { stateMatMul, bias }: StepOptions): string {
  const count = gateCount[kind];
  const gates = range(count);
  if (stateMatMul === 'separate')
    return each(gates, (k) => `let product_${k} = recurrent[${at('line', count, k)}];`);
  const first = (k: number) => (bias ? `recurrent_bias[${k}u * params.units + unit]` : '0.0');
  const weight = (k: number) => `recurrent_kernel[column + ${k}u * params.units]`;
  return wgsl`${each(gates, (k) => `var product_${k} = ${first(k)};`)}
  let before = (row - 1u) * params.units;
  for (var k = 0u; k < params.units; k++) {
    let state = hs[before + k];
    let column = k * ${count}u * params.units + unit;
    ${each(gates, (k) => `product_${k} = fma(state, ${weight(k)}, product_${k});`)}
  }`;
}

/** `product`: the gradient that the next step hands back through the recurrent kernel. */
function stateGradient(
  kind: StepKind,
  stateMatMul: StepGradientOptions['stateMatMul'],
  from: 'dgates' | 'dproducts',
): string {
  if (stateMatMul === 'none') return '';
  if (stateMatMul === 'separate') return 'let product = recurrent[i];';
  const width = `${gateCount[kind]}u * params.units`;
  return wgsl`var product = 0.0;
  let after = (row + 1u) * ${width};
  for (var k = 0u; k < ${width}; k++) {
    product = fma(${from}[after + k], transposed_kernel[k * params.units + unit], product);
  }`;
}

const sumOf = (...terms: (string | false)[]) => terms.filter(Boolean).join(' + ') || '0.0';

export function lstmStep(options: StepOptions): string {
  const own = options.stateMatMul === 'inline';
  return eachUnit(wgsl`let previous_cell = c[i];
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = ${own ? 'hs[place - params.units]' : 'h[i]'};
    cs[place] = previous_cell;
    ${clearTrace}
    return;
  }
#endif
  ${stateTimesKernel('lstm', options)}
  let input_gate = ${sigmoid(`gates[${at('row', 4, 0)}] + product_0`)};
  let forget_gate = ${sigmoid(`gates[${at('row', 4, 1)}] + product_1`)};
  let candidate = ${preciseTanh(`gates[${at('row', 4, 2)}] + product_2`)};
  let output_gate = ${sigmoid(`gates[${at('row', 4, 3)}] + product_3`)};
  let next_cell = forget_gate * previous_cell + input_gate * candidate;
  let next_state = output_gate * ${preciseTanh('next_cell')};
#if ${!own}
  h[i] = next_state;
#endif
  c[i] = next_cell;
  hs[place] = next_state;
  cs[place] = next_cell;
  ${writeTrace(['input_gate', 'forget_gate', 'candidate', 'output_gate', 'previous_cell'])}`);
}

/** `carry` holds the cotangent of the cell, and in its second half that of a state that was carried over. */
export function lstmStepGradient({ mask, dh, dc, stateMatMul }: StepGradientOptions): string {
  const below = mask && 'carry[params.count + i]';
  const gates = (values: readonly string[]) => {
    const all = each(values, (value, k) => `dgates[${at('row', 4, k)}] = ${value};`);
    const step = each(values, (value, k) => `dstep[${at('line', 4, k)}] = ${value};`);
    return stateMatMul === 'inline' ? all : `${all}\n${step}`;
  };
  return eachUnit(wgsl`${stateGradient('lstm', stateMatMul, 'dgates')}
  let state = ${sumOf(dh && 'dhs[place]', stateMatMul !== 'none' && 'product', below)};
  let cell = ${sumOf('carry[i]', dc && 'dcs[place]')};
#if ${mask}
  if (mask[row] == 0u) {
    carry[i] = cell;
    carry[params.count + i] = state;
    ${gates(['0.0', '0.0', '0.0', '0.0'])}
    return;
  }
  carry[params.count + i] = 0.0;
#endif
  let input_gate = trace[${at('row', 5, 0)}];
  let forget_gate = trace[${at('row', 5, 1)}];
  let candidate = trace[${at('row', 5, 2)}];
  let output_gate = trace[${at('row', 5, 3)}];
  let previous_cell = trace[${at('row', 5, 4)}];
  let cell_tanh = ${preciseTanh('forget_gate * previous_cell + input_gate * candidate')};
  let total = cell + state * output_gate * (1.0 - cell_tanh) * (1.0 + cell_tanh);
  carry[i] = total * forget_gate;
  let d_input_gate = total * candidate * input_gate * (1.0 - input_gate);
  let d_forget_gate = total * previous_cell * forget_gate * (1.0 - forget_gate);
  let d_candidate = total * input_gate * (1.0 - candidate) * (1.0 + candidate);
  let d_output_gate = state * cell_tanh * output_gate * (1.0 - output_gate);
  ${gates(['d_input_gate', 'd_forget_gate', 'd_candidate', 'd_output_gate'])}`);
}

export function gruStep(options: StepOptions): string {
  const own = options.stateMatMul === 'inline';
  return eachUnit(wgsl`let previous_state = ${own ? 'hs[place - params.units]' : 'h[i]'};
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = previous_state;
    ${clearTrace}
    return;
  }
#endif
  ${stateTimesKernel('gru', options)}
  let update_gate = ${sigmoid(`gates[${at('row', 3, 0)}] + product_0`)};
  let reset_gate = ${sigmoid(`gates[${at('row', 3, 1)}] + product_1`)};
  let candidate = ${preciseTanh(`gates[${at('row', 3, 2)}] + reset_gate * product_2`)};
  let next_state = candidate + update_gate * (previous_state - candidate);
#if ${!own}
  h[i] = next_state;
#endif
  hs[place] = next_state;
  ${writeTrace(['update_gate', 'reset_gate', 'candidate', 'product_2', 'previous_state'])}`);
}

/** `carry` holds the cotangent that passes by the gates. */
export function gruStepGradient({ mask, dh, stateMatMul }: StepGradientOptions): string {
  const gates = (values: readonly string[], product: string) => {
    const dgates = each(values, (value, k) => `dgates[${at('row', 3, k)}] = ${value};`);
    const dproducts = each([values[0], values[1], product], (value, k) => {
      const all = `dproducts[${at('row', 3, k)}] = ${value};`;
      const step = `dstep[${at('line', 3, k)}] = ${value};`;
      return stateMatMul === 'inline' ? all : [all, step].join('\n');
    });
    return `${dgates}\n${dproducts}`;
  };
  return eachUnit(wgsl`${stateGradient('gru', stateMatMul, 'dproducts')}
  let state = ${sumOf('carry[i]', dh && 'dhs[place]', stateMatMul !== 'none' && 'product')};
#if ${mask}
  if (mask[row] == 0u) {
    carry[i] = state;
    ${gates(['0.0', '0.0', '0.0'], '0.0')}
    return;
  }
#endif
  let update_gate = trace[${at('row', 5, 0)}];
  let reset_gate = trace[${at('row', 5, 1)}];
  let candidate = trace[${at('row', 5, 2)}];
  let candidate_product = trace[${at('row', 5, 3)}];
  let previous_state = trace[${at('row', 5, 4)}];
  carry[i] = state * update_gate;
  let d_candidate = state * (1.0 - update_gate) * (1.0 - candidate) * (1.0 + candidate);
  let d_update_gate = state * (previous_state - candidate) * update_gate * (1.0 - update_gate);
  let d_reset_gate = d_candidate * candidate_product * reset_gate * (1.0 - reset_gate);
  let d_candidate_product = d_candidate * reset_gate;
  ${gates(['d_update_gate', 'd_reset_gate', 'd_candidate'], 'd_candidate_product')}`);
}
