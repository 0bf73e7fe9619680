/**
 * @file The engine in workgroup memory, for GPUs: each invocation computes a block of C from tiles of A and B.
 *
 * Both operands lie k-major in their tiles, four lines a vector, whichever way they lie in storage. An invocation computes
 * lines that lie groupM · 4 (groupN · 4) apart in fours: neighbours read neighbouring vectors. Within four steps the
 * vectors are permuted by `swizzle`, so that neither writing a unit of a k-major operand, where neighbours hold
 * neighbouring steps, nor reading along the lines meets a bank twice.
 */
import type { Loader } from './loader.ts';
import { components, range } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';
import { tiled } from './tiled.ts';

export function shared(options: GemmOptions, problem: Problem): string {
  const { groupM, groupN, blockM, blockN, depth } = options.tile;
  const { type } = options;
  const rowQuads = range(blockM / 4);
  const vectors = range(blockN / 4);
  const sums = range(blockM).flatMap((i) => vectors.map((j) => [i, j] as const));
  const tileOf = ({ operand, quads }: Loader) =>
    `var<workgroup> ${operand.name}_tile: array<vec4<${type}>, ${quads * depth}>;`;
  const slots = (name: string, thread: string, fours: readonly number[], group: number) =>
    fours.map((i) => `  let ${name}_slot_${i} = (${thread} + ${i * group}u) ^ swizzle(turn);`);
  return tiled(options, problem, (a, b) => ({
    memory: `${tileOf(a)}
${tileOf(b)}

fn swizzle(turn: u32) -> u32 {
  return (turn & 3u) * 2u;
}
`,
    prologue: [
      `let thread_row = local / ${groupN}u;`,
      `let thread_column = local % ${groupN}u;`,
      ...sums.map(([i, j]) => `var sum_${i}_${j} = vec4<${type}>();`),
    ],
    store: (loader) => {
      const { name } = loader.operand;
      return loader.eachStep(
        (r) => [`let swizzled = ${name}_quad_${r} ^ swizzle(${name}_turn_${r});`],
        (r, s) =>
          `${name}_tile[(${name}_turn_${r} * 4u + ${s}u) * ${loader.quads}u + swizzled] = ${name}_fetched_${r}_${s};`,
      );
    },
    multiply: [
      `for (var turn = 0u; turn < ${depth / 4}u; turn++) {`,
      ...slots('a', 'thread_row', rowQuads, groupM),
      ...slots('b', 'thread_column', vectors, groupN),
      ...range(4).flatMap((s) => [
        ...rowQuads.map(
          (i) => `  let a_${s}_${i} = a_tile[(turn * 4u + ${s}u) * ${a.quads}u + a_slot_${i}];`,
        ),
        ...vectors.map((j) => `  let b_${s}_${j} = b_tile[(turn * 4u + ${s}u) * ${b.quads}u + b_slot_${j}];`),
        ...sums.map(([i, j]) => `  sum_${i}_${j} += a_${s}_${i >> 2}.${components[i & 3]} * b_${s}_${j};`),
      ]),
      '}',
    ],
    epilogue: [
      ...vectors.map(
        (j) => `let bias_${j} = bias_of(slice, first_column + (thread_column + ${j * groupN}u) * 4u);`,
      ),
      ...range(blockM).flatMap((i) => [
        '{',
        `  let m = first_row + (thread_row + ${(i >> 2) * groupM}u) * 4u + ${i & 3}u;`,
        '  if (m < params.m) {',
        '    var row = c_row(slice, m);',
        '    row.offset += split * params.split_stride;',
        '    if (row.valid) {',
        ...vectors.map(
          (j) =>
            `      write_columns(row, first_column + (thread_column + ${j * groupN}u) * 4u, sum_${i}_${j} + bias_${j});`,
        ),
        '    }',
        '  }',
        '}',
      ]),
    ],
  }));
}
