/**
 * @file Scatter-add, gather's adjoint: updates [batch, outer, entries, inner] are summed into the rows selected by their
 * entries, out [batch, outer, rows, inner]. No float atomics: every output element sums its own entries in ascending order,
 * so that the same input gives the same bits.
 *
 * `direct`: each output element searches all entries of its batch. One launch, for small calls.
 * `owned`: the rows are divided among a few parts. An invocation owns one element of every row of its part, searches all
 * entries, and adds those of its rows to the output, which is zero before. For CPUs, which search fast and have few cores.
 * A launch processes a range of entries: all of them, if they are few.
 * `sum`: iterates over the list of a row's entries (shaders/sort). Long lists are shortened by `fold`: aligned chunks of the
 * sorted entries that are entirely in one row are summed in advance, and chunks of chunks, so that a million entries in
 * one row take three loops of at most a few hundred steps.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
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

export type OwnedScatterOptions = ElementOptions & {
  /** A power of two. Part p owns the rows p, p + parts, …, so that frequent rows are distributed. */
  parts: number;
  workgroup: number;
};

export function ownedScatter({ parts, workgroup }: OwnedScatterOptions): string {
  return wgsl`
${flatIndex}
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
  let part = (i / params.inner) % ${parts}u;
  let block = i / params.inner / ${parts}u;
  let batch = block / params.outer;
  let base = block * params.rows;
  let first = batch * params.entries;
  let first_row = batch * params.rows;
  for (var k = params.entry_begin; k < params.entry_end; k++) {
    var row = keys[first + k] - first_row;
#if ${parts > 1}
    // A separate loop: a software rasterizer computes what a branch guards even where no one takes it.
    while ((row & ${parts - 1}u) != part && k + 1u < params.entry_end) {
      k += 1u;
      row = keys[first + k] - first_row;
    }
#endif
    if (row < params.rows && (row & ${parts - 1}u) == part) {
      let at = (base + row) * params.inner + within;
      out[at] += updates[(block * params.entries + k) * params.inner + within];
    }
  }
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
