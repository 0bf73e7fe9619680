/**
 * @file Reductions for software adapters: one invocation reduces a line, or several adjacent lines, in one loop. Every read
 * costs a bounds check, and every iteration of a loop has a cost, so an iteration reads as much as it can. Lines that can't be
 * read in vectors are reduced four at a time.
 */
import { inPairs } from '../lib/lines.ts';
import { range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import {
  componentsOf,
  declarations,
  linesPerInvocation,
  operandsOf,
  readLineOperands,
  readValue,
  type ReduceProgram,
  write,
} from './program.ts';

export function serialReduce(options: ReduceProgram): string {
  const { accumulator, combineOrdered, initial, order, width, linesPerLoop, reads, workgroup, split } =
    options;
  const inRows = order === 'rows';
  const isApart = linesPerLoop > 1;
  /** Distance between lines that are reduced in one loop. */
  const distance = inRows ? 'params.n' : '1u';
  const lines = Array.from({ length: linesPerInvocation(options) }, (_, i) => i);
  const each = (text: (line: number) => string) => lines.map(text).join('\n  ');
  const read = (name: string, at: string, k: string) =>
    isApart
      ? each((line) => readValue(options, `${name}_${line}`, `${at} + ${line}u * ${distance}`, k, line === 0))
      : readValue(options, name, at, k);
  /** Combines `terms`, which are in order, in a tree of pairs: errors stay small, and no term waits for all before it. */
  const combined = (terms: readonly string[]) =>
    inPairs(terms, (a, b) => `${combineOrdered ? 'combine_ordered' : 'combine'}(${a}, ${b})`);
  /** Combines the elements of each line in `values`, with their positions, into the totals. */
  const fold = (values: readonly { value: string; k: string }[]) => {
    if (isApart) {
      const ofLine = (line: number) =>
        values.map(({ value, k }) => {
          const operands = operandsOf(options, `${value}_${line}`, 0, `${value}_0`, `_${line}`);
          return `prepare(${value}_${line}, ${k}${operands})`;
        });
      return each((line) => `  total_${line} = combine(total_${line}, ${combined(ofLine(line))});`);
    }
    const elements = values.map(({ value, k }) =>
      componentsOf(options, value).map((component, i) =>
        inRows && width > 1
          ? `prepare(${component}, ${width}u * ${k} + ${i}u${operandsOf(options, value, i)})`
          : `prepare(${component}, ${k}${operandsOf(options, value, i)})`,
      ),
    );
    const ofLine = (line: number) => (inRows ? elements.flat() : elements.map((own) => own[line] as string));
    return each((line) => `  total_${line} = combine(total_${line}, ${combined(ofLine(line))});`);
  };
  /** The line index for operands, without the chunk. */
  const lineIndex = split ? 'outer * params.inner + column' : 'line';
  const lineOperands = isApart
    ? each((line) => readLineOperands(options, `${lineIndex} + ${line}u`, `_${line}`))
    : readLineOperands(options, lineIndex);
  return wgsl`
${declarations(options)}
@compute @workgroup_size(${workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, ${workgroup}u);
  if (unit >= params.count) {
    return;
  }
  // A unit is one output, or neighbouring ones: [outer, chunks, inner], row-major. Divisions are dear: lane by lane, and
  // guarded. The last units of lines that lie apart start earlier instead of running past the end: some are folded twice.
#if ${inRows}
  let column = 0u;
  let row = ${isApart ? `min(${linesPerLoop}u * unit, params.side - ${linesPerLoop}u)` : 'unit'};
  let line = row;
#elif ${isApart}
  let units = (params.side + ${linesPerLoop - 1}u) / ${linesPerLoop}u;
  let column = min(${linesPerLoop}u * (unit % units), params.side - ${linesPerLoop}u);
  let row = unit / units;
  let line = row * params.side + column;
#else
  let column = unit % params.inner;
  let row = unit / params.inner;
  let line = unit;
#endif
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
  ${[options.computed?.shared, lineOperands, each((i) => `var total_${i} = ${accumulator}(${initial});`)].filter(Boolean).join('\n  ')}
#if ${reads > 1}
  let whole = max(end, ${reads - 1}u) - ${reads - 1}u;
  while (k < whole) {
    ${range(reads)
      .map((i) => read(`read_${i}`, `at + ${i}u * params.inner`, `k + ${i}u`))
      .join('\n    ')}
  ${fold(range(reads).map((i) => ({ value: `read_${i}`, k: `(k + ${i}u)` })))}
    k += ${reads}u;
    at += ${reads}u * params.inner;
  }
#endif
  while (k < end) {
    ${read('value', 'at', 'k')}
  ${fold([{ value: 'value', k: 'k' }])}
    k += 1u;
    at += params.inner;
  }
  ${each((i) => write(options, i, `total_${i}`))}
}
`;
}
