/**
 * @file Reductions for GPUs: several invocations share a line and combine their results through subgroups or workgroup
 * memory. An invocation has several reads in flight before it uses the first, and combines their values in pairs, which keeps
 * errors small.
 */
import { folded, foldLanes, laneIndices, laneParameters } from '../lib/lanes.ts';
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
  type ReduceOptions,
  type ReduceProgram,
  write,
} from './program.ts';

/** Elements (or vectors) that an invocation reads before it uses the first; few if operands take registers, too. */
const readsAtOnce = ({ operands, reads }: ReduceOptions) =>
  operands.length > 0 ? Math.min(4, reads) : reads;

export function laneReduce(options: ReduceProgram): string {
  const { declared, body } = laneParts(options);
  return wgsl`
${declared}
@compute @workgroup_size(${options.workgroup})
fn main(
  ${laneParameters(options)}
) {
  ${body}
}
`;
}

/** The declarations of a program, and the body of its entry point. */
export interface LaneParts {
  readonly declared: string;
  readonly body: string;
}

export function laneParts(options: ReduceProgram): LaneParts {
  const { accumulator, initial, lanes, order, split } = options;
  const isRows = order === 'rows';
  const inFlight = readsAtOnce(options);
  const lines = range(linesPerInvocation(options));
  const each = (text: (line: number) => string) => lines.map(text).join('\n    ');
  const position = (j: number) => (j === 0 ? 'k' : `k + ${j * lanes}u`);
  const reads = (at: (j: number) => string) =>
    range(inFlight)
      .map((j) => readValue(options, `value_${j}`, at(j), position(j)))
      .join('\n    ');
  const inner = isRows ? '' : ' * params.inner';
  const stride = (j: number) => (isRows ? `${j * lanes}u` : `stride_${j}`);
  const whole = reads((j) => (j === 0 ? 'at' : `at + ${stride(j)}`));
  // Beyond the end, the last element once more: it is in the cache, and no load waits for a branch.
  const rest = reads((j) => `start + min(${position(j)}, end - 1u)${inner}`);
  const together = inFlight * lanes;
  const iteration = (isWhole: boolean) =>
    each((line) => `total_${line} = combine(total_${line}, ${ofLine(options, line, isWhole, position)});`);
  const lineOperands = readLineOperands(options, isRows ? 'outer' : 'outer * params.inner + column');
  const isSeveral = lines.length > 1;
  const declared = wgsl`
${declarations(options)}
#if ${isSeveral}
struct Lines {
  ${each((i) => `line_${i}: ${accumulator},`)}
}

fn combine_lines(a: Lines, b: Lines) -> Lines {
  return Lines(${lines.map((i) => `combine(a.line_${i}, b.line_${i})`).join(', ')});
}
#endif
${foldLanes('line', isSeveral ? 'Lines' : accumulator, isSeveral ? 'combine_lines' : 'combine', options)}
`;
  const body = wgsl`
  ${laneIndices(options)}
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count - 1u);
#if ${split && isRows}
  let chunk = own_line % params.chunks;
  let outer = own_line / params.chunks;
#elif ${split}
  let chunk = (own_line / params.inner) % params.chunks;
  let outer = own_line / params.inner / params.chunks;
#elif ${isRows}
  let outer = own_line;
#else
  let outer = own_line / params.inner;
#endif
#if ${isRows}
  let start = outer * params.n;
#else
  let column = own_line % params.inner;
  let start = outer * params.n * params.inner + column;
#endif
#if ${split}
  // Each chunk is a stretch of the axis; the last may be short, or empty.
  let length = (params.n + params.chunks - 1u) / params.chunks;
  let begin = min(params.n, chunk * length);
  let end = min(params.n, begin + length);
#else
  let begin = 0u;
  let end = params.n;
#endif
  ${[options.computed?.shared, lineOperands, each((i) => `var total_${i} = ${accumulator}(${initial});`)].filter(Boolean).join('\n  ')}
  var k = begin + lane;
  var at = start + k${inner};
  ${
    isRows
      ? ''
      : range(inFlight)
          .map((j) => `let ${stride(j + 1)} = ${(j + 1) * lanes}u${inner};`)
          .join('\n  ')
  }
  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / ${together}u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    ${whole}
    ${iteration(true)}
    k += ${together}u;
    at += ${stride(inFlight)};
  }
  if (iterations * ${together}u < end - begin) {
    ${rest}
    ${iteration(false)}
  }
#if ${isSeveral}
  let folded = ${folded('line', `Lines(${lines.map((i) => `total_${i}`).join(', ')})`, options)};
#else
  let folded = ${folded('line', 'total_0', options)};
#endif
  if (lane == 0u && line < params.count) {
    ${each((i) => write(options, i, isSeveral ? `folded.line_${i}` : 'folded'))}
  }
`;
  return { declared, body };
}

/** The accumulator of an iteration's values for one of the lines; of those within the line, if not all are. */
function ofLine(
  options: ReduceOptions,
  line: number,
  isWhole: boolean,
  position: (j: number) => string,
): string {
  const { order, width, prepareFour, accumulator, initial } = options;
  const inFlight = readsAtOnce(options);
  const isVectorOfLines = order === 'columns' && width > 1;
  const elements = range(inFlight).flatMap((j) =>
    componentsOf(options, `value_${j}`)
      .map((text, i) => ({ text, j, i }))
      .filter(({ i }) => !isVectorOfLines || i === line),
  );
  const inOne = (terms: readonly string[]) => inPairs(terms, (a, b) => `combine(${a}, ${b})`);
  if (prepareFour !== '' && isWhole && elements.length % 4 === 0) {
    const fours = range(elements.length / 4).map((g) => elements.slice(4 * g, 4 * g + 4));
    return inOne(fours.map((four) => `prepare_four(${four.map(({ text }) => text).join(', ')})`));
  }
  const prepared = elements.map(({ text, j, i }) => {
    const k = order === 'rows' && width > 1 ? `${width}u * (${position(j)}) + ${i}u` : position(j);
    const own = `prepare(${text}, ${k}${operandsOf(options, `value_${j}`, i)})`;
    return isWhole ? own : `select(${accumulator}(${initial}), ${own}, ${position(j)} < end)`;
  });
  return inOne(prepared);
}
