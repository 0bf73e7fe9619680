/**
 * @file Reductions over one merged axis of x seen as [outer, n, inner], to [outer, chunks, inner]. With more than one
 * chunk the result is a partial one, folded by a second launch: chunk c holds the elements c, c + chunks, … of the axis,
 * so that neighbouring invocations read neighbouring words; where lines are `serial`, elements that follow each other.
 *
 * Each line of elements is folded by `lanes` invocations. An invocation folds blocks of its elements first and those
 * results next, which keeps the error of long sums low. Where lines are `serial`, short ones of one lane each, it folds
 * what it reads in one turn first: a software adapter pays for loops within loops. All orders are fixed: same input,
 * same bits.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, laneIndices, type LineOrder } from './lib/lanes.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type ReduceOptions = {
  /** WGSL type of an element of x. */
  input: string;
  /** WGSL type of what is folded. */
  accumulator: string;
  /** WGSL expression of the neutral accumulator; may read `params.initial`, a word of bits. */
  initial: string;
  /** Expression of two accumulators `a` and `b`. */
  combine: string;
  /** The accumulator of one element, an expression of `value` and its position `k` along the axis. */
  prepare: string;
  /** Results, as expressions of the folded accumulator `a`; may read `params.length`, the number of elements as f32. */
  finish: readonly string[];
  /** WGSL type of each result. */
  results: readonly string[];
  lanes: number;
  order: LineOrder;
  /**
   * Elements read at once. Four are neighbours: those of one line where lines are `rows`, of four lines that an invocation
   * folds side by side where they are `columns`.
   */
  width: 1 | 4;
  workgroup: number;
  /** Whether lines are short and of one lane. */
  serial: boolean;
  /** Vectors of neighbouring lines that an invocation folds side by side; more than one in serial columns of vectors alone. */
  abreast: 1 | 4;
};

/** Elements (or vectors of them) that an invocation folds before it adds them to what it has. */
const block = 32;
/** Elements (or vectors of them) that an invocation reads in one turn where lines are serial. */
const turn = 2;

export function reduce(options: ReduceOptions): string {
  const { input, accumulator, initial, combine, prepare, finish, results, lanes, order, width, abreast } =
    options;
  const layout = { lanes, order, workgroup: options.workgroup };
  const sideBySide = order === 'columns' && width === 4;
  // One accumulator for each line that an invocation folds.
  const lines = Array.from({ length: sideBySide ? 4 * abreast : 1 }, (_, line) => line);
  const each = (text: (line: number) => string) => lines.map(text).join('\n');
  const folded = (component: string, i: number) =>
    sideBySide
      ? `folded_${i} = combine(folded_${i}, prepare(value.${component}, k));`
      : `folded_0 = combine(folded_0, prepare(value.${component}, 4u * k + ${i}u));`;
  const step =
    width === 4
      ? ['x', 'y', 'z', 'w'].map(folded).join('\n')
      : 'folded_0 = combine(folded_0, prepare(value, k));';
  const write = (line: number) =>
    results
      .map((_, i) => `out_${i}[${lines.length}u * line + ${line}u] = finish_${i}(folded_${line});`)
      .join('\n');
  const components = (value: string) =>
    width === 4 ? ['x', 'y', 'z', 'w'].map((component) => `${value}.${component}`) : [value];
  /** The values of one turn, `given` at the units `k` along the axis, folded into the totals. */
  const foldTurn = (given: readonly string[], ks: readonly string[]) => {
    const positions = (component: number) =>
      width === 4 && !sideBySide ? ks.map((k) => `4u * ${k} + ${component}u`) : ks;
    const prepared = (component: number) =>
      given.map((value, i) => `prepare(${components(value)[component]}, ${positions(component)[i]})`);
    const columns = components('').map((_, component) => prepared(component));
    const folds = sideBySide
      ? columns.map(combined)
      : [combined(given.flatMap((_, i) => columns.map((own) => own[i] as string)))];
    return folds.map((fold, line) => `total_${line} = combine(total_${line}, ${fold});`).join('\n    ');
  };
  const ofTurn = Array.from({ length: turn }, (_, i) => i);
  const inPairs = `let whole = max(end, ${turn - 1}u) - ${turn - 1}u;
  while (k < whole) {
    ${ofTurn.map((i) => `let value_${i} = x[at + ${i}u * params.inner];`).join('\n    ')}
    ${foldTurn(
      ofTurn.map((i) => `value_${i}`),
      ofTurn.map((i) => `(k + ${i}u)`),
    )}
    k += ${turn}u;
    at += ${turn}u * params.inner;
  }`;
  const neighbours = Array.from({ length: abreast }, (_, i) => i);
  const oneByOne = `while (k < end) {
    ${neighbours.map((i) => `let value_${i} = x[at + ${i}u];`).join('\n    ')}
    ${
      abreast === 1
        ? foldTurn(['value_0'], ['k'])
        : each((line) => {
            const value = components(`value_${line >> 2}`)[line & 3];
            return `total_${line} = combine(total_${line}, prepare(${value}, k));`;
          })
    }
    k += 1u;
    at += params.inner;
  }`;
  const serial = `
  if (line >= params.count) {
    return;
  }
  let inner = params.inner / ${abreast}u;
  let chunk = (line / inner) % params.chunks;
  let outer = line / inner / params.chunks;
  let start = outer * params.n * params.inner + (line % inner) * ${abreast}u;
  // Each chunk is a stretch of the axis here, which a CPU reads from its caches.
  let length = (params.n + params.chunks - 1u) / params.chunks;
  let end = min(params.n, (chunk + 1u) * length);
  ${each((i) => `var total_${i} = ${accumulator}(${initial});`)}
  var k = chunk * length;
  var at = start + k * params.inner;
  ${abreast === 1 ? inPairs : ''}
  ${oneByOne}
  ${each((i) => `let folded_${i} = total_${i};`)}
  ${each(write)}`;
  return wgsl`
${flatIndex}
${mathFunctions([initial, prepare, combine, ...finish].join(' '))}
fn prepare(value: ${input}, k: u32) -> ${accumulator} {
  return ${prepare};
}

fn combine(a: ${accumulator}, b: ${accumulator}) -> ${accumulator} {
  return ${combine};
}
${results
  .map(
    (type, i) => `
fn finish_${i}(a: ${accumulator}) -> ${type} {
  return ${type}(${finish[i]});
}`,
  )
  .join('\n')}

${foldLanes('line', accumulator, 'combine', layout)}
@compute @workgroup_size(${layout.workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(layout)}
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
#if ${options.serial}
  ${serial}
#else
  let chunk = (line / params.inner) % params.chunks;
  let outer = line / params.inner / params.chunks;
  let n = select(0u, params.n, line < params.count);
  let start = outer * params.n * params.inner + line % params.inner;
  let stride = ${lanes}u * params.chunks;
  ${each((i) => `var total_${i} = ${accumulator}(${initial});`)}
  var first = chunk * ${lanes}u + lane;
  while (first < n) {
    let end = min(n, first + ${block}u * stride);
    ${each((i) => `var folded_${i} = ${accumulator}(${initial});`)}
    for (var k = first; k < end; k += stride) {
      let value = x[start + k * params.inner];
      ${step}
    }
    ${each((i) => `total_${i} = combine(total_${i}, folded_${i});`)}
    first += ${block}u * stride;
  }
  ${each((i) => `let folded_${i} = fold_line(total_${i}, local, lane);`)}
  if (lane == 0u && line < params.count) {
    ${each(write)}
  }
#endif
}
`;
}

/** WGSL that combines `terms` in pairs, and those in pairs. */
function combined(terms: readonly string[]): string {
  if (terms.length === 1) return terms[0] as string;
  const half = terms.length >> 1;
  return `combine(${combined(terms.slice(0, half))}, ${combined(terms.slice(half))})`;
}
