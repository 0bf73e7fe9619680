/**
 * @file Batched matmul: an instance of the engine with one segment. A slice is a matrix of the batch;
 * either operand may repeat along batch axes (stride 0).
 */
import { type GemmOptions, gemm, type OperandLayout } from './gemm.ts';

export type MatMulOptions = GemmOptions & {
  /** Batch axes after merging. */
  batchRank: number;
};

/**
 * WGSL of an operand that is a matrix with a fixed stride between lines (or between steps of k). Called for every line, so the
 * first batch axis takes what remains of the slice, without a division.
 */
function matrix(name: 'a' | 'b', struct: string, layout: OperandLayout, batchRank: number): string {
  const step = layout.major === 'k' ? 'k' : `k * params.${name}_stride`;
  const line = layout.major === 'k' ? `line * params.${name}_stride` : 'line';
  const axes = Array.from({ length: batchRank }, (_, i) => batchRank - 1 - i);
  const addAxes = axes.map((axis) => {
    const at = (field: string) => `params.${field}[${axis >> 2}][${axis & 3}]`;
    const stride = at(`${name}_batch_strides`);
    if (axis === 0) return `offset += remaining * ${stride};`;
    return `offset += (remaining % ${at('batch_shape')}) * ${stride};
  remaining /= ${at('batch_shape')};`;
  });
  return `
struct ${struct} {
  offset: u32,
}

fn ${name}_line(slice: u32, line: u32) -> ${struct} {
  var remaining = slice;
  var offset = ${line};
  ${addAxes.join('\n  ')}
  return ${struct}(offset);
}

fn ${name}_address(line: ${struct}, segment: Segment) -> ${struct} {
  return line;
}

fn ${name}_index(address: ${struct}, k: u32) -> u32 {
  return address.offset + ${step};
}

fn ${name}_step_size() -> u32 {
  return params.${name}_stride;
}
`;
}

export function matMul(options: MatMulOptions, store?: string): string {
  const { a, b, batchRank } = options;
  const source = `
struct Segment {
  index: u32,
}

fn segment_of(slice: u32, index: u32) -> Segment {
  return Segment(index);
}

${matrix('a', 'AMatrix', a, batchRank)}
${matrix('b', 'BMatrix', b, batchRank)}
fn c_row(slice: u32, row: u32) -> CRow {
  return CRow((slice * params.m + row) * params.n, true);
}

fn bias_offset(slice: u32) -> u32 {
  return 0u;
}
`;
  return gemm(options, { source, a: { guarded: false }, b: { guarded: false }, segments: 'one', store });
}
