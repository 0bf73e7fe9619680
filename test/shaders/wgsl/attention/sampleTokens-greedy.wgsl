@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read_write> tokens: array<i32>;
struct Params {
  rows: u32,
  n: u32,
  earlier: u32,
  rate: f32,
  penalty: f32,
  k: f32,
  p: f32,
}
@group(0) @binding(2) var<uniform> params: Params;

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

struct SplitFloat {
  exponent: f32,
  mantissa: f32,
}

fn split_float(bits: u32) -> SplitFloat {
  let shifted = bits - 0x3f3504f3u;
  return SplitFloat(
    f32(bitcast<i32>(shifted & 0xff800000u)) * 1.1920929e-7,
    bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u),
  );
}

fn log_near_one(f: f32) -> f32 {
  let s = f / (2.0 + f);
  let z = s * s;
  let rest = z * (0.66666776 + z * (0.39977540 + z * 0.29871762));
  return f - s * (f - rest);
}

fn joined_log(n: f32, f: f32) -> f32 {
  return fma(n, 0.693359375, fma(n, -2.1219444e-4, log_near_one(f)));
}

fn infinity() -> f32 {
  var bits = 0x7f800000u;
  return bitcast<f32>(bits);
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}

fn precise_log(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  // A subnormal number is an integer times 2^-149.
  let subnormal = bits < 0x00800000u;
  let parts = split_float(select(bits, bitcast<u32>(f32(bits)), subnormal));
  let y = joined_log(parts.exponent - select(0.0, 149.0, subnormal), parts.mantissa - 1.0);
  // Negative numbers, infinity and NaN.
  let defined = select(y, select(x, nan_value(), x < 0.0), bits >= 0x7f800000u);
  return select(defined, -infinity(), (bits & 0x7fffffffu) == 0u);
}

fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var x = counter.zx ^ vec2<u32>(0x80000000u);
  var y = counter.yw ^ vec2<u32>(0x80000000u);
  var key = seed;
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
    + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return vec4<u32>(x.y, y.x, x.x, y.y) ^ vec4<u32>(0x80000000u);
}

fn unit_interval(bits: u32) -> f32 {
  return f32(bitcast<i32>((bits ^ 0x80000000u) & 0xffffff00u)) * 2.32830644e-10 + 0.5;
}
fn larger(a: f32, b: f32) -> f32 {
  return max(a, b);
}

fn add_sums(a: f32, b: f32) -> f32 {
  return a + b;
}

// Of two candidates (score, token), the one with the larger score; of equal ones, the earlier token. Floats hold tokens up to 2^24.
fn better(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let is_first = a.x > b.x || (a.x == b.x && a.y < b.y);
  return select(b, a, is_first);
}

fn order_of(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn value_at(start: u32, k: u32) -> f32 {
  return logits[start + k] * params.rate;
}

var<workgroup> lanes_largest: array<f32, 64>;

fn fold_largest(value: f32, local: u32, lane: u32) -> f32 {
  lanes_largest[local] = value;
  workgroupBarrier();
  if (lane < 32u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 1u]);
  }
  workgroupBarrier();
  return lanes_largest[local - lane * 1u];
}

var<workgroup> lanes_sum: array<f32, 64>;

fn fold_sum(value: f32, local: u32, lane: u32) -> f32 {
  lanes_sum[local] = value;
  workgroupBarrier();
  if (lane < 32u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 1u]);
  }
  workgroupBarrier();
  return lanes_sum[local - lane * 1u];
}

var<workgroup> lanes_best: array<vec2<f32>, 64>;

fn fold_best(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  lanes_best[local] = value;
  workgroupBarrier();
  if (lane < 32u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_best[local] = better(lanes_best[local], lanes_best[local + 1u]);
  }
  workgroupBarrier();
  return lanes_best[local - lane * 1u];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local;
  let row = flat_group(group, groups);
  if (row >= params.rows) {
    return;
  }
  let start = row * params.n;
  var limit = 0u;

  var chosen = vec2<f32>(-0x1.fffffep127, 0.0);
  for (var k = local; k < params.n; k += 64u) {
    let value = value_at(start, k);
    if (order_of(value) >= limit) {
      let score = value;
      chosen = better(chosen, vec2<f32>(score, f32(k)));
    }
  }
  let best = fold_best(chosen, local, lane);
  if (local == 0u) {
    tokens[row] = i32(best.y);
  }
}
