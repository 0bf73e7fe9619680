/**
 * @file The engine in registers alone: an invocation computes a block of C straight from storage. For CPU adapters, where
 * workgroup memory is as slow as storage and a barrier costs a switch of all invocations, and for products too small to
 * fill a tile.
 */
import { wgsl } from '../lib/wgsl.ts';
import { declarations, placement } from './block.ts';
import { components, indent, Operand, range } from './operand.ts';
import type { GemmOptions, Problem } from './problem.ts';

/**
 * Rows from which a block is written in a loop, not by a copy of the code for each: compilers of software adapters take
 * their time for every line. Measured on SwiftShader: 12 × 8 in 209 ms instead of 355, as fast as before.
 */
const longBlock = 8;

export function registers(options: GemmOptions, problem: Problem): string {
  const { tile, type } = options;
  const { groupM, groupN, blockM, blockN, quads } = tile;
  const a = new Operand('a', options.a, problem.a.guarded, type);
  const b = new Operand('b', options.b, problem.b.guarded, type);
  const rows = range(blockM);
  const vectors = range(blockN / 4);

  /** Where a column of the block lies: four at a time, the vectors of a quad's invocations side by side. */
  const columnOffset = (c: number) => (quads ? 16 * (c >> 2) + (c & 3) : c);
  /** The states of an operand's lines, clamped to the last line: what they compute beyond it is not written. */
  const line = (operand: Operand, i: number, at: string, limit: string) =>
    `let ${operand.name}_line_${i} = ${operand.name}_line(slice, min(${at}, ${limit} - ${operand.linesPerState}u));`;
  // In quads, an invocation reads every fourth row where rows lie along k, and every fourth step elsewhere.
  const sharesRows = quads && a.layout.major === 'k';
  const aStates = blockM / (sharesRows ? 4 : a.linesPerState);
  const bStates = blockN / b.linesPerState;
  const lines = [
    ...range(aStates).map((i) =>
      line(
        a,
        i,
        sharesRows ? `first_row + ${4 * i}u + lane` : `first_row + ${i * a.linesPerState}u`,
        'params.m',
      ),
    ),
    ...range(bStates).map((i) =>
      line(b, i, `first_column + ${columnOffset(i * b.linesPerState)}u`, 'params.n'),
    ),
  ];
  const spots = (operand: Operand, states: number) =>
    range(states).map(
      (i) => `let ${operand.name}_spot_${i} = ${operand.name}_spot(${operand.name}_line_${i}, segment);`,
    );
  // Vectors along k mean that k ends on a multiple of 4; otherwise what lies beyond its end reads as zero.
  const inFours = tile.depth === 4;
  const endsInFours = [a, b].some(({ layout }) => layout.major === 'k' && layout.width === 4);
  const limit = inFours && !endsInFours ? 'last_step' : null;
  const steps = range(inFours ? 4 : 1);
  const within = (at: string) => (limit ? `${at} < ${limit}` : '');
  /** What is read in one turn of the loop. */
  const reads = (operand: Operand, states: number) =>
    range(states).flatMap((i) => {
      const spot = `${operand.name}_spot_${i}`;
      const value = `${operand.name}_${i}`;
      if (operand.layout.major === 'k' && inFours)
        return [`let ${value} = ${operand.alongK(spot, 'k', limit)};`];
      return steps.map((s) => {
        const at = s === 0 ? 'k' : `k + ${s}u`;
        return `let ${value}_${s} = ${operand.read(spot, at, s > 0 ? within(at) : '')};`;
      });
    });
  /** The same of A, where a quad shares it. */
  const sharedReads = () =>
    range(aStates).flatMap((i) => {
      const own = `a_own_${i}`;
      const values = range(4).map((l) => `quadBroadcast(${own}, ${l}u)`);
      if (sharesRows) {
        return [
          `let ${own} = ${a.alongK(`a_spot_${i}`, 'k', limit)};`,
          ...values.map((value, l) => `let a_${4 * i + l} = ${value};`),
        ];
      }
      return [
        `let ${own} = ${a.read(`a_spot_${i}`, 'k + lane', within('k + lane'))};`,
        ...values.map((value, s) => `let a_${i}_${s} = ${value};`),
      ];
    });
  /** The element of a line at step s, from what `reads` declared. */
  const element = (operand: Operand, line: number, s: number) => {
    const { major, width } = operand.layout;
    if (major === 'k' && inFours) return `${operand.name}_${line}.${components[s]}`;
    if (major === 'k' || width === 1) return `${operand.name}_${line}_${s}`;
    return `${operand.name}_${line >> 2}_${s}.${components[line & 3]}`;
  };
  /** Four columns of B at step s. */
  const columns = (j: number, s: number) =>
    b.layout.major === 'mn' && b.layout.width === 4
      ? `b_${j}_${s}`
      : `vec4<${type}>(${range(4)
          .map((i) => element(b, 4 * j + i, s))
          .join(', ')})`;
  /** Four steps as products of a 4 × 4 matrix and a vector: sums stay in registers from step to step. */
  const fourSteps = () => [
    ...vectors.map((j) => `let columns_${j} = mat4x4<f32>(${steps.map((s) => columns(j, s)).join(', ')});`),
    ...rows.flatMap((i) => [
      `let row_${i} = vec4<f32>(${steps.map((s) => element(a, i, s)).join(', ')});`,
      ...vectors.map((j) => `sum_${i}_${j} += columns_${j} * row_${i};`),
    ]),
  ];
  const oneStep = () => [
    ...vectors.map((j) => `let columns_${j} = ${columns(j, 0)};`),
    ...rows.flatMap((i) => vectors.map((j) => `sum_${i}_${j} += ${element(a, i, 0)} * columns_${j};`)),
  ];
  const turn = [
    ...(quads ? sharedReads() : reads(a, aStates)),
    ...reads(b, bStates),
    ...(inFours ? fourSteps() : oneStep()),
  ];
  /** Writes row `i` of the block. */
  const write = (i: string, sum: (j: number) => string) => [
    `var row = c_row(slice, first_row + ${i});`,
    'row.offset += split * params.split_stride;',
    'if (row.valid) {',
    ...vectors.map((j) => `  write_columns(row, first_column + ${columnOffset(4 * j)}u, ${sum(j)});`),
    '}',
  ];
  return wgsl`
// An invocation computes ${blockM} × ${blockN} elements of C.
${declarations(options, problem)}
@compute @workgroup_size(${groupM * groupN})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${quads}
  let lane = local % 4u;
  let block = flat_index(group, groups, local, ${groupM * groupN}u) / 4u;
#else
  let block = flat_index(group, groups, local, ${groupM * groupN}u);
#endif
  ${placement(blockM, quads ? 4 * blockN : blockN)}
  let first_row = row_block * ${blockM}u;
  let first_column = column_block * ${quads ? `${4 * blockN}u + lane * 4u` : `${blockN}u`};
  ${indent(lines, 2)}
  ${indent(
    vectors.flatMap((j) => [
      `let bias_${j} = bias_of(slice, first_column + ${columnOffset(4 * j)}u);`,
      ...rows.map((i) => `var sum_${i}_${j} = vec4<${type}>();`),
    ]),
    2,
  )}
  for (var index = first_segment; index < last_segment; index++) {
#if ${problem.skips}
    if (skip_segment(slice, index)) {
      continue;
    }
#endif
    let segment = segment_of(slice, index);
    ${indent(spots(a, aStates), 4)}
    ${indent(spots(b, bStates), 4)}
    for (var k = first_step; k < last_step; k += ${steps.length}u) {
      ${indent(turn, 6)}
    }
  }
#if ${blockM >= longBlock}
  var sums = array<vec4<${type}>, ${blockM * vectors.length}>(
    ${indent(
      rows.map((i) => vectors.map((j) => `sum_${i}_${j} + bias_${j},`).join(' ')),
      4,
    )}
  );
  let rows = min(${blockM}u, params.m - min(first_row, params.m));
  for (var i = 0u; i < rows; i++) {
    ${indent(
      write('i', (j) => `sums[i * ${vectors.length}u + ${j}u]`),
      4,
    )}
  }
#else
  ${indent(
    rows.flatMap((i) => [
      `if (first_row + ${i}u < params.m) {`,
      ...write(`${i}u`, (j) => `sum_${i}_${j} + bias_${j}`).map((line) => `  ${line}`),
      '}',
    ]),
    2,
  )}
#endif
}
`;
}
