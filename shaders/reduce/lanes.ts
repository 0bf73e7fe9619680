/**
 * @file Reductions for GPUs: several invocations share a line and fold what each found in workgroup memory. An invocation
 * folds blocks of its elements first and those results next, which keeps the error of long sums low.
 */
import { foldLanes, laneIndices } from '../lib/lanes.ts';
import { wgsl } from '../lib/wgsl.ts';
import { componentsOf, declarations, linesAbreast, type ReduceOptions, write } from './program.ts';

/** Elements (or vectors of them) that an invocation folds before it adds them to what it has. */
const block = 32;

export function laneReduce(options: ReduceOptions): string {
  const { accumulator, initial, lanes, order, width, workgroup, split } = options;
  const lines = Array.from({ length: linesAbreast(options) }, (_, i) => i);
  const each = (text: (line: number) => string) => lines.map(text).join('\n    ');
  const folds = componentsOf(options, 'value').map((component, i) => {
    const line = lines.length > 1 ? i : 0;
    const k = order === 'rows' && width > 1 ? `${width}u * k + ${i}u` : 'k';
    return `folded_${line} = combine(folded_${line}, prepare(${component}, ${k}));`;
  });
  return wgsl`
${declarations(options)}
${foldLanes('line', accumulator, 'combine', options)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(options)}
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
#if ${split}
  let chunk = (line / params.inner) % params.chunks;
  let outer = line / params.inner / params.chunks;
#else
  let chunk = 0u;
  let outer = line / params.inner;
#endif
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
      ${folds.join('\n      ')}
    }
    ${each((i) => `total_${i} = combine(total_${i}, folded_${i});`)}
    first += ${block}u * stride;
  }
  ${each((i) => `let folded_${i} = fold_line(total_${i}, local, lane);`)}
  if (lane == 0u && line < params.count) {
    ${each((i) => write(options, i, `folded_${i}`))}
  }
}
`;
}
