/**
 * @file The matmul with the recurrent kernel within the kernel of a step. A workgroup computes the products of a few samples
 * for adjacent units: `lanes` invocations share the sum over the states (or, in the gradient, over the gates), each for one
 * vector of units and all samples, so that values read from the recurrent kernel are used for every sample.
 *
 * In the generated code T is a unit, or four adjacent ones, and `units` counts T.
 */
import { components, each, range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type InlineOptions = {
  /** Units per vector; their number is a multiple of it. */
  width: 1 | 4;
  /** Samples that a workgroup computes. */
  samples: 1 | 2 | 4;
};

export const inlineWorkgroup = 128;

/** The number of T that a workgroup computes for each sample, and the number of invocations that share each. */
export function inlineTile({ width }: Pick<InlineOptions, 'width'>): { columns: number; lanes: number } {
  const columns = width === 4 ? 8 : 32;
  return { columns, lanes: inlineWorkgroup / columns };
}

/** Memory for the sums of single lanes and the products: `vectors` at a time. */
const memory = (vectors: number) => `var<workgroup> sums: array<T, ${vectors}>;`;

/** Declares the samples and units of the workgroup, and `column` and `lane` of the invocation. */
function place({ width, samples }: InlineOptions, neighbours: 'columns' | 'lanes'): string {
  const { columns, lanes } = inlineTile({ width });
  const [column, lane] =
    neighbours === 'columns'
      ? [`local % ${columns}u`, `local / ${columns}u`]
      : [`local / ${lanes}u`, `local % ${lanes}u`];
  return `let tiles = (params.units + ${columns - 1}u) / ${columns}u;
  let index = flat_group(group, groups);
  let first_line = (index / tiles) * ${samples}u;
  let first_unit = (index % tiles) * ${columns}u;
  let column = ${column};
  let lane = ${lane};
  let own_unit = min(first_unit + column, params.units - 1u);`;
}

/** Assigns each invocation its sample and unit, once the products are computed. */
function ownUnit({ width, samples }: InlineOptions): string {
  const { columns } = inlineTile({ width });
  return `let sample = local / ${columns}u;
  let line = first_line + sample;
  let unit = first_unit + local % ${columns}u;
  if (local >= ${samples * columns}u || line >= params.batch || unit >= params.units) {
    return;
  }`;
}

const partsOf = (width: 1 | 4, vector: string) =>
  width === 4 ? components.map((c) => `${vector}.${c}`) : [vector];

/** `product_<k>` of each gate: the state before the step times the recurrent kernel, and the bias. */
export function stateProducts(gates: number, bias: boolean, options: InlineOptions) {
  const { width, samples } = options;
  const { columns, lanes } = inlineTile(options);
  const all = range(gates);
  const own = range(samples);
  const multiply = (c: number) => `{
      let column_of_kernel = (k * ${width}u + ${c}u) * ${gates}u * params.units + own_unit;
      ${each(all, (g) => `let weight_${g} = recurrent_kernel[column_of_kernel + ${g}u * params.units];`)}
      ${each(own, (s) => each(all, (g) => `sum_${s}_${g} += ${partsOf(width, `state_${s}`)[c]} * weight_${g};`))}
    }`;
  const reduce = (s: number) => `${each(all, (g) => `sums[${g * inlineWorkgroup}u + local] = sum_${s}_${g};`)}
  workgroupBarrier();
  var total_${s} = T();
  if (local < ${gates * columns}u) {
    let first = (local / ${columns}u) * ${inlineWorkgroup}u + local % ${columns}u;
    for (var other = 0u; other < ${lanes}u; other++) {
      total_${s} += sums[first + other * ${columns}u];
    }
  }
  workgroupBarrier();`;
  const offset = (g: number) => (bias ? ` + recurrent_bias[${g}u * params.units + unit]` : '');
  return {
    memory: memory(gates * inlineWorkgroup),
    prologue: wgsl`${place(options, 'columns')}
  ${each(own, (s) => `let before_${s} = (min(first_line + ${s}u, params.batch - 1u) * params.time + params.step - 1u) * params.units;`)}
  ${each(own, (s) => each(all, (g) => `var sum_${s}_${g} = T();`))}
  for (var k = lane; k < params.units; k += ${lanes}u) {
    ${each(own, (s) => `let state_${s} = hs[before_${s} + k];`)}
    ${each(range(width), multiply)}
  }
  ${each(own, reduce)}
  if (local < ${gates * columns}u) {
    ${each(own, (s) => `sums[${s * gates * columns}u + local] = total_${s};`)}
  }
  workgroupBarrier();
  ${ownUnit(options)}`,
    products: each(
      all,
      (g) =>
        `let product_${g} = sums[(sample * ${gates}u + ${g}u) * ${columns}u + local % ${columns}u]${offset(g)};`,
    ),
  };
}

/** `product`: the gradient from the next step through the recurrent kernel, which isn't transposed. */
export function gateProducts(gates: number, from: 'dgates' | 'dproducts', options: InlineOptions) {
  const { width, samples } = options;
  const { columns, lanes } = inlineTile(options);
  const own = range(samples);
  const units = range(width);
  // Not dot(), which starts with a product and ends with a sum, instead of chained multiply-adds.
  const dot = (s: number, u: number) =>
    width === 4
      ? each(components, (c) => `sum_${s}.${components[u]} += gradient_${s}.${c} * weight_${u}.${c};`)
      : `sum_${s} += gradient_${s} * weight_${u};`;
  return {
    memory: memory(samples * inlineWorkgroup),
    prologue: wgsl`${place(options, 'lanes')}
  let length = ${gates}u * params.units;
  ${each(own, (s) => `let after_${s} = (min(first_line + ${s}u, params.batch - 1u) * params.time + params.step + 1u) * length;`)}
  let weights = own_unit * ${width}u * length;
  ${each(own, (s) => `var sum_${s} = T();`)}
  for (var k = lane; k < length; k += ${lanes}u) {
    ${each(own, (s) => `let gradient_${s} = ${from}[after_${s} + k];`)}
    ${each(units, (u) => `let weight_${u} = recurrent_kernel[weights + ${u}u * length + k];`)}
    ${each(own, (s) => each(units, (u) => dot(s, u)))}
  }
  ${each(own, (s) => `sums[${s * inlineWorkgroup}u + local] = sum_${s};`)}
  workgroupBarrier();
  ${ownUnit(options)}`,
    products: `var product = T();
  for (var other = 0u; other < ${lanes}u; other++) {
    product += sums[sample * ${inlineWorkgroup}u + (local % ${columns}u) * ${lanes}u + other];
  }`,
  };
}
