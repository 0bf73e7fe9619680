/**
 * @file The engine in workgroup memory, for GPUs: each invocation computes a block of C from tiles of A and B.
 *
 * Both operands lie k-major in their tiles, four lines a vector, whichever way they lie in storage. An invocation computes
 * lines that lie groupM · 4 (groupN · 4) apart in fours: neighbours read neighbouring vectors. Within four steps the
 * vectors are permuted by `swizzle`, so that neither writing a unit of a k-major operand, where neighbours hold
 * neighbouring steps, nor reading along the lines meets a bank twice.
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
    memory: memory(type, a, b),
    prologue: prologue(tile, type),
    store,
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

function memory(type: string, a: Loader, b: Loader): string {
  const tileOf = ({ operand, lineGroups, tile }: Loader) =>
    `var<workgroup> ${operand.name}_tile: array<vec4<${type}>, ${lineGroups * tile.depth}>;`;
  return `${tileOf(a)}
${tileOf(b)}

fn swizzle(step_group: u32) -> u32 {
  return (step_group & 3u) * 2u;
}
`;
}

const prologue = (tile: GemmTile, type: string) => `let thread_row = local / ${tile.groupN}u;
let thread_column = local % ${tile.groupN}u;
${eachSum(tile, (i, j) => `var sum_${i}_${j} = vec4<${type}>();`)}`;

function store(loader: Loader): string {
  const { name } = loader.operand;
  return loader.store(
    (r) => `let swizzled = ${name}_line_group_${r} ^ swizzle(${name}_step_group_${r});`,
    (r, s) => {
      const step = `(${name}_step_group_${r} * 4u + ${s}u) * ${loader.lineGroups}u`;
      return `${name}_tile[${step} + swizzled] = ${name}_fetched_${r}_${s};`;
    },
  );
}

function multiply(tile: GemmTile, a: Loader, b: Loader): string {
  const { groupM, groupN, depth } = tile;
  const slot = (name: string, thread: string, group: number) => (i: number) =>
    `let ${name}_slot_${i} = (${thread} + ${i * group}u) ^ swizzle(step_group);`;
  const load =
    (name: string, { lineGroups }: Loader, s: number) =>
    (i: number) =>
      `let ${name}_${s}_${i} = ${name}_tile[(step_group * 4u + ${s}u) * ${lineGroups}u + ${name}_slot_${i}];`;
  const multiplyStep = (s: number) => `${each(rowGroups(tile), load('a', a, s))}
    ${each(vectorsOf(tile), load('b', b, s))}
    ${eachSum(tile, (i, j) => `sum_${i}_${j} += a_${s}_${i >> 2}.${components[i & 3]} * b_${s}_${j};`)}`;
  return `for (var step_group = 0u; step_group < ${depth / 4}u; step_group++) {
    ${each(rowGroups(tile), slot('a', 'thread_row', groupM))}
    ${each(vectorsOf(tile), slot('b', 'thread_column', groupN))}
    ${repeat(4, multiplyStep)}
  }`;
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
