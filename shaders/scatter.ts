/**
 * @file Scatter-add, gather's adjoint: updates [batch, outer, entries, inner] are summed into the rows selected by their
 * entries, out [batch, outer, rows, inner]. No float atomics: every output element sums its own entries in ascending order,
 * so that the same input gives the same bits.
 *
 * `direct`: each output element searches all entries of its batch. One launch, for small calls.
 * `owned`: the entries are divided into a few chunks, each with a table of its own, which is zero before: [chunks, batch, outer,
 * rows, inner]. An invocation owns one element of every row of a table, and adds the updates of the chunk to it. For CPUs, which
 * have few cores.
 * `sum`: iterates over the list of a row's entries (shaders/sort). Long lists are shortened by `fold`: aligned chunks of the
 * sorted entries that are entirely in one row are summed in advance, and chunks of chunks, so that a million entries in
 * one row take three loops of at most a few hundred steps.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions, rowFunctions } from './lib/indices.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export const scatterWorkgroup = 256;
/** Entries in a chunk, and chunks in a chunk of chunks. */
export const chunkLength = 128;

/** Elements an invocation computes: `type` is the WGSL type of one, `width` their count. */
type ElementOptions = { type: string; width: 1 | 4 };

const elementOf = ({ type, width }: ElementOptions) => (width === 4 ? `vec4<${type}>` : type);

const entryPoint = /* wgsl */ `
@compute @workgroup_size(${scatterWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${scatterWorkgroup}u);
  if (i >= params.count) {
    return;
  }`;

/** Output element i: its position in its row, its block [batch, outer], and its row. */
const outputElement = /* wgsl */ `
  let within = i % params.inner;
  let row = (i / params.inner) % params.rows;
  let block = i / params.inner / params.rows;
  let batch = block / params.outer;`;

export type DirectScatterOptions = IndexLibraryOptions & ElementOptions;

export function directScatter({ type, width, ...index }: DirectScatterOptions): string {
  return wgsl`
${flatIndex}
${indexLibrary(index)}
${entryPoint}
${outputElement}
  // The first of the elements that look through this batch reports.
  let reports = row == 0u && within == 0u && block % params.outer == 0u;
  var total = ${elementOf({ type, width })}();
  for (var k = 0u; k < params.entries; k++) {
    if (row_of(batch * params.entries + k, reports) == row) {
      total += updates[(block * params.entries + k) * params.inner + within];
    }
  }
  out[i] = total;
}
`;
}

export type OwnedScatterOptions = IndexLibraryOptions &
  ElementOptions & {
    workgroup: number;
  };

/** A loop costs a software adapter as much as an update. */
const updatesPerIteration = 4;

export function ownedScatter(options: OwnedScatterOptions): string {
  const { check, workgroup } = options;
  const isChecked = check !== 'none';
  // A negative index may be no fault. Only ids, which are single indices, are checked so.
  const ignored = check === 'above' ? ' & (bitcast<i32>(indices[first + k]) >= 0)' : '';
  // No branches: an update that doesn't count adds zero to the last row.
  const step = (offset: number) => `{
      let k = begin + ${offset}u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(${elementOf(options)}(), update, (row < params.rows) & (k < end));
      ${isChecked ? `fault = min(fault, select(OUTSIDE, k, (row == OUTSIDE) & (k < end)${ignored}));` : ''}
    }`;
  return wgsl`
${flatIndex}
${indexLibrary({ ...options, check: 'none' })}
#if ${isChecked}
${rowFunctions(options, '_reporting')}
#endif
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${workgroup}u);
  if (i >= params.count) {
    return;
  }
  let within = i % params.inner;
  let table = i / params.inner;
  let block = table % params.blocks;
  let start = table / params.blocks * params.chunk;
  let first = block / params.outer * params.entries;
#if ${isChecked}
  // A software rasterizer computes what a branch guards even where no one takes it, so the report is left until after the loop.
  var fault = OUTSIDE;
#endif
  let end = min(start + params.chunk, params.entries);
  for (var begin = start; begin < end; begin += ${updatesPerIteration}u) {
    ${repeat(updatesPerIteration, step)}
  }
#if ${isChecked}
  if (fault != OUTSIDE && within == 0u && block % params.outer == 0u) {
    _ = row_of_reporting(first + fault, true);
  }
#endif
}
`;
}

export type SumOptions = ElementOptions & {
  /** Whether chunks were summed in advance. */
  folded: boolean;
};

export function sumRows({ folded, ...element }: SumOptions): string {
  const chunk = `${chunkLength}u`;
  const superchunk = `${chunkLength ** 2}u`;
  return wgsl`
${flatIndex}
${entryPoint}
${outputElement}
  let key = batch * params.rows + row;
  let end = offsets[key + 1u];
  var at = offsets[key];
  var total = ${elementOf(element)}();
#if ${folded}
  let within_chunk = (block % params.outer) * params.inner + within;
  let chunk_stride = params.outer * params.inner;
#endif
  while (at < end) {
#if ${folded}
    if (at % ${superchunk} == 0u && end - at >= ${superchunk}) {
      total += superchunks[(at / ${superchunk}) * chunk_stride + within_chunk];
      at += ${superchunk};
      continue;
    }
    if (at % ${chunk} == 0u && end - at >= ${chunk}) {
      total += chunks[(at / ${chunk}) * chunk_stride + within_chunk];
      at += ${chunk};
      continue;
    }
#endif
    let k = order[at] - batch * params.entries;
    total += updates[(block * params.entries + k) * params.inner + within];
    at += 1u;
  }
  out[i] = total;
}
`;
}

export type FoldOptions = ElementOptions & {
  /** Of entries into chunks, or of chunks into chunks of chunks. */
  level: 'entries' | 'chunks';
};

/** Sums chunk c of [count, outer, inner], if all its entries select the same row; otherwise it stays undefined. */
export function foldChunks({ level, ...element }: FoldOptions): string {
  const length = level === 'entries' ? chunkLength : chunkLength ** 2;
  return wgsl`
${flatIndex}
${entryPoint}
  let stride = params.outer * params.inner;
  let chunk = i / stride;
  let element = i % stride;
  let first = order[chunk * ${length}u];
  let last = order[chunk * ${length}u + ${length - 1}u];
  let key = keys[first];
  if (key != keys[last] || key >= params.total) {
    return;
  }
  var total = ${elementOf(element)}();
#if ${level === 'entries'}
  let batch = first / params.entries;
  let block = batch * params.outer + element / params.inner;
  let within = element % params.inner;
  for (var t = 0u; t < ${chunkLength}u; t++) {
    let k = order[chunk * ${chunkLength}u + t] - batch * params.entries;
    total += updates[(block * params.entries + k) * params.inner + within];
  }
#else
  for (var t = 0u; t < ${chunkLength}u; t++) {
    total += updates[(chunk * ${chunkLength}u + t) * stride + element];
  }
#endif
  out[i] = total;
}
`;
}
