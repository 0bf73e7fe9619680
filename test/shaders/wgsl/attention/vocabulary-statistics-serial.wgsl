@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read_write> statistics: array<vec4<f32>>;
struct Params {
  rows: u32,
  n: u32,
  first: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn exponential_rest(r: f32) -> f32 {
  let p = 0.49999998 + r * (0.16666544 + r * (0.0416672 + r * (0.00836652058 + r * 0.00138825218)));
  return r + r * r * p;
}

fn same_integer(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12582912.0) | 0x4b000000u) - 12582912.0;
}

struct ReducedExponential {
  n: f32,
  rest: f32,
}

fn reduce_exponential(x: f32) -> ReducedExponential {
  let n = floor(x * 1.44269504 + 0.5);
  // By fma, and with n in two forms: compilers may add up the two parts of ln 2 otherwise.
  let r = fma(same_integer(n), 2.1219444e-4, fma(n, -0.693359375, x));
  return ReducedExponential(n, exponential_rest(r));
}

fn power_of_whole(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12583039.0) * 0x800000u);
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn precise_exp(x: f32) -> f32 {
  let e = reduce_exponential(select(select(x, -105.0, x < -105.0), 89.0, x > 89.0));
  // In two steps: 2^n itself may be out of range where the result is not.
  let half = floor(0.5 * e.n);
  let y = (1.0 + e.rest) * power_of_whole(half) * power_of_whole(e.n - half);
  return select(y, x, is_nan(x));
}
fn larger(a: f32, b: f32) -> f32 {
  return max(a, b);
}

fn add_sums(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return a + b;
}

fn fold_largest(value: f32, local: u32, lane: u32) -> f32 {
  return value;
}

fn fold_sums(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  return value;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 1u;
  let line_in_group = local / 1u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  let row = min(line, params.rows - 1u);
  let start = row * params.n;
  var largest = -0x1.fffffep127;
  var sum = 0.0;
  var total = 0.0;
  for (var k = lane; k < params.n; k += 1u) {
    let value = logits[start + k];
    let next = max(largest, value);
    // NaN stays NaN.
    sum = sum * precise_exp(largest - next) + precise_exp(value - next);
    total += value;
    largest = next;
  }
  let all_largest = fold_largest(largest, local, lane);
  let sums = fold_sums(vec2<f32>(sum * precise_exp(largest - all_largest), total), local, lane);
  if (lane == 0u && line < params.rows) {
    let place = bitcast<u32>(labels[row]) - params.first;
    let label_logit = select(0.0, logits[start + min(place, params.n - 1u)], place < params.n);
    if (params.first == 0u) {
      statistics[row] = vec4<f32>(all_largest, sums.x, sums.y, label_logit);
    } else {
      let known = statistics[row];
      let top = max(known.x, all_largest);
      let scaled = known.y * precise_exp(known.x - top) + sums.x * precise_exp(all_largest - top);
      statistics[row] = vec4<f32>(top, scaled, known.z + sums.y, known.w + label_logit);
    }
  }
}
