/**
 * @file The engine in workgroup memory, for GPUs: each invocation computes a block of C from tiles of A and B.
 *
 * Both operands lie k-major in their tiles, four lines a vector, whichever way they lie in storage. An invocation computes
 * lines that lie groupM · 4 (groupN · 4) apart in fours: neighbours read neighbouring vectors.
 *
 * Every index is a constant plus a multiple of a thread's number, and the k loop is unrolled. So compilers see that an
 * index is in range, and drop the clamps that WGSL asks for; reads have constant offsets. Where neighbours hold
 * neighbouring steps of a line, every four steps lie `skew` vectors further, so that writing them meets no bank twice.
 *
 * In the generated code, `sum_<i>_<j>` holds four neighbouring columns, vector j, of row i of the invocation's block.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import type { Loader } from './loader.ts';
import type { GemmOptions, GemmTile, Problem } from './problem.ts';
import { tiled } from './tiled.ts';

export function shared(options: GemmOptions, problem: Problem): string {
  const { tile, type } = options;
  return tiled(options, problem, (a, b) => ({
    memory: memory(tile, type, a, b),
    prologue: prologue(tile, type),
    store: store(tile),
    multiply: multiply(tile, a, b),
    epilogue: epilogue(tile),
  }));
}

/** Rows of an invocation's block in fours, and its vectors of four columns. */
const rowGroups = ({ blockM }: GemmTile) => range(blockM / 4);
const vectorsOf = ({ blockN }: GemmTile) => range(blockN / 4);

/** A line for each vector of each row of the block. */
const eachSum = (tile: GemmTile, line: (i: number, j: number) => string) =>
  repeat(tile.blockM, (i) => each(vectorsOf(tile), (j) => line(i, j)));

/** Where step group `group`, step `s` of it, begins in the tile of an operand. */
function stepStride({ stepsFirst, lineGroups }: Loader, { skew = 0 }: GemmTile): number {
  return 4 * lineGroups + (stepsFirst ? skew : 0);
}

function memory(tile: GemmTile, type: string, a: Loader, b: Loader): string {
  const tileOf = (loader: Loader) => {
    const vectors = (tile.depth / 4) * stepStride(loader, tile);
    return `var<workgroup> ${loader.operand.name}_tile: array<vec4<${type}>, ${vectors}>;`;
  };
  return `${tileOf(a)}
${tileOf(b)}
`;
}

const prologue = (tile: GemmTile, type: string) => `let thread_row = local / ${tile.groupN}u;
let thread_column = local % ${tile.groupN}u;
${eachSum(tile, (i, j) => `var sum_${i}_${j} = vec4<${type}>();`)}`;

const store =
  (tile: GemmTile) =>
  (loader: Loader, round: number): string => {
    const { name } = loader.operand;
    const stride = stepStride(loader, tile);
    return `let at = ${name}_step_group_${round} * ${stride}u + ${name}_line_group_${round};
  ${loader.store(round, (s) => `${name}_tile[at + ${s * loader.lineGroups}u] = fetched_${s};`)}`;
  };

function multiply(tile: GemmTile, a: Loader, b: Loader): string {
  const { groupM, groupN, depth } = tile;
  const load = (loader: Loader, thread: string, group: number, k: number) => (i: number) => {
    const { name } = loader.operand;
    const step = (k >> 2) * stepStride(loader, tile) + (k & 3) * loader.lineGroups;
    return `let ${name}_${k}_${i} = ${name}_tile[${thread} + ${step + i * group}u];`;
  };
  return repeat(
    depth,
    (k) => `${each(rowGroups(tile), load(a, 'thread_row', groupM, k))}
    ${each(vectorsOf(tile), load(b, 'thread_column', groupN, k))}
    ${eachSum(tile, (i, j) => `sum_${i}_${j} += a_${k}_${i >> 2}.${components[i & 3]} * b_${k}_${j};`)}`,
  );
}

function epilogue(tile: GemmTile): string {
  const { groupM, groupN, blockM } = tile;
  const column = (j: number) => `first_column + (thread_column + ${j * groupN}u) * 4u`;
  const writeRow = (i: number) => `{
    let m = first_row + (thread_row + ${(i >> 2) * groupM}u) * 4u + ${i & 3}u;
    if (m < params.m) {
      var row = c_row(slice, m);
      row.offset += split * params.split_stride;
      if (row.valid) {
        ${each(vectorsOf(tile), (j) => `write_columns(row, ${column(j)}, sum_${i}_${j} + bias_${j});`)}
      }
    }
  }`;
  return `${each(vectorsOf(tile), (j) => `let bias_${j} = bias_of(slice, ${column(j)});`)}
  ${repeat(blockM, writeRow)}`;
}
