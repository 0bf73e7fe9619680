/**
 * @file The gates of an LSTM and of a GRU at one step, and their gradients. One invocation computes one T, a unit or four
 * adjacent units, of one sample. The matmul with the recurrent kernel is computed before by the matrix engine, or in the same
 * launch by the workgroup (recurrentMatMul.ts), which saves a launch at each step if steps are small.
 *
 * `trace` is read by the gradient: for each sample and step, five rows with a value per unit, the gates and their
 * operands. Where the mask is false, states are carried over, and the trace is zeros.
 *
 * Sources: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000; Cho et al.,
 * Learning phrase representations using RNN encoder-decoder, 2014.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, preciseTanh, sigmoid } from './lib/math.ts';
import { components, each, range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';
import { gateProducts, type InlineOptions, inlineWorkgroup, stateProducts } from './recurrentMatMul.ts';

export const stepWorkgroup = 64;

/** Blocks of units in the gates. */
export const gateCount = { lstm: 4, gru: 3 } as const;
export type StepKind = keyof typeof gateCount;

export type StepOptions = InlineOptions & {
  mask: boolean;
  /** Whether the state's matmul is a separate launch, or computed inline from the arrays of the adjacent step. */
  stateMatMul: 'separate' | 'inline';
  /** Whether the inline matmul begins with a bias. */
  bias: boolean;
};

export type StepGradientOptions = InlineOptions & {
  mask: boolean;
  /** None at the last step, which gets no gradient from a later one. */
  stateMatMul: 'separate' | 'inline' | 'none';
  /** Whether the outputs have a cotangent. */
  dh: boolean;
  /** Whether the cells have a cotangent. */
  dc: boolean;
};

/** The code before the gates, if the workgroup computes the matmul. */
interface InlineMatMul {
  readonly memory: string;
  readonly prologue: string;
  readonly products: string;
}

const ownInvocation = `let i = flat_index(group, groups, local, ${stepWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let line = i / params.units;
  let unit = i % params.units;`;

function eachUnit({ width }: InlineOptions, body: string, matMul: InlineMatMul | null): string {
  const own = activations(width, body);
  return wgsl`
alias T = ${width === 4 ? 'vec4<f32>' : 'f32'};
${flatIndex}
${mathFunctions(own)}
${own}
${matMul?.memory ?? ''}
@compute @workgroup_size(${matMul ? inlineWorkgroup : stepWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${matMul?.prologue ?? ownInvocation}
#if ${matMul !== null}
  let i = line * params.units + unit;
#endif
  // A line is a sample; rows count the steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;
  ${matMul?.products ?? ''}
  ${body}
}
`;
}

const activationFunctions = { sigmoid_of: sigmoid, tanh_of: preciseTanh };

/** The activations of a T that `body` calls. */
function activations(width: 1 | 4, body: string): string {
  const called = Object.entries(activationFunctions).filter(([name]) => body.includes(`${name}(`));
  return each(
    called,
    ([name, of]) => `fn ${name}(x: T) -> T {
  return ${width === 4 ? `T(${components.map((c) => of(`x.${c}`)).join(', ')})` : of('x')};
}
`,
  );
}

/** The index of gate `k` of `gates` for `row` or `line`. */
const at = (row: 'row' | 'line', gates: number, k: number) =>
  `(${row} * ${gates}u + ${k}u) * params.units + unit`;

/** Stores the five rows that the gradient reads. */
const writeTrace = (values: readonly string[]) =>
  each(values, (value, k) => `trace[${at('row', 5, k)}] = ${value};`);

const clearTrace = writeTrace(['T()', 'T()', 'T()', 'T()', 'T()']);

/** Reads the products computed by the matrix engine, with the previous state or with the gradient of the next step. */
const givenProducts = (count: number) =>
  each(range(count), (k) => `let product_${k} = recurrent[${at('line', count, k)}];`);

/** The inline matmul of a step; null if it is computed separately. */
function inlineProducts(kind: StepKind, options: StepOptions): InlineMatMul | null {
  const { stateMatMul, bias } = options;
  return stateMatMul === 'inline' ? stateProducts(gateCount[kind], bias, options) : null;
}

function inlineGradient(
  kind: StepKind,
  options: StepGradientOptions,
  from: 'dgates' | 'dproducts',
): InlineMatMul | null {
  return options.stateMatMul === 'inline' ? gateProducts(gateCount[kind], from, options) : null;
}

const sumOf = (...terms: (string | false)[]) => terms.filter(Boolean).join(' + ') || 'T()';

export function lstmStep(options: StepOptions): string {
  const own = options.stateMatMul === 'inline';
  const body = wgsl`let previous_cell = c[i];
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = ${own ? 'hs[place - params.units]' : 'h[i]'};
    cs[place] = previous_cell;
    ${clearTrace}
    return;
  }
#endif
  ${own ? '' : givenProducts(4)}
  let input_gate = sigmoid_of(gates[${at('row', 4, 0)}] + product_0);
  let forget_gate = sigmoid_of(gates[${at('row', 4, 1)}] + product_1);
  let candidate = tanh_of(gates[${at('row', 4, 2)}] + product_2);
  let output_gate = sigmoid_of(gates[${at('row', 4, 3)}] + product_3);
  let next_cell = forget_gate * previous_cell + input_gate * candidate;
  let next_state = output_gate * tanh_of(next_cell);
#if ${!own}
  h[i] = next_state;
#endif
  c[i] = next_cell;
  hs[place] = next_state;
  cs[place] = next_cell;
  ${writeTrace(['input_gate', 'forget_gate', 'candidate', 'output_gate', 'previous_cell'])}`;
  return eachUnit(options, body, inlineProducts('lstm', options));
}

/** `carry` holds the cotangent of the cell and, behind it, that of a state that was carried over. */
export function lstmStepGradient(options: StepGradientOptions): string {
  const { mask, dh, dc, stateMatMul } = options;
  const below = mask && 'carry[params.count + i]';
  const gates = (values: readonly string[]) => {
    const all = each(values, (value, k) => `dgates[${at('row', 4, k)}] = ${value};`);
    const step = each(values, (value, k) => `dstep[${at('line', 4, k)}] = ${value};`);
    return stateMatMul === 'inline' ? all : `${all}\n${step}`;
  };
  const body = wgsl`${stateMatMul === 'separate' ? 'let product = recurrent[i];' : ''}
  let state = ${sumOf(dh && 'dhs[place]', stateMatMul !== 'none' && 'product', below)};
  let cell = ${sumOf('carry[i]', dc && 'dcs[place]')};
#if ${mask}
  if (mask[row] == 0u) {
    carry[i] = cell;
    carry[params.count + i] = state;
    ${gates(['T()', 'T()', 'T()', 'T()'])}
    return;
  }
  carry[params.count + i] = T();
#endif
  let input_gate = trace[${at('row', 5, 0)}];
  let forget_gate = trace[${at('row', 5, 1)}];
  let candidate = trace[${at('row', 5, 2)}];
  let output_gate = trace[${at('row', 5, 3)}];
  let previous_cell = trace[${at('row', 5, 4)}];
  let cell_tanh = tanh_of(forget_gate * previous_cell + input_gate * candidate);
  let total = cell + state * output_gate * (1.0 - cell_tanh) * (1.0 + cell_tanh);
  carry[i] = total * forget_gate;
  let d_input_gate = total * candidate * input_gate * (1.0 - input_gate);
  let d_forget_gate = total * previous_cell * forget_gate * (1.0 - forget_gate);
  let d_candidate = total * input_gate * (1.0 - candidate) * (1.0 + candidate);
  let d_output_gate = state * cell_tanh * output_gate * (1.0 - output_gate);
  ${gates(['d_input_gate', 'd_forget_gate', 'd_candidate', 'd_output_gate'])}`;
  return eachUnit(options, body, inlineGradient('lstm', options, 'dgates'));
}

export function gruStep(options: StepOptions): string {
  const own = options.stateMatMul === 'inline';
  const body = wgsl`let previous_state = ${own ? 'hs[place - params.units]' : 'h[i]'};
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = previous_state;
    ${clearTrace}
    return;
  }
#endif
  ${own ? '' : givenProducts(3)}
  let update_gate = sigmoid_of(gates[${at('row', 3, 0)}] + product_0);
  let reset_gate = sigmoid_of(gates[${at('row', 3, 1)}] + product_1);
  let candidate = tanh_of(gates[${at('row', 3, 2)}] + reset_gate * product_2);
  let next_state = candidate + update_gate * (previous_state - candidate);
#if ${!own}
  h[i] = next_state;
#endif
  hs[place] = next_state;
  ${writeTrace(['update_gate', 'reset_gate', 'candidate', 'product_2', 'previous_state'])}`;
  return eachUnit(options, body, inlineProducts('gru', options));
}

/** `carry` holds the cotangent that bypasses the gates. */
export function gruStepGradient(options: StepGradientOptions): string {
  const { mask, dh, stateMatMul } = options;
  const gates = (values: readonly string[], product: string) => {
    const dgates = each(values, (value, k) => `dgates[${at('row', 3, k)}] = ${value};`);
    const dproducts = each([values[0], values[1], product], (value, k) => {
      const all = `dproducts[${at('row', 3, k)}] = ${value};`;
      const step = `dstep[${at('line', 3, k)}] = ${value};`;
      return stateMatMul === 'inline' ? all : [all, step].join('\n');
    });
    return `${dgates}\n${dproducts}`;
  };
  const body = wgsl`${stateMatMul === 'separate' ? 'let product = recurrent[i];' : ''}
  let state = ${sumOf('carry[i]', dh && 'dhs[place]', stateMatMul !== 'none' && 'product')};
#if ${mask}
  if (mask[row] == 0u) {
    carry[i] = state;
    ${gates(['T()', 'T()', 'T()'], 'T()')}
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
  ${gates(['d_update_gate', 'd_reset_gate', 'd_candidate'], 'd_candidate_product')}`;
  return eachUnit(options, body, inlineGradient('gru', options, 'dproducts'));
}
