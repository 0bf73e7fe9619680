/**
 * @file The gates of an LSTM and of a GRU at one step, and their gradients. One invocation computes one unit of one sample.
 * Products with the recurrent kernel are `given`, made before by the matrix engine, or `own`: summed up here, which saves a
 * launch a step where a step is small.
 *
 * `trace` is what the gradient reads: for each sample and step five rows of values a unit, the gates and what they acted
 * on. Where the mask is false, states are carried over, and the trace is zeros.
 *
 * Sources: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000; Cho et al.,
 * Learning phrase representations using RNN encoder-decoder, 2014.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, preciseTanh, sigmoid } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export const stepWorkgroup = 64;

/** Blocks of units in the gates. */
export const gateCount = { lstm: 4, gru: 3 } as const;
export type StepKind = keyof typeof gateCount;

export type StepOptions = {
  mask: boolean;
  /** Own products are those of the step before (for gradients, after) in the same arrays. */
  products: 'given' | 'own';
  /** Whether own products begin with a bias. */
  bias: boolean;
};

export type StepGradientOptions = {
  mask: boolean;
  /** None at the last step, which no later one hands a gradient. */
  products: 'given' | 'own' | 'none';
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
  // Of all steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;
  ${body}
}
`;
}

/** Where gate `k` of `gates` lies for `row`, or `line`. */
const at = (row: 'row' | 'line', gates: number, k: number) =>
  `(${row} * ${gates}u + ${k}u) * params.units + unit`;

const traced = (values: readonly string[]) =>
  values.map((value, k) => `trace[${at('row', 5, k)}] = ${value};`).join('\n  ');

const untraced = traced(['0.0', '0.0', '0.0', '0.0', '0.0']);

/** `product_0` and so on: the state before by the recurrent kernel, for each gate. */
function stateProducts(kind: StepKind, { products, bias }: StepOptions): string {
  const count = gateCount[kind];
  const gates = Array.from({ length: count }, (_, k) => k);
  if (products === 'given')
    return gates.map((k) => `let product_${k} = recurrent[${at('line', count, k)}];`).join('\n  ');
  const first = (k: number) => (bias ? `recurrent_bias[${k}u * params.units + unit]` : '0.0');
  return wgsl`${gates.map((k) => `var product_${k} = ${first(k)};`).join('\n  ')}
  let before = (row - 1u) * params.units;
  for (var k = 0u; k < params.units; k++) {
    let state = hs[before + k];
    let column = k * ${count}u * params.units + unit;
    ${gates
      .map((k) => `product_${k} = fma(state, recurrent_kernel[column + ${k}u * params.units], product_${k});`)
      .join('\n    ')}
  }`;
}

/** `product`: the gradient that the step after hands back through the recurrent kernel. */
function gradientProduct(
  kind: StepKind,
  products: StepGradientOptions['products'],
  from: 'dgates' | 'dproducts',
): string {
  if (products === 'none') return '';
  if (products === 'given') return 'let product = recurrent[i];';
  const width = `${gateCount[kind]}u * params.units`;
  return wgsl`var product = 0.0;
  let after = (row + 1u) * ${width};
  for (var k = 0u; k < ${width}; k++) {
    product = fma(${from}[after + k], transposed_kernel[k * params.units + unit], product);
  }`;
}

const sumOf = (...terms: (string | false)[]) => terms.filter(Boolean).join(' + ') || '0.0';

export function lstmStep(options: StepOptions): string {
  const own = options.products === 'own';
  return eachUnit(wgsl`let kept = c[i];
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = ${own ? 'hs[place - params.units]' : 'h[i]'};
    cs[place] = kept;
    ${untraced}
    return;
  }
#endif
  ${stateProducts('lstm', options)}
  let written = ${sigmoid(`gates[${at('row', 4, 0)}] + product_0`)};
  let remembered = ${sigmoid(`gates[${at('row', 4, 1)}] + product_1`)};
  let candidate = ${preciseTanh(`gates[${at('row', 4, 2)}] + product_2`)};
  let shown = ${sigmoid(`gates[${at('row', 4, 3)}] + product_3`)};
  let next = remembered * kept + written * candidate;
  let next_state = shown * ${preciseTanh('next')};
#if ${!own}
  h[i] = next_state;
#endif
  c[i] = next;
  hs[place] = next_state;
  cs[place] = next;
  ${traced(['written', 'remembered', 'candidate', 'shown', 'kept'])}`);
}

/** `carry` holds the cotangent of the cell, and in its second half that of a state that was carried over. */
export function lstmStepGradient({ mask, dh, dc, products }: StepGradientOptions): string {
  const below = mask && 'carry[params.count + i]';
  const gates = (values: readonly string[]) => {
    const steps =
      products === 'own' ? [] : values.map((value, k) => `dstep[${at('line', 4, k)}] = ${value};`);
    return [...values.map((value, k) => `dgates[${at('row', 4, k)}] = ${value};`), ...steps].join('\n  ');
  };
  return eachUnit(wgsl`${gradientProduct('lstm', products, 'dgates')}
  let state = ${sumOf(dh && 'dhs[place]', products !== 'none' && 'product', below)};
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
  let written = trace[${at('row', 5, 0)}];
  let remembered = trace[${at('row', 5, 1)}];
  let candidate = trace[${at('row', 5, 2)}];
  let shown = trace[${at('row', 5, 3)}];
  let kept = trace[${at('row', 5, 4)}];
  let bent = ${preciseTanh('remembered * kept + written * candidate')};
  let total = cell + state * shown * (1.0 - bent) * (1.0 + bent);
  carry[i] = total * remembered;
  let dwritten = total * candidate * written * (1.0 - written);
  let dremembered = total * kept * remembered * (1.0 - remembered);
  let dcandidate = total * written * (1.0 - candidate) * (1.0 + candidate);
  let dshown = state * bent * shown * (1.0 - shown);
  ${gates(['dwritten', 'dremembered', 'dcandidate', 'dshown'])}`);
}

export function gruStep(options: StepOptions): string {
  const own = options.products === 'own';
  return eachUnit(wgsl`let kept = ${own ? 'hs[place - params.units]' : 'h[i]'};
#if ${options.mask}
  if (mask[row] == 0u) {
    hs[place] = kept;
    ${untraced}
    return;
  }
#endif
  ${stateProducts('gru', options)}
  let updated = ${sigmoid(`gates[${at('row', 3, 0)}] + product_0`)};
  let read = ${sigmoid(`gates[${at('row', 3, 1)}] + product_1`)};
  let candidate = ${preciseTanh(`gates[${at('row', 3, 2)}] + read * product_2`)};
  let next_state = candidate + updated * (kept - candidate);
#if ${!own}
  h[i] = next_state;
#endif
  hs[place] = next_state;
  ${traced(['updated', 'read', 'candidate', 'product_2', 'kept'])}`);
}

/** `carry` holds the cotangent that passes by the gates. */
export function gruStepGradient({ mask, dh, products }: StepGradientOptions): string {
  const gates = (values: readonly string[], inner: string) => {
    const before = values.map((value, k) => `dgates[${at('row', 3, k)}] = ${value};`);
    const after = [values[0], values[1], inner].flatMap((value, k) => [
      `dproducts[${at('row', 3, k)}] = ${value};`,
      ...(products === 'own' ? [] : [`dstep[${at('line', 3, k)}] = ${value};`]),
    ]);
    return [...before, ...after].join('\n  ');
  };
  return eachUnit(wgsl`${gradientProduct('gru', products, 'dproducts')}
  let state = ${sumOf('carry[i]', dh && 'dhs[place]', products !== 'none' && 'product')};
#if ${mask}
  if (mask[row] == 0u) {
    carry[i] = state;
    ${gates(['0.0', '0.0', '0.0'], '0.0')}
    return;
  }
#endif
  let updated = trace[${at('row', 5, 0)}];
  let read = trace[${at('row', 5, 1)}];
  let candidate = trace[${at('row', 5, 2)}];
  let inner = trace[${at('row', 5, 3)}];
  let kept = trace[${at('row', 5, 4)}];
  carry[i] = state * updated;
  let dcandidate = state * (1.0 - updated) * (1.0 - candidate) * (1.0 + candidate);
  let dupdated = state * (kept - candidate) * updated * (1.0 - updated);
  let dread = dcandidate * inner * read * (1.0 - read);
  let dinner = dcandidate * read;
  ${gates(['dupdated', 'dread', 'dcandidate'], 'dinner')}`);
}
