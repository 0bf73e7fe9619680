/**
 * @file Reductions over one merged axis of x seen as [outer, n, inner], to [outer, chunks, inner]. With more than one
 * chunk the result is a partial one, folded by a second launch: chunk c holds the elements c, c + chunks, … of the axis,
 * so that neighbouring invocations read neighbouring words.
 *
 * Each line of elements is folded by `lanes` invocations. An invocation folds blocks of its elements first and those
 * results next, which keeps the error of long sums low. All orders are fixed: same input, same bits.
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
  /** Elements read at once: 4 where lines are contiguous and a multiple of four long. */
  width: 1 | 4;
};

export const reduceWorkgroup = 256;

/** Elements (or vectors of them) that an invocation folds before it adds them to what it has. */
const block = 32;

export function reduce(options: ReduceOptions): string {
  const { input, accumulator, initial, combine, prepare, finish, results, lanes, order, width } = options;
  const layout = { lanes, order, workgroup: reduceWorkgroup };
  const fold = (value: string, k: string) => `folded = combine(folded, prepare(${value}, ${k}));`;
  const step =
    width === 4
      ? `let values = x[start + k];
      ${['x', 'y', 'z', 'w'].map((lane, i) => fold(`values.${lane}`, `4u * k + ${i}u`)).join('\n      ')}`
      : fold('x[start + k * params.inner]', 'k');
  return wgsl`
${flatIndex}
${mathFunctions([initial, prepare, combine, ...finish].join(' '))}
fn prepare(value: ${input}, k: u32) -> ${accumulator} {
  return ${prepare};
}

fn combine(a: ${accumulator}, b: ${accumulator}) -> ${accumulator} {
  return ${combine};
}

${foldLanes('line', accumulator, 'combine', layout)}
@compute @workgroup_size(${reduceWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(layout)}
  // A line is one output: [outer, chunks, inner], row-major.
  let chunk = (line / params.inner) % params.chunks;
  let outer = line / params.inner / params.chunks;
  let n = select(0u, params.n, line < params.count);
  let start = outer * params.n * params.inner + line % params.inner;
  let stride = ${lanes}u * params.chunks;
  var total = ${accumulator}(${initial});
  var k = chunk * ${lanes}u + lane;
  while (k < n) {
    var folded = ${accumulator}(${initial});
    let end = min(n, k + ${block}u * stride);
    for (; k < end; k += stride) {
      ${step}
    }
    total = combine(total, folded);
  }
  let a = fold_line(total, local, lane);
  if (lane == 0u && line < params.count) {
    ${results.map((type, i) => `out_${i}[line] = ${type}(${finish[i]});`).join('\n    ')}
  }
}
`;
}
