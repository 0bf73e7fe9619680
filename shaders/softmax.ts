/**
 * @file softmax and logSoftmax along one axis of x seen as [outer, n, inner], and their gradients. Each line of n elements
 * belongs to `lanes` invocations, which sweep over it twice or three times; later sweeps find it in the cache.
 *
 * A line whose largest element is infinite gives NaN everywhere, as subtracting that element would.
 */
import { flatIndex } from './lib/indexing.ts';
import { foldLanes, laneIndices, type LineOrder } from './lib/lanes.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type SoftmaxOptions = {
  kind: 'softmax' | 'logSoftmax';
  lanes: number;
  order: LineOrder;
};

export const softmaxWorkgroup = 256;

const entry = /* wgsl */ `
@compute @workgroup_size(${softmaxWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
)`;

/** Where a line begins; lines beyond the last have no elements, since all invocations must meet at the barriers. */
const lineBounds = /* wgsl */ `
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let n = select(0u, params.n, line < params.count);`;

export function softmax({ kind, lanes, order }: SoftmaxOptions): string {
  const layout = { lanes, order, workgroup: softmaxWorkgroup };
  return lanes === 1 ? serial(kind, layout) : cooperative(kind, layout);
}

type Layout = Parameters<typeof laneIndices>[0];

/** One sweep finds the largest element and the sum together, one writes. */
function cooperative(kind: SoftmaxOptions['kind'], layout: Layout): string {
  return wgsl`
${flatIndex}
${mathFunctions('is_nan( is_infinite( nan_value( infinity( exponential_of( add_exponentials(')}
${foldLanes('exponentials', 'vec2<f32>', 'add_exponentials', layout)}
${entry} {
  ${laneIndices(layout)}
  ${lineBounds}
  var found = vec2<f32>(-infinity(), 0.0);
  for (var k = lane; k < n; k += ${layout.lanes}u) {
    found = add_exponentials(found, exponential_of(x[start + k * params.inner]));
  }
  let folded = fold_exponentials(found, local, lane);
  let high = folded.x;
  let total = select(folded.y, nan_value(), is_infinite(high));
#if ${kind === 'softmax'}
  let scale = 1.0 / total;
#else
  let logarithm = select(log(total), total, is_nan(total));
#endif
  for (var k = lane; k < n; k += ${layout.lanes}u) {
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
function serial(kind: SoftmaxOptions['kind'], layout: Layout): string {
  return wgsl`
${flatIndex}
${mathFunctions('is_nan( is_infinite( nan_value( infinity(')}
${entry} {
  ${laneIndices(layout)}
  ${lineBounds}
  let end = start + n * params.inner;
  var high = -infinity();
  for (var i = start; i < end; i += params.inner) {
    high = max(high, x[i]);
  }
  var total = 0.0;
  for (var i = start; i < end; i += params.inner) {
    // max may have passed over a NaN, exp may turn it into a number; the sum may not.
    let value = x[i];
    let exponential = select(exp(value - high), value, is_nan(value));
#if ${kind === 'softmax'}
    out[i] = exponential;
#endif
    total += exponential;
  }
  total = select(total, nan_value(), is_infinite(high));
#if ${kind === 'softmax'}
  let scale = 1.0 / total;
#else
  let logarithm = select(log(total), total, is_nan(total));
#endif
  for (var i = start; i < end; i += params.inner) {
#if ${kind === 'softmax'}
    out[i] *= scale;
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
export function softmaxGradient({ kind, lanes, order }: SoftmaxOptions): string {
  const layout = { lanes, order, workgroup: softmaxWorkgroup };
  return wgsl`
${flatIndex}
fn plus(a: f32, b: f32) -> f32 {
  return a + b;
}
${foldLanes('sum', 'f32', 'plus', layout)}
${entry} {
  ${laneIndices(layout)}
  ${lineBounds}
  var sum = 0.0;
  for (var k = lane; k < n; k += ${lanes}u) {
    let i = start + k * params.inner;
#if ${kind === 'softmax'}
    sum += dy[i] * y[i];
#else
    sum += dy[i];
#endif
  }
  let total = fold_sum(sum, local, lane);
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
