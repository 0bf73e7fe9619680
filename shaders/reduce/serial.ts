/**
 * @file Reductions for software adapters: one invocation folds a line, or neighbouring lines side by side, in one loop. Each
 * pays for every read by the check of its index, and for every turn of a loop: a turn reads as much as it can.
 */
import { wgsl } from '../lib/wgsl.ts';
import { componentsOf, declarations, linesAbreast, readValue, type ReduceOptions, write } from './program.ts';

export function serialReduce(options: ReduceOptions): string {
  const { accumulator, initial, order, width, workgroup, split } = options;
  const inRows = order === 'rows';
  const lines = Array.from({ length: linesAbreast(options) }, (_, i) => i);
  const each = (text: (line: number) => string) => lines.map(text).join('\n  ');
  /** The elements that `value` holds of each line, with their positions, folded into the totals. */
  const fold = (values: readonly { value: string; k: string }[]) => {
    const elements = values.map(({ value, k }) =>
      componentsOf(options, value).map((component, i) =>
        inRows && width > 1
          ? `prepare(${component}, ${width}u * ${k} + ${i}u)`
          : `prepare(${component}, ${k})`,
      ),
    );
    const ofLine = (line: number) => (inRows ? elements.flat() : elements.map((own) => own[line] as string));
    return each((line) => `  total_${line} = combine(total_${line}, ${inPairs(ofLine(line))});`);
  };
  return wgsl`
${declarations(options)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  // A line is one output, or neighbouring ones: [outer, chunks, inner], row-major.
  let line = flat_index(group, groups, local, ${workgroup}u);
  if (line >= params.count) {
    return;
  }
  // Divisions are dear: lane by lane, and guarded.
  let column = ${inRows ? '0u' : 'line % params.inner'};
  let row = ${inRows ? 'line' : 'line / params.inner'};
#if ${split}
  // Each chunk is a stretch of the axis, which a CPU reads from its caches.
  let chunk = row % params.chunks;
  let outer = row / params.chunks;
  let length = (params.n + params.chunks - 1u) / params.chunks;
  var k = chunk * length;
  let end = min(params.n, k + length);
  var at = (outer * params.n + k) * params.inner + column;
#else
  var k = 0u;
  let end = params.n;
  var at = row * params.n * params.inner + column;
#endif
  ${each((i) => `var total_${i} = ${accumulator}(${initial});`)}
#if ${width < 16}
  let whole = max(end, 1u) - 1u;
  while (k < whole) {
    let first = x[at];
    let second = x[at + params.inner];
  ${fold([
    { value: 'first', k: 'k' },
    { value: 'second', k: '(k + 1u)' },
  ])}
    k += 2u;
    at += 2u * params.inner;
  }
#endif
  while (k < end) {
    ${readValue(options)}
  ${fold([{ value: 'value', k: 'k' }])}
    k += 1u;
    at += params.inner;
  }
  ${each((i) => write(options, i, `total_${i}`))}
}
`;
}

/** WGSL that combines `terms` in pairs, and those in pairs: errors stay low, and no term waits for all before it. */
function inPairs(terms: readonly string[]): string {
  if (terms.length === 1) return terms[0] as string;
  const half = terms.length >> 1;
  return `combine(${inPairs(terms.slice(0, half))}, ${inPairs(terms.slice(half))})`;
}
