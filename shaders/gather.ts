/**
 * @file Gather: the rows of a table selected by indices. An entry's row is one run of `inner` elements in each of `outer`
 * blocks of its batch: x [batch, outer, rows, inner] → out [batch, outer, entries, inner].
 *
 * One invocation moves `perInvocation` consecutive elements or vectors (`width`) of a row (a group, see lib/lineGroups.ts); or, if a row is a
 * single element, as many consecutive entries. Values are moved as bits, so that all dtypes share a pipeline. Of the many
 * invocations that read an index, only the first reports it.
 */
import { flatIndex } from './lib/indexing.ts';
import { groupOfLine } from './lib/lineGroups.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export type GatherOptions = IndexLibraryOptions & {
  /** True if batch and outer are 1. */
  flat: boolean;
  width: 1 | 4;
  /**
   * At most `inner`. If rows are `single`: at most `count`, and unless `flat`, a divisor of the entries of a batch, so that no
   * invocation has elements of two blocks.
   */
  perInvocation: number;
  /** True if a row is one element or vector, so that entries are consecutive. */
  single: boolean;
  /**
   * For single rows addressed `along` an axis: whether the elements of an invocation are in at most two slabs, and in at most
   * two lines of `span` or in lines of one, so that only its first entry needs divisions.
   */
  stepwise: boolean;
};

export const gatherWorkgroup = 256;

/** Returns whether rows are divided into groups of several elements, one per invocation. */
export function isGrouped({
  single,
  perInvocation,
}: Pick<GatherOptions, 'single' | 'perInvocation'>): boolean {
  return !single && perInvocation > 1;
}

export function gather({ flat, width, perInvocation, single, stepwise, ...index }: GatherOptions): string {
  const steps = Array.from({ length: perInvocation }, (_, i) => `${i}u`);
  const each = (value: (step: string) => string) =>
    steps.map((step) => `out[first + ${step}] = ${value(step)};`).join('\n  ');
  const slabAt = (step: string) => `slab + select(0u, 1u, rest + ${step} >= params.slab)`;
  const rowAlong = (step: string) =>
    `row_along(first + ${step}, ${slabAt(step)}, wrapped(within + ${step}), true)`;
  const invocation = `flat_index(group, groups, local, ${gatherWorkgroup}u)`;
  const grouped = isGrouped({ single, perInvocation });
  const filled = width === 4 ? 'vec4<u32>(params.fill)' : 'params.fill';
  return wgsl`
${flatIndex}
${indexLibrary(index)}
#if ${single}
fn element_of(row: u32, base: u32) -> ${width === 4 ? 'vec4<u32>' : 'u32'} {
  // Always reads, which costs less than a branch. WebGPU defines reads beyond the table.
  return select(x[base + row], ${filled}, row == OUTSIDE);
}
#endif
#if ${stepwise}
fn wrapped(within: u32) -> u32 {
  return select(select(within, within - params.span, within >= params.span), 0u, params.span == 1u);
}
#endif
@compute @workgroup_size(${gatherWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${grouped}
  ${groupOfLine(invocation, 'within', 'params.inner', perInvocation)}
  let i = line * params.inner + within;
#else
  let i = ${invocation} * ${perInvocation}u;
#endif
  if (i >= params.count) {
    return;
  }
#if ${single}
  // The last one starts earlier instead of running past the end: some entries are moved twice.
  let first = min(i, params.count - ${perInvocation}u);
#if ${stepwise}
  let slab = first / params.slab;
  let rest = first - slab * params.slab;
  let within = first % params.span;
  ${each((step) => `element_of(${rowAlong(step)}, 0u)`)}
#elif ${flat}
  ${each((step) => `element_of(row_of(first + ${step}, true), 0u)`)}
#else
  let block = first / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + first % params.entries;
  let reports = block % params.outer == 0u;
  ${each((step) => `element_of(row_of(entry + ${step}, reports), base)`)}
#endif
#else
  ${grouped ? '' : 'let line = i / params.inner;\n  let within = i % params.inner;'}
#if ${flat}
  let base = 0u;
  let row = row_of(line, within == 0u);
#else
  // block counts [batch, outer]: each holds all rows of the table.
  let block = line / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + line % params.entries;
  let row = row_of(entry, within == 0u && block % params.outer == 0u);
#endif
  if (row == OUTSIDE) {
    ${steps.map((step) => `out[i + ${step}] = ${filled};`).join('\n    ')}
  } else {
    let start = (base + row) * params.inner + within;
    ${steps.map((step) => `out[i + ${step}] = x[start + ${step}];`).join('\n    ')}
  }
#endif
}
`;
}
