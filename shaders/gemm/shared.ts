/**
 * @file The engine in workgroup memory, for GPUs: each invocation computes a block of C from tiles of A and B.
 *
 * A tile has four vectors for each four lines × four steps: steps of four lines, or lines of four steps, as laid out in
 * storage. Either way an invocation reads four vectors and multiplies their elements, so nothing is transposed. It computes
 * groups of four lines that are groupM · 4 (groupN · 4) apart: adjacent invocations read adjacent vectors.
 *
 * Every index is a constant plus a multiple of the invocation's index, and the k loop is unrolled. So compilers can infer
 * that an index is in range, and drop the clamps that WGSL requires; reads have constant offsets. If adjacent invocations
 * hold adjacent steps of a line, every four steps are `skew` vectors further apart, to avoid bank conflicts in writes.
 *
 * Where `groupK` groups of invocations share the steps of a k tile, each multiplies its own range of them. In the end the groups
 * add up their sums, pairwise, in the memory of the tile of A.
 *
 * In the generated code, `sum_<i>_<j>` holds four adjacent columns, vector j, of row i of the invocation's block.
 */
import { components, each, range, repeat } from '../lib/text.ts';
import type { Loader } from './loader.ts';
import type { GemmOptions, GemmTile, Problem } from './problem.ts';
import { tiled } from './tiled.ts';

export function shared(options: GemmOptions, problem: Problem): string {
  const { tile, type } = options;
  return tiled(options, problem, (a, b) => ({
    memory: memory(tile, type, a, b),
    prologue: prologue(tile, type, [a, b]),
    store,
    multiply: multiply(tile, a, b),
    epilogue: epilogue(tile, a),
  }));
}

/** Rows of an invocation's block in fours, and its vectors of four columns. */
const rowGroups = ({ blockM }: GemmTile) => range(blockM / 4);
const vectorsOf = ({ blockN }: GemmTile) => range(blockN / 4);

/** A line of WGSL for each vector of each row of the block. */
const eachSum = (tile: GemmTile, line: (i: number, j: number) => string) =>
  repeat(tile.blockM, (i) => each(vectorsOf(tile), (j) => line(i, j)));

/** Groups of invocations that share the steps of a k tile, the size of a group, and its steps in fours. */
const groupsOfK = ({ groupK = 1 }: GemmTile) => groupK;
const groupSize = ({ groupM, groupN }: GemmTile) => groupM * groupN;
const stepGroupsOf = (tile: GemmTile) => tile.depth / 4 / groupsOfK(tile);

/** The stride between groups of four steps in the tile of an operand. */
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

function prologue(tile: GemmTile, type: string, loaders: readonly Loader[]): string {
  const { groupN } = tile;
  const inGroup = groupsOfK(tile) > 1 ? `local % ${groupSize(tile)}u` : 'local';
  return `let thread_row = ${inGroup} / ${groupN}u;
let thread_column = local % ${groupN}u;${groupsOfK(tile) > 1 ? placesInSteps(tile, loaders) : ''}
${each(loaders, (loader) => slots(loader, tile))}
${eachSum(tile, (i, j) => `var sum_${i}_${j} = vec4<${type}>();`)}`;
}

/** Where the steps of an invocation's group begin, at its own lines. */
const placesInSteps = (tile: GemmTile, loaders: readonly Loader[]) => `
let k_group = local / ${groupSize(tile)}u;
${each(
  loaders,
  (loader) =>
    `let ${loader.operand.name}_first = ${threadOf(loader)} + k_group * ${stepGroupsOf(tile) * stepStride(loader, tile)}u;`,
)}`;

const threadOf = ({ operand }: Loader) => (operand.name === 'a' ? 'thread_row' : 'thread_column');

/** Where an invocation stores what it loads in each round. */
const slots = (loader: Loader, tile: GemmTile) =>
  each(
    loader.rounds,
    ({ number }) =>
      `let ${loader.operand.name}_slot_${number} = ${loader.slot(number, stepStride(loader, tile))};`,
  );

const store = (loader: Loader, round: number): string => {
  const { operand, lineGroups } = loader;
  return loader.store(
    round,
    (i) => `${operand.name}_tile[${operand.name}_slot_${round} + ${i * lineGroups}u] = fetched_${i};`,
  );
};

function multiply(tile: GemmTile, a: Loader, b: Loader): string {
  const { groupM, groupN } = tile;
  // Lines of both operands at four steps would take twice the registers.
  const atOnce = ({ storesLines }: Loader) => (a.storesLines && b.storesLines ? 2 : storesLines ? 4 : 1);
  /** Loads what step `s` of group `group` is the first to need: vectors of four lines, or some steps of each line. */
  const load = (loader: Loader, apart: number, group: number, s: number) => (i: number) => {
    const { operand, storesLines, lineGroups } = loader;
    const steps = atOnce(loader);
    const own = groupsOfK(tile) > 1 ? `${operand.name}_first` : threadOf(loader);
    const vectors = storesLines ? range(s % steps === 0 ? 4 : 0) : [s];
    return each(vectors, (v) => {
      const first = group * stepStride(loader, tile) + i * apart + v * lineGroups;
      const vector = `${operand.name}_tile[${own} + ${first}u]`;
      const part = steps === 2 ? `vec2(${vector}.${components[s]}, ${vector}.${components[s + 1]})` : vector;
      return `let ${nameOf(loader, group, i, v, s)} = ${part};`;
    });
  };
  const nameOf = (loader: Loader, group: number, i: number, v: number, s: number) =>
    `${loader.operand.name}_${group}_${i}_${v}${atOnce(loader) === 2 ? `_${s >> 1}` : ''}`;
  const element = (loader: Loader, group: number, line: number, s: number) => {
    const [vector, component] = loader.storesLines ? [line & 3, s % atOnce(loader)] : [s, line & 3];
    return `${nameOf(loader, group, line >> 2, vector, s)}.${components[component]}`;
  };
  /** Four columns of B at a step. */
  const columns = (j: number, group: number, s: number) => {
    const each = range(4).map((c) => element(b, group, 4 * j + c, s));
    return b.storesLines ? `vec4(${each.join(', ')})` : `b_${group}_${j}_${s}`;
  };
  const multiplyStep = (group: number, s: number) => `${each(rowGroups(tile), load(a, groupM, group, s))}
    ${each(vectorsOf(tile), load(b, groupN, group, s))}
    ${each(vectorsOf(tile), (j) => `let columns_${group}_${s}_${j} = ${columns(j, group, s)};`)}
    ${eachSum(tile, (i, j) => `sum_${i}_${j} += ${element(a, group, i, s)} * columns_${group}_${s}_${j};`)}`;
  return repeat(stepGroupsOf(tile), (group) => repeat(4, (s) => multiplyStep(group, s)));
}

function epilogue(tile: GemmTile, a: Loader): string {
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
  const write = `${each(vectorsOf(tile), (j) => `let bias_${j} = bias_of(slice, ${column(j)});`)}
  ${repeat(blockM, writeRow)}`;
  if (groupsOfK(tile) === 1) return write;
  return `${addGroups(tile, a)}
  if (k_group == 0u) {
    ${write}
  }`;
}

/**
 * Adds the sums of all groups to those of the first, pairwise, in a fixed order: the second half of them stores what the first
 * half adds, as many vectors at a time as the tile of A has room for.
 */
function addGroups(tile: GemmTile, a: Loader): string {
  const vectors = range(tile.blockM).flatMap((i) => vectorsOf(tile).map((j) => `sum_${i}_${j}`));
  const room = (tile.depth / 4) * stepStride(a, tile);
  const distances = range(Math.log2(groupsOfK(tile))).map((i) => groupsOfK(tile) >> (i + 1));
  return each(distances, (distance) => {
    const storing = distance * groupSize(tile);
    const atOnce = Math.min(vectors.length, Math.floor(room / storing));
    const passes = range(Math.ceil(vectors.length / atOnce)).map((pass) =>
      vectors.slice(pass * atOnce, (pass + 1) * atOnce),
    );
    return each(
      passes,
      (pass) => `if (k_group >= ${distance}u && k_group < ${2 * distance}u) {
    ${each(pass, (sum, i) => `a_tile[local - ${storing}u + ${i * storing}u] = ${sum};`)}
  }
  workgroupBarrier();
  if (k_group < ${distance}u) {
    ${each(pass, (sum, i) => `${sum} += a_tile[local + ${i * storing}u];`)}
  }
  workgroupBarrier();`,
    );
  });
}
