/**
 * @file The engine for many tiny matrices, on software adapters: an invocation computes a whole matrix of C, whose sizes are
 * constants of the program. So it has no loop and no condition, and computes each offset once; for such matrices, these take
 * longer than the multiplications. Both operands must be contiguous.
 *
 * In the generated code, `a_<i>` is the i-th element of A in memory, or the i-th vector of four.
 */
import { components, range, repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { declarations } from './block.ts';
import { Operand } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

export function wholeMatrix(options: GemmOptions, problem: Problem): string {
  const { tile, type, outWidth } = options;
  const { groupN: workgroup, blockM: m, blockN: n, depth: k } = tile;
  const a = new Operand('a', options.a, false, type);
  const b = new Operand('b', options.b, false, type);
  const sum = (i: number, j: number) =>
    range(k).reduce(
      (terms, l) => `${terms} + ${element(a, i, m, l, k)} * ${element(b, j, n, l, k)}`,
      `${type}()`,
    );
  const result = (i: number, j: number) => `activate(${sum(i, j)} + bias.${components[j]})`;
  const row = (i: number) =>
    outWidth === 4
      ? `store((first >> 2u) + ${i}u, vec4(${range(n).map((j) => result(i, j))}));`
      : repeat(n, (j) => `store(first + ${i * n + j}u, ${result(i, j)});`);
  return wgsl`
// C[slice] = A[slice] · B[slice], of ${m} × ${k} and ${k} × ${n}: an invocation computes a slice.
${declarations(options, problem)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let slice = flat_index(group, groups, local, ${workgroup}u);
  if (slice >= params.slices) {
    return;
  }
  let segment = segment_of(slice, 0u);
  ${elements(a, m * k)}
  ${elements(b, k * n)}
  let first = c_row(slice, 0u).offset;
  let bias = bias_of(slice, 0u);
  ${repeat(m, row)}
}
`;
}

/** Reads the `count` elements of an operand. */
const elements = (operand: Operand, count: number) => {
  const { name, layout } = operand;
  return `let ${name}_first = ${name}_index(${name}_address(${name}_line(slice, 0u), segment), 0u);
  ${repeat(count / layout.width, (i) => `let ${name}_${i} = ${operand.value(`(${name}_first + ${i * layout.width}u)`)};`)}`;
};

/** Step `step` of `steps` of a line of an operand with `lines`. */
function element(operand: Operand, line: number, lines: number, step: number, steps: number): string {
  const { name, layout } = operand;
  const i = layout.major === 'k' ? line * steps + step : step * lines + line;
  return layout.width === 1 ? `${name}_${i}` : `${name}_${i >> 2}.${components[i & 3]}`;
}
