/**
 * @file softmax and logSoftmax along one axis of x seen as [outer, n, inner], and their gradients. Each line of n elements
 * belongs to `lanes` invocations, which sweep over it twice or three times; later sweeps find it in the cache.
 *
 * A line whose largest element is infinite gives NaN everywhere, as subtracting that element would.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, laneIndices, type LineOrder } from './lib/lanes.ts';
import { lineElements } from './lib/lines.ts';
import { wgsl } from './lib/wgsl.ts';

export type SoftmaxOptions = {
  kind: 'softmax' | 'logSoftmax';
  lanes: number;
  order: LineOrder;
  /** Elements at once: neighbours of one line in rows, of four lines in columns. */
  width: 1 | 4;
  workgroup: number;
};

/** Where a line begins; lines beyond the last have no elements, since all invocations must meet at the barriers. */
const head = (options: SoftmaxOptions) => /* wgsl */ `
@compute @workgroup_size(${options.workgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${laneIndices(options)}
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let n = select(0u, params.n, line < params.count);`;

export function softmax(options: SoftmaxOptions): string {
  return options.lanes === 1 ? serial(options) : cooperative(options);
}

/** One sweep finds the largest element and the sum together, one writes. */
function cooperative(options: SoftmaxOptions): string {
  const { kind, lanes } = options;
  return wgsl`
${flatIndex}
${lineElements(options)}
// Stands for total · exp(high).
struct Exponentials {
  high: T,
  total: T,
}

fn add_exponentials(a: Exponentials, b: Exponentials) -> Exponentials {
  // Equal infinities have no difference.
  let weight = select(exp(-abs(a.high - b.high)), T(1.0), a.high == b.high);
  let total = select(a.total + b.total * weight, a.total * weight + b.total, b.high > a.high);
  return Exponentials(max(a.high, b.high), total);
}
${foldLanes('exponentials', 'Exponentials', 'add_exponentials', options)}
${head(options)}
  var found = Exponentials(lowest_element(), T());
  for (var k = lane; k < n; k += ${lanes}u) {
    // max may pass over a NaN; the sum may not.
    let value = x[start + k * params.inner];
    found = add_exponentials(found, Exponentials(value, unless_nan(T(1.0), value)));
  }
  let folded = fold_exponentials(found, local, lane);
  let high = join_max(folded.high);
  let total = join_sum(folded.total * select(exp(folded.high - high), T(1.0), folded.high == high));
  let sum = nan_where_infinite(total, high);
#if ${kind === 'softmax'}
  let scale = 1.0 / sum;
#else
  let logarithm = unless_nan(log(sum), sum);
#endif
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
#if ${kind === 'softmax'}
    out[i] = exp(x[i] - high) * scale;
#else
    out[i] = x[i] - high - logarithm;
#endif
  }
}
`;
}

/** A sweep of its own for the largest element spares the exponentials of rescaling. */
function serial(options: SoftmaxOptions): string {
  const { kind } = options;
  return wgsl`
${flatIndex}
${lineElements(options)}
${head(options)}
  let end = start + n * params.inner;
  var high = lowest_element();
  for (var i = start; i < end; i += params.inner) {
    high = max(high, x[i]);
  }
  high = join_max(high);
  var total = T();
  for (var i = start; i < end; i += params.inner) {
    // max may have passed over a NaN, exp may turn it into a number; the sum may not.
    let exponential = unless_nan(exp(x[i] - high), x[i]);
#if ${kind === 'softmax'}
    out[i] = exponential;
#endif
    total += exponential;
  }
  let sum = nan_where_infinite(join_sum(total), high);
#if ${kind === 'softmax'}
  let scale = 1.0 / sum;
#else
  let logarithm = unless_nan(log(sum), sum);
#endif
  for (var i = start; i < end; i += params.inner) {
#if ${kind === 'softmax'}
    out[i] = out[i] * scale;
#else
    out[i] = x[i] - high - logarithm;
#endif
  }
}
`;
}

/**
 * The gradient from the cotangent dy and the output y: y (dy - Σ dy y) for softmax, dy - exp(y) Σ dy for logSoftmax.
 */
export function softmaxGradient(options: SoftmaxOptions): string {
  const { kind, lanes } = options;
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('sum', 'T', 'add_elements', options)}
${head(options)}
  var sum = T();
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
#if ${kind === 'softmax'}
    sum += dy[i] * y[i];
#else
    sum += dy[i];
#endif
  }
  let total = join_sum(fold_sum(sum, local, lane));
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
#if ${kind === 'softmax'}
    out[i] = y[i] * (dy[i] - total);
#else
    out[i] = dy[i] - exp(y[i]) * total;
#endif
  }
}
`;
}
