/**
 * @file The engine on a device's subgroup matrices: float16 operands with sums in float32. Each subgroup of a workgroup holds
 * some of the matrices that make up the tile of C, and computes them from tiles of A and B, which are k-major in workgroup
 * memory as float16. Since the operands are float16 already, nothing is rounded there.
 *
 * WGSL has no subgroup matrices yet: their syntax is isolated in `SubgroupMatrixDialect`. Chromium's builtins have changed
 * once: `init` has the device compile a probe in each dialect, and takes the one that compiles.
 *
 * In the generated code, `sum_<i>_<j>` is the matrix in row i and column j of those that a subgroup holds.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import type { Loader } from './loader.ts';
import { provideForm } from './loadedForms.ts';
import type { GemmOptions, GemmTile, SubgroupMatrixSize, Problem } from './problem.ts';
import { tiled } from './tiled.ts';

/** WGSL for matrices held by a subgroup: left ones of m × k, right ones of k × n, sums of m × n. */
export interface SubgroupMatrixDialect {
  directives: string;
  /** Type of an element of a tile. */
  element: string;
  declarations(matrixSize: SubgroupMatrixSize): string;
  /** Parameters of the entry point, and statements that declare `subgroup` (within the workgroup) and `lane`. */
  builtins: string;
  prologue: string;
  zero(matrixSize: SubgroupMatrixSize): string;
  /** The matrix that begins at element `at` of the tile, `stride` elements from step to step. */
  left(matrixSize: SubgroupMatrixSize, at: string, stride: number): string;
  right(matrixSize: SubgroupMatrixSize, at: string, stride: number): string;
  /** left · right + sum. */
  multiply(left: string, right: string, sum: string): string;
  /** Stores a sum in `staged` from element `at` on, row by row. */
  store(matrixSize: SubgroupMatrixSize, at: string, sum: string): string;
}

/** Chromium's experimental subgroup matrices. Types name their columns before their rows; the order of elements is a type. */
const byTemplate: SubgroupMatrixDialect = {
  directives: [
    'enable f16;',
    'enable subgroups;',
    'enable chromium_experimental_subgroup_matrix;',
    // Each subgroup has its own matrices; its control flow is uniform, though no compiler can tell.
    'diagnostic(off, chromium.subgroup_matrix_uniformity);',
    '',
  ].join('\n'),
  element: 'f16',
  declarations: () => '',
  builtins: '@builtin(subgroup_id) subgroup: u32,\n  @builtin(subgroup_invocation_id) lane: u32,',
  prologue: '',
  zero: ([m, n]) => `subgroup_matrix_result<f32, ${n}, ${m}>()`,
  left: ([m, , k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_left<f16, ${k}, ${m}>, col_major>(&a_tile, ${at}, ${stride}u)`,
  right: ([, n, k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_right<f16, ${n}, ${k}>, row_major>(&b_tile, ${at}, ${stride}u)`,
  multiply: (left, right, sum) => `subgroupMatrixMultiplyAccumulate(${left}, ${right}, ${sum})`,
  store: ([, n], at, sum) => `subgroupMatrixStore<row_major>(&staged, ${at}, ${sum}, ${n}u);`,
};

/** The builtins before 2026: the order of elements is an argument, true if columns are contiguous. */
const byArgument: SubgroupMatrixDialect = {
  ...byTemplate,
  left: ([m, , k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_left<f16, ${k}, ${m}>>(&a_tile, ${at}, true, ${stride}u)`,
  right: ([, n, k], at, stride) =>
    `subgroupMatrixLoad<subgroup_matrix_right<f16, ${n}, ${k}>>(&b_tile, ${at}, false, ${stride}u)`,
  store: ([, n], at, sum) => `subgroupMatrixStore(&staged, ${at}, ${sum}, false, ${n}u);`,
};

/** Newest first. */
export const subgroupMatrixDialects: readonly SubgroupMatrixDialect[] = [byTemplate, byArgument];

let dialect = byTemplate;

/** Generates programs in dialect `other` from now on: that of the browser, or one for tests without subgroup matrices. */
export function setDialect(other: SubgroupMatrixDialect = byTemplate): void {
  dialect = other;
}

/** A program that uses each builtin of `probed` once. It is compiled, but never run. */
export function subgroupMatrixProbe(probed: SubgroupMatrixDialect, matrixSize: SubgroupMatrixSize): string {
  const [m, n, k, lanes] = matrixSize;
  return wgsl`${probed.directives}
var<workgroup> a_tile: array<${probed.element}, ${m * k}>;
var<workgroup> b_tile: array<${probed.element}, ${k * n}>;
var<workgroup> staged: array<f32, ${m * n}>;
${probed.declarations(matrixSize)}
@compute @workgroup_size(${lanes})
fn main(
  ${probed.builtins}
) {
  ${probed.prologue}
  let left = ${probed.left(matrixSize, '0u', m)};
  let right = ${probed.right(matrixSize, '0u', n)};
  let sum = ${probed.multiply('left', 'right', probed.zero(matrixSize))};
  ${probed.store(matrixSize, '0u', 'sum')}
}
`;
}

/** Unused elements between the steps of a tile, so that the steps don't all begin in the same bank. */
const padding = 8;

/** Subgroups of a workgroup along m and n. */
function gridOf(subgroups: number): readonly [number, number] {
  const down = 2 ** Math.floor(Math.log2(subgroups) / 2);
  return [down, subgroups / down];
}

/** How the matrices of C are distributed over subgroups. */
interface Plan {
  readonly matrixSize: SubgroupMatrixSize;
  readonly depth: number;
  readonly subgroups: number;
  /** Subgroups of a workgroup along n. */
  readonly across: number;
  /** Rows and columns of C that a subgroup computes. */
  readonly rows: number;
  readonly columns: number;
}

function write(options: GemmOptions, problem: Problem): string {
  const plan = planOf(options.tile);
  return tiled(options, problem, (a, b) => ({
    memory: memory(plan, a, b),
    builtins: dialect.builtins,
    prologue: prologue(plan),
    store,
    multiply: multiply(plan, a, b),
    epilogue: epilogue(plan),
  }));
}

function planOf({ groupM, groupN, blockM, blockN, depth, matrixSize }: GemmTile): Plan {
  if (!matrixSize) throw new TypeError('a tile for subgroup matrices has a matrixSize');
  const [, , , lanes] = matrixSize;
  const subgroups = (groupM * groupN) / lanes;
  const [down, across] = gridOf(subgroups);
  return {
    matrixSize,
    depth,
    subgroups,
    across,
    rows: (groupM * blockM) / down,
    columns: (groupN * blockN) / across,
  };
}

/** How many matrices a subgroup has along m and along n. */
const downOf = ({ rows, matrixSize: [m] }: Plan) => range(rows / m);
const acrossOf = ({ columns, matrixSize: [, n] }: Plan) => range(columns / n);

const eachSum = (plan: Plan, fragment: (i: number, j: number) => string) =>
  each(downOf(plan), (i) => each(acrossOf(plan), (j) => fragment(i, j)));

/** Elements of a tile from step to step. */
const strideOf = ({ tile }: Loader) => tile.lines + padding;

function memory({ matrixSize, subgroups }: Plan, a: Loader, b: Loader): string {
  const [m, n] = matrixSize;
  const tileOf = (loader: Loader) =>
    `var<workgroup> ${loader.operand.name}_tile: array<${dialect.element}, ${loader.tile.depth * strideOf(loader)}>;`;
  return `${tileOf(a)}
${tileOf(b)}
var<workgroup> staged: array<f32, ${subgroups * m * n}>;
${dialect.declarations(matrixSize)}
`;
}

const prologue = (plan: Plan) => `${dialect.prologue}
let matrix_row = subgroup / ${plan.across}u * ${plan.rows}u;
let matrix_column = subgroup % ${plan.across}u * ${plan.columns}u;
${eachSum(plan, (i, j) => `var sum_${i}_${j} = ${dialect.zero(plan.matrixSize)};`)}`;

function store(loader: Loader, round: number): string {
  const { name } = loader.operand;
  const stride = strideOf(loader);
  return `let at = ${name}_first_step_${round} * ${stride}u + ${name}_line_group_${round} * 4u;
  ${loader.store(round, (s) =>
    each(
      components,
      (component, line) =>
        `${name}_tile[at + ${s * stride + line}u] = ${dialect.element}(fetched_${s}.${component});`,
    ),
  )}`;
}

function multiply(plan: Plan, a: Loader, b: Loader): string {
  const { matrixSize, depth } = plan;
  const [m, n, k] = matrixSize;
  const left = (step: number, i: number) =>
    dialect.left(matrixSize, `matrix_row + ${step * k * strideOf(a) + i * m}u`, strideOf(a));
  const right = (step: number, j: number) =>
    dialect.right(matrixSize, `matrix_column + ${step * k * strideOf(b) + j * n}u`, strideOf(b));
  return repeat(
    depth / k,
    (step) => `{
    ${each(downOf(plan), (i) => `let left_${i} = ${left(step, i)};`)}
    ${each(acrossOf(plan), (j) => `let right_${j} = ${right(step, j)};`)}
    ${eachSum(plan, (i, j) => `sum_${i}_${j} = ${dialect.multiply(`left_${i}`, `right_${j}`, `sum_${i}_${j}`)};`)}
  }`,
  );
}

/** Each matrix goes through `staged`, from where the lanes write four columns at a time. */
function epilogue(plan: Plan): string {
  const { matrixSize } = plan;
  const [m, n, , lanes] = matrixSize;
  return `let own = subgroup * ${m * n}u;
  ${eachSum(
    plan,
    (i, j) => `${dialect.store(matrixSize, 'own', `sum_${i}_${j}`)}
    workgroupBarrier();
    for (var at = 4u * lane; at < ${m * n}u; at += ${4 * lanes}u) {
      let line = first_row + matrix_row + ${i * m}u + at / ${n}u;
      let column = first_column + matrix_column + ${j * n}u + at % ${n}u;
      if (line < params.m) {
        var row = c_row(slice, line);
        row.offset += split * params.split_stride;
        if (row.valid) {
          let first = own + at;
          let sum = vec4<f32>(staged[first], staged[first + 1u], staged[first + 2u], staged[first + 3u]);
          write_columns(row, column, sum + bias_of(slice, column));
        }
      }
    }
    workgroupBarrier();`,
  )}`;
}

provideForm('subgroupMatrix', { directives: () => dialect.directives, write });
