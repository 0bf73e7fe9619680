/**
 * @file The gates of an LSTM and of a GRU at one step, and their gradients. One invocation computes one unit of one sample;
 * products of states and kernels are made before, by the matrix engine.
 *
 * `trace` is what the gradient reads: for each sample and step five rows of values a unit, the gates and what they acted
 * on. Where the mask is false, states are carried over, and the trace is zeros.
 *
 * Sources: Hochreiter and Schmidhuber, Long short-term memory, 1997; Gers et al., Learning to forget, 2000; Cho et al.,
 * Learning phrase representations using RNN encoder-decoder, 2014.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export const stepWorkgroup = 64;

export type StepOptions = {
  mask: boolean;
};

export type StepGradientOptions = StepOptions & {
  /** Whether the outputs have a cotangent. */
  dh: boolean;
  /** Whether the cells have one. */
  dc: boolean;
  /** Whether a later step hands one back through the recurrent kernel. */
  recurrent: boolean;
};

/** `unit` of `line` at the step: `at(gates, k)` is where gate k lies in an array of so many gates. */
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
  ${body}
}
`;
}

/** Where gate `k` of `gates` lies for `row`, or `line`. */
const at = (row: 'row' | 'line', gates: number, k: number) =>
  `(${row} * ${gates}u + ${k}u) * params.units + unit`;

const traced = (values: readonly string[]) =>
  values.map((value, k) => `trace[${at('row', 5, k)}] = ${value};`).join('\n  ');

export function lstmStep({ mask }: StepOptions): string {
  return eachUnit(wgsl`
  let place = row * params.units + unit;
  let kept = c[i];
#if ${mask}
  if (mask[row] == 0u) {
    hs[place] = h[i];
    cs[place] = kept;
    ${traced(['0.0', '0.0', '0.0', '0.0', '0.0'])}
    return;
  }
#endif
  let written = sigmoid(gates[${at('row', 4, 0)}] + recurrent[${at('line', 4, 0)}]);
  let remembered = sigmoid(gates[${at('row', 4, 1)}] + recurrent[${at('line', 4, 1)}]);
  let candidate = precise_tanh(gates[${at('row', 4, 2)}] + recurrent[${at('line', 4, 2)}]);
  let shown = sigmoid(gates[${at('row', 4, 3)}] + recurrent[${at('line', 4, 3)}]);
  let next = remembered * kept + written * candidate;
  let state = shown * precise_tanh(next);
  h[i] = state;
  c[i] = next;
  hs[place] = state;
  cs[place] = next;
  ${traced(['written', 'remembered', 'candidate', 'shown', 'kept'])}`);
}

/** `carry` holds the cotangent of the cell, and in its second half that of a state that was carried over. */
export function lstmStepGradient({ mask, dh, dc, recurrent }: StepGradientOptions): string {
  const below = mask ? 'carry[params.count + i]' : '';
  const state = [dh && 'dhs[place]', recurrent && 'recurrent[i]', below].filter(Boolean).join(' + ') || '0.0';
  const gates = (values: readonly string[]) =>
    values
      .map((value, k) => `dgates[${at('row', 4, k)}] = ${value};\n  dstep[${at('line', 4, k)}] = ${value};`)
      .join('\n  ');
  return eachUnit(wgsl`
  let place = row * params.units + unit;
  let state = ${state};
  let cell = carry[i]${dc ? ' + dcs[place]' : ''};
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
  let bent = precise_tanh(remembered * kept + written * candidate);
  let total = cell + state * shown * (1.0 - bent) * (1.0 + bent);
  carry[i] = total * remembered;
  let dwritten = total * candidate * written * (1.0 - written);
  let dremembered = total * kept * remembered * (1.0 - remembered);
  let dcandidate = total * written * (1.0 - candidate) * (1.0 + candidate);
  let dshown = state * bent * shown * (1.0 - shown);
  ${gates(['dwritten', 'dremembered', 'dcandidate', 'dshown'])}`);
}

export function gruStep({ mask }: StepOptions): string {
  return eachUnit(wgsl`
  let place = row * params.units + unit;
  let kept = h[i];
#if ${mask}
  if (mask[row] == 0u) {
    hs[place] = kept;
    ${traced(['0.0', '0.0', '0.0', '0.0', '0.0'])}
    return;
  }
#endif
  let updated = sigmoid(gates[${at('row', 3, 0)}] + recurrent[${at('line', 3, 0)}]);
  let read = sigmoid(gates[${at('row', 3, 1)}] + recurrent[${at('line', 3, 1)}]);
  let inner = recurrent[${at('line', 3, 2)}];
  let candidate = precise_tanh(gates[${at('row', 3, 2)}] + read * inner);
  let state = candidate + updated * (kept - candidate);
  h[i] = state;
  hs[place] = state;
  ${traced(['updated', 'read', 'candidate', 'inner', 'kept'])}`);
}

/** `carry` holds the cotangent that passes by the gates. */
export function gruStepGradient({ mask, dh, recurrent }: StepGradientOptions): string {
  const state = ['carry[i]', dh && 'dhs[place]', recurrent && 'recurrent[i]'].filter(Boolean).join(' + ');
  const gates = (values: readonly string[], inner: string) => {
    const before = values.map((value, k) => `dgates[${at('row', 3, k)}] = ${value};`);
    const products = [values[0], values[1], inner].flatMap((value, k) => [
      `dproducts[${at('row', 3, k)}] = ${value};`,
      `dstep[${at('line', 3, k)}] = ${value};`,
    ]);
    return [...before, ...products].join('\n  ');
  };
  return eachUnit(wgsl`
  let place = row * params.units + unit;
  let state = ${state};
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
