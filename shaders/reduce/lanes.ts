/**
 * @file Reductions for GPUs: several invocations share a line and fold what each found, through subgroups or workgroup
 * memory. An invocation has several reads on their way before it uses the first, and folds what they bring in pairs, which
 * keeps errors low.
 */
import { folded, foldLanes, laneIndices, laneParameters } from '../lib/lanes.ts';
import { inPairs } from '../lib/lines.ts';
import { range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import {
  componentsOf,
  declarations,
  linesAbreast,
  operandsOf,
  readLineOperands,
  readValue,
  type ReduceOptions,
  write,
} from './program.ts';

/** Elements (or vectors of them) that an invocation reads at once. */
const inFlight = 4;

export function laneReduce(options: ReduceOptions): string {
  const { accumulator, initial, lanes, order, workgroup, split } = options;
  const isRows = order === 'rows';
  const lines = range(linesAbreast(options));
  const each = (text: (line: number) => string) => lines.map(text).join('\n    ');
  const position = (j: number) => (j === 0 ? 'k' : `k + ${j}u * step`);
  const reads = range(inFlight).map((j) => {
    const at = j === 0 ? 'at' : `at + ${j}u * jump`;
    return readValue(options, `value_${j}`, at, position(j));
  });
  const turn = (count: number) => each((line) => `total_${line} = combine(total_${line}, ${ofLine(options, line, count, position)});`);
  return wgsl`
${declarations(options)}
${foldLanes('line', accumulator, 'combine', options)}
@compute @workgroup_size(${workgroup})
fn main(
  ${laneParameters(options)}
) {
  ${laneIndices(options)}
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
#if ${split && isRows}
  let chunk = line % params.chunks;
  let outer = line / params.chunks;
#elif ${split}
  let chunk = (line / params.inner) % params.chunks;
  let outer = line / params.inner / params.chunks;
#elif ${isRows}
  let outer = line;
#else
  let outer = line / params.inner;
#endif
#if ${isRows}
  let start = outer * params.n;
#else
  let column = line % params.inner;
  let start = outer * params.n * params.inner + column;
#endif
  ${[readLineOperands(options, isRows ? 'outer' : 'outer * params.inner + column'), 'let n ='].filter(Boolean).join('\n  ')} select(0u, params.n, line < params.count);
  let step = ${split ? `${lanes}u * params.chunks` : `${lanes}u`};
  let jump = ${isRows ? 'step' : 'step * params.inner'};
  ${each((i) => `var total_${i} = ${accumulator}(${initial});`)}
  var k = ${split ? `chunk * ${lanes}u + lane` : 'lane'};
  var at = start + ${isRows ? 'k' : 'k * params.inner'};
  while (k + ${inFlight - 1}u * step < n) {
    ${reads.join('\n    ')}
    ${turn(inFlight)}
    k += ${inFlight}u * step;
    at += ${inFlight}u * jump;
  }
  while (k < n) {
    ${reads[0]}
    ${turn(1)}
    k += step;
    at += jump;
  }
  ${each((i) => `let folded_${i} = ${folded('line', `total_${i}`, options)};`)}
  if (lane == 0u && line < params.count) {
    ${each((i) => write(options, i, `folded_${i}`))}
  }
}
`;
}

/** The accumulator of what `count` reads brought for one of the lines abreast. */
function ofLine(
  options: ReduceOptions,
  line: number,
  count: number,
  position: (j: number) => string,
): string {
  const { order, width, prepareFour } = options;
  const elements = range(count).flatMap((j) =>
    componentsOf(options, `value_${j}`).flatMap((text, i) => {
      if (order === 'columns' && width > 1) return i === line ? [{ text, j, i }] : [];
      return [{ text, j, i }];
    }),
  );
  if (prepareFour !== '' && elements.length % 4 === 0) {
    const groups = range(elements.length / 4).map(
      (g) => `prepare_four(${elements.slice(4 * g, 4 * g + 4).map(({ text }) => text).join(', ')})`,
    );
    return inPairs(groups, (a, b) => `combine(${a}, ${b})`);
  }
  const prepared = elements.map(({ text, j, i }) => {
    const k = order === 'rows' && width > 1 ? `${width}u * (${position(j)}) + ${i}u` : position(j);
    return `prepare(${text}, ${k}${operandsOf(options, `value_${j}`, i)})`;
  });
  return inPairs(prepared, (a, b) => `combine(${a}, ${b})`);
}
