/**
 * @file softmax and logSoftmax along one axis of x viewed as [outer, n, inner]. Each line of n elements is computed by `lanes`
 * invocations, which keep it in registers if it fits, and otherwise sweep over it two or three times; later sweeps read it
 * from the cache.
 *
 * A line whose largest element is infinite gives NaN everywhere, as subtracting that element would.
 */
import { flatIndex } from './lib/indexing.ts';
import { folded, foldLanes } from './lib/lanes.ts';
import {
  keptGuard,
  inPairs,
  keptElements,
  keptPositions,
  lineElements,
  lineHead,
  type LineOptions,
  lineTests,
  lowest,
  maxOf,
  sumOf,
  sweep,
  unlessNan,
} from './lib/lines.ts';
import { wgsl } from './lib/wgsl.ts';

export type SoftmaxOptions = LineOptions & { kind: 'softmax' | 'logSoftmax' };

export function softmax(options: SoftmaxOptions): string {
  const { kind, kept, lanes, reads } = options;
  if (kept > 0) return inRegisters(options);
  const rescales = lanes > 1 || (kind === 'logSoftmax' && reads > 1);
  return rescales ? inSweeps(options) : serial(options);
}

/** From `total`, the sum of exponentials of a line relative to `high`: the factor that normalizes them, or its logarithm. */
const normalizer = ({ kind }: SoftmaxOptions) => wgsl`
  // The largest element adds 1: a sum of 0 has -∞ alone.
  let is_undefined = is_infinite_line(high) | is_nan_line(total) | (total == F());
#if ${kind === 'softmax'}
  let scale = nan_where(1.0 / total, is_undefined);
#else
  let logarithm = nan_where(log(total), is_undefined);
#endif`;

/** The exponential of a value relative to `high`. max may ignore a NaN, and exp may turn it into a number; the sum may not. */
const exponential = (value: string) => unlessNan(`exp(${value} - high)`, value);

function inRegisters(options: SoftmaxOptions): string {
  const { kind, whole } = options;
  const elements = keptElements(options);
  const guard = keptGuard(options);
  const largest = whole ? largestOf(options, elements) : maxOf(elements.map((j) => `value_${j}`));
  const each = (text: (j: number) => string) => elements.map(text).join('\n  ');
  const result = (j: number) =>
    kind === 'softmax' ? `exponential_${j} * scale` : `value_${j} - high - logarithm`;
  return wgsl`
${flatIndex}
${lineElements(options)}
${lineTests(options)}
${foldLanes('max', 'F', 'larger_line', options)}
${foldLanes('sum', 'F', 'add_lines', options)}
${whole ? selectLarger : ''}
${lineHead(options)}
  ${keptPositions(options)}
  ${each((j) => `let value_${j} = x[at_${j}];`)}
  let high = ${folded('max', `max(join_max(${largest}), F(${lowest}))`, options)};
  ${each((j) => `let exponential_${j} = ${guard.orZero(exponential(`value_${j}`), j)};`)}
  let total = ${folded('sum', `join_sum(${sumOf(elements.map((j) => `exponential_${j}`))})`, options)};
  ${normalizer(options)}
  ${each((j) => guard.write(result(j), j))}
}
`;
}

/** One sweep finds the largest element and the sum together, the other one writes. */
function inSweeps(options: SoftmaxOptions): string {
  const { kind, lanes } = options;
  const each = (js: readonly number[], text: (j: number) => string) => js.map(text).join('\n    ');
  const result = (j: number) =>
    kind === 'softmax' ? `exp(value_${j} - high) * scale` : `value_${j} - high - logarithm`;
  const read = (js: readonly number[]) => each(js, (j) => `let value_${j} = x[at_${j}];`);
  // A long line of a single invocation has many factors, so those of 1 must be exact.
  const rescale = 'exp(own_high - higher)';
  const factor = lanes === 1 ? `select(${rescale}, T(1.0), own_high == higher)` : rescale;
  return wgsl`
${flatIndex}
${lineElements(options)}
${lineTests(options)}
${foldLanes('max', 'F', 'larger_line', options)}
${foldLanes('sum', 'F', 'add_lines', options)}
${lanes === 1 ? selectLarger : ''}
${lineHead(options)}
  // The sum is one of exponentials above the largest element so far.
  var own_high = T(${lowest});
  var own_total = T();
  ${sweep(
    options,
    (js, { orZero }) => `${read(js)}
    let higher = ${lanes === 1 ? 'larger' : 'max'}(own_high, ${largestOf(options, js)});
    ${each(js, (j) => `let exponential_${j} = ${unlessNan(`exp(value_${j} - higher)`, `value_${j}`)};`)}
    own_total = own_total * ${factor} + ${sumOf(js.map((j) => orZero(`exponential_${j}`, j)))};
    own_high = higher;`,
  )}
  let high = ${folded('max', 'join_max(own_high)', options)};
  let total = ${folded('sum', 'join_sum(own_total * exp(own_high - high))', options)};
  ${normalizer(options)}
  ${sweep(
    options,
    (js, { write }) => `${read(js)}
    ${each(js, (j) => write(result(j), j))}`,
  )}
}
`;
}

/** `max` of two values, which may be NaN: on software adapters it takes several times as long as a selection. */
const selectLarger = wgsl`
fn larger(a: T, b: T) -> T {
  return select(b, a, a > b);
}
`;

/** The largest of the values `js`. */
function largestOf({ lanes }: SoftmaxOptions, js: readonly number[]): string {
  const values = js.map((j) => `value_${j}`);
  return lanes === 1 ? inPairs(values, (a, b) => `larger(${a}, ${b})`) : maxOf(values);
}

/** For a single invocation: a separate sweep for the largest element saves the exponentials of rescaling. */
function serial(options: SoftmaxOptions): string {
  const { kind, reads } = options;
  const isUnrolled = reads > 1;
  const each = (js: readonly number[], text: (j: number) => string) => js.map(text).join('\n    ');
  const read = (js: readonly number[]) => each(js, (j) => `let value_${j} = x[at_${j}];`);
  return wgsl`
${flatIndex}
${lineElements(options)}
${lineTests(options)}
${isUnrolled ? selectLarger : ''}
${lineHead(options)}
  var highest = T(${lowest});
  ${sweep(
    options,
    (js) => `${read(js)}
    highest = ${isUnrolled ? 'larger' : 'max'}(highest, ${isUnrolled ? largestOf(options, js) : 'value_0'});`,
  )}
  let high = join_max(highest);
  var sums = T();
  ${sweep(
    options,
    (js) => `${read(js)}
    ${each(js, (j) => `let exponential_${j} = ${exponential(`value_${j}`)};`)}
    ${kind === 'softmax' ? each(js, (j) => `out[at_${j}] = exponential_${j};`) : ''}
    sums += ${sumOf(js.map((j) => `exponential_${j}`))};`,
  )}
  let total = join_sum(sums);
  ${normalizer(options)}
  ${sweep(options, (js) =>
    each(js, (j) =>
      kind === 'softmax'
        ? `out[at_${j}] = out[at_${j}] * scale;`
        : `out[at_${j}] = x[at_${j}] - high - logarithm;`,
    ),
  )}
}
`;
}
