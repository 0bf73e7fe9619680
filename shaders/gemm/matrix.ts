/**
 * @file The engine on a device's matrix units: products of halves with sums in float32. Each subgroup of a workgroup holds
 * some of the matrices that make up the tile of C, and multiplies them from tiles of A and B, which lie k-major in workgroup
 * memory as halves. What is stored as halves comes there unrounded.
 *
 * WGSL has no matrices of subgroups yet; how they are written is apart from where they lie (`MatrixDialect`).
 */
import type { Loader } from './loader.ts';
import { components, range } from './operand.ts';
import type { GemmOptions, MatrixUnits, Problem } from './problem.ts';
import { tiled } from './tiled.ts';

/** WGSL of matrices that a subgroup holds together: left ones of m × k, right ones of k × n, sums of m × n. */
export interface MatrixDialect {
  directives: string;
  /** Type of an element of a tile. */
  element: string;
  declarations(units: MatrixUnits): string;
  /** Parameters of the entry point, and statements, that say which `subgroup` of the workgroup and which `lane` this is. */
  builtins: string;
  prologue: readonly string[];
  zero(units: MatrixUnits): string;
  /** The matrix that begins at element `at` of the tile, `stride` elements from step to step. */
  left(units: MatrixUnits, at: string, stride: number): string;
  right(units: MatrixUnits, at: string, stride: number): string;
  /** left · right + sum. */
  multiply(left: string, right: string, sum: string): string;
  /** Stores a sum in `staged` from element `at` on, row by row. */
  store(units: MatrixUnits, at: string, sum: string): string;
}

/** Chromium's experimental subgroup matrices. Types name their columns before their rows. */
const subgroupMatrices: MatrixDialect = {
  directives: [
    'enable f16;',
    'enable subgroups;',
    'enable chromium_experimental_subgroup_matrix;',
    // Each subgroup has matrices of its own; its control flow is uniform, though no compiler can tell.
    'diagnostic(off, chromium.subgroup_matrix_uniformity);',
    '',
  ].join('\n'),
  element: 'f16',
  declarations: () => '',
  builtins: '@builtin(subgroup_id) subgroup: u32,\n  @builtin(subgroup_invocation_id) lane: u32,',
  prologue: [],
  zero: ([m, n]) => `subgroup_matrix_result<f32, ${n}, ${m}>()`,
  left: ([m, , k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_left<f16, ${k}, ${m}>, col_major>(&a_tile, ${at}, ${stride}u)`,
  right: ([, n, k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_right<f16, ${n}, ${k}>, row_major>(&b_tile, ${at}, ${stride}u)`,
  multiply: (left, right, sum) => `subgroupMatrixMultiplyAccumulate(${left}, ${right}, ${sum})`,
  store: ([, n], at, sum) => `subgroupMatrixStore<row_major>(&staged, ${at}, ${sum}, ${n}u);`,
};

let dialect = subgroupMatrices;

/** Has programs written in `other` from now on, or in Chromium's again: for tests where no adapter has matrix units. */
export function setDialect(other: MatrixDialect = subgroupMatrices): void {
  dialect = other;
}

export function matrixDirectives(): string {
  return dialect.directives;
}

/** Elements between a tile's steps that nobody reads: so that steps don't all begin in the same bank. */
const padding = 8;

/** Subgroups of a workgroup along m and n. */
function gridOf(subgroups: number): readonly [number, number] {
  const down = 2 ** Math.floor(Math.log2(subgroups) / 2);
  return [down, subgroups / down];
}

export function matrix(options: GemmOptions, problem: Problem): string {
  const { groupM, groupN, blockM, blockN, depth, units } = options.tile;
  if (!units) throw new TypeError('a tile for matrix units says which');
  const [m, n, k, lanes] = units;
  const subgroups = (groupM * groupN) / lanes;
  const [down, across] = gridOf(subgroups);
  const rows = (groupM * blockM) / down;
  const columns = (groupN * blockN) / across;
  const strideOf = ({ lines }: Loader) => lines + padding;
  const tileOf = (loader: Loader) =>
    `var<workgroup> ${loader.operand.name}_tile: array<${dialect.element}, ${depth * strideOf(loader)}>;`;
  const downs = range(rows / m);
  const acrosses = range(columns / n);
  const sums = downs.flatMap((i) => acrosses.map((j) => [i, j] as const));
  return tiled(options, problem, (a, b) => ({
    memory: `${tileOf(a)}
${tileOf(b)}
var<workgroup> staged: array<f32, ${subgroups * m * n}>;
${dialect.declarations(units)}
`,
    builtins: dialect.builtins,
    prologue: [
      ...dialect.prologue,
      `let matrix_row = subgroup / ${across}u * ${rows}u;`,
      `let matrix_column = subgroup % ${across}u * ${columns}u;`,
      ...sums.map(([i, j]) => `var sum_${i}_${j} = ${dialect.zero(units)};`),
    ],
    store: (loader) => {
      const { name } = loader.operand;
      return loader.eachStep(
        (r) => [`let at = ${name}_turn_${r} * ${4 * strideOf(loader)}u + ${name}_quad_${r} * 4u;`],
        (r, s) =>
          components
            .map(
              (component, line) =>
                `${name}_tile[at + ${s * strideOf(loader) + line}u] = ${dialect.element}(${name}_fetched_${r}_${s}.${component});`,
            )
            .join(' '),
      );
    },
    multiply: range(depth / k).flatMap((step) => [
      '{',
      ...downs.map((i) => {
        const at = `matrix_row + ${step * k * strideOf(a) + i * m}u`;
        return `  let left_${i} = ${dialect.left(units, at, strideOf(a))};`;
      }),
      ...acrosses.map((j) => {
        const at = `matrix_column + ${step * k * strideOf(b) + j * n}u`;
        return `  let right_${j} = ${dialect.right(units, at, strideOf(b))};`;
      }),
      ...sums.map(
        ([i, j]) => `  sum_${i}_${j} = ${dialect.multiply(`left_${i}`, `right_${j}`, `sum_${i}_${j}`)};`,
      ),
      '}',
    ]),
    epilogue: [
      `let own = subgroup * ${m * n}u;`,
      ...sums.flatMap(([i, j]) => [
        dialect.store(units, 'own', `sum_${i}_${j}`),
        'workgroupBarrier();',
        `for (var at = 4u * lane; at < ${m * n}u; at += ${4 * lanes}u) {`,
        `  let line = first_row + matrix_row + ${i * m}u + at / ${n}u;`,
        `  let column = first_column + matrix_column + ${j * n}u + at % ${n}u;`,
        '  if (line < params.m) {',
        '    var row = c_row(slice, line);',
        '    row.offset += split * params.split_stride;',
        '    if (row.valid) {',
        '      let first = own + at;',
        '      let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);',
        '      write_columns(row, column, sum + bias_of(slice, column));',
        '    }',
        '  }',
        '}',
        'workgroupBarrier();',
      ]),
    ],
  }));
}
