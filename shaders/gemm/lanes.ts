/**
 * @file The engine for few rows, on GPUs: the invocations of a workgroup share the k axis of one block of C. groupM of them
 * sum every groupM-th group of four steps, and groupN compute adjacent columns; sums are added in workgroup memory, in a fixed
 * order. A matrix of few rows has few blocks, and its time is that of reading B once: reads are coalesced along k or across
 * columns, depending on the layout of B.
 *
 * In the generated code, names are those of the form in registers (./registers.ts), whose reads it shares.
 */
import { each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { blockInC, declarations, forEachSegment } from './block.ts';
import type { GemmOptions, GemmTile, Problem } from './problem.ts';
import {
  addresses,
  type Block,
  blockOf,
  columnOf,
  columnsOfB,
  element,
  read,
  rowsOfA,
  vectorOfB,
  zeroSums,
} from './registers.ts';

/** Rows whose sums are in workgroup memory at a time. */
const rowsAtOnce = 4;

export function lanes(options: GemmOptions, problem: Problem): string {
  const { groupM: kLanes, groupN, blockM, blockN } = options.tile;
  const block = blockOf(options, problem);
  const { a, b, type } = block;
  const invocations = kLanes * groupN;
  const alongK = options.b.major === 'k';
  const held = Math.min(rowsAtOnce, blockM) * block.vectors.length;
  return wgsl`
// C[slice] = A[slice] · B[slice], of m × k and k × n: a workgroup computes ${blockM} × ${groupN * blockN} elements of C.
// ${kLanes} invocations share k; neighbours read neighbouring ${alongK ? 'steps' : 'columns'} of B.
${declarations(options, problem)}
var<workgroup> sums: array<vec4<${type}>, ${held * invocations}>;

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block = flat_group(group, groups);
  let k_lane = local ${alongK ? `% ${kLanes}u` : `/ ${groupN}u`};
  let column_lane = local ${alongK ? `/ ${kLanes}u` : `% ${groupN}u`};
  ${blockInC(blockM, groupN * blockN, problem.segments !== 'one')}
  let first_row = row_block * ${blockM}u;
  let first_column = column_block * ${groupN * blockN}u + column_lane * ${blockN}u;

  // Lines beyond the last one are computed as the last one, and not written.
  ${rowsOfA(block)}
  ${columnsOfB(block)}
  ${zeroSums(block)}

  ${forEachSegment(
    problem,
    `${addresses(a, block.aLines)}
    ${addresses(b, block.bLines)}
    for (var k = first_step + k_lane * 4u; k < last_step; k += ${4 * kLanes}u) {
      ${read(block, b, block.bLines)}
      ${read(block, a, block.aLines)}
      ${multiply(block)}
    }`,
  )}

  ${reduceAndWrite(block, options.tile)}
}
`;
}

const multiply = (block: Block) =>
  each(block.steps, (s) =>
    each(
      block.vectors,
      (j) => `let columns_${s}_${j} = ${vectorOfB(block, j, s)};
      ${each(block.rows, (i) => `sum_${i}_${j} += ${element(block, block.a, i, s)} * columns_${s}_${j};`)}`,
    ),
  );

/** A few rows at a time: all lanes store their sums, pairwise sums, and the first lane along k writes. */
function reduceAndWrite(block: Block, { groupM: kLanes, groupN, blockM }: GemmTile): string {
  const { vectors } = block;
  const count = Math.min(rowsAtOnce, blockM);
  const invocations = kLanes * groupN;
  const passes = range(blockM / count).map((pass) => range(count).map((i) => pass * count + i));
  const place = (i: number, j: number) => `${((i % count) * vectors.length + j) * invocations}u`;
  const at = `k_lane * ${groupN}u + column_lane`;
  const eachSum = (rows: readonly number[], line: (i: number, j: number) => string) =>
    each(rows, (i) => each(vectors, (j) => line(i, j)));
  const reduce = (rows: readonly number[]) => `
  ${eachSum(rows, (i, j) => `sums[${place(i, j)} + ${at}] = sum_${i}_${j};`)}
  workgroupBarrier();
  for (var distance = ${kLanes / 2}u; distance > 0u; distance >>= 1u) {
    if (k_lane < distance) {
      ${eachSum(rows, (i, j) => `sums[${place(i, j)} + ${at}] += sums[${place(i, j)} + (k_lane + distance) * ${groupN}u + column_lane];`)}
    }
    workgroupBarrier();
  }
  if (k_lane == 0u) {
    ${each(rows, (i) => write(block, i, (j) => `sums[${place(i, j)} + column_lane] + bias_${j}`))}
  }`;
  return passes.map(reduce).join('\n  workgroupBarrier();\n');
}

const write = (block: Block, i: number, sum: (j: number) => string) => `if (first_row + ${i}u < params.m) {
  var row = c_row(slice, first_row + ${i}u);
  row.offset += split * params.split_stride;
  if (row.valid) {
    ${each(block.vectors, (j) => `write_columns(row, ${columnOf(block, j)}, ${sum(j)});`)}
  }
}`;
