@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  seed_low: u32,
  seed_high: u32,
  low: f32,
  high: f32,
  below: f32,
  offset: u32,
  range: u32,
}
@group(0) @binding(1) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
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

fn near_log(x: f32) -> f32 {
  let parts = split_float(bitcast<u32>(x));
  return joined_log(parts.exponent, parts.mantissa - 1.0);
}

fn sine_within_half(r: f32) -> f32 {
  let z = r * r;
  return r + r * z * (-0.166666597 + z * (0.00833306462 + z * (-1.98094727e-4 + z * 2.60547495e-6)));
}

fn sine_of_turn(turn: u32, rest: f32) -> f32 {
  let n = (turn + 0x40000000u) & 0x80000000u;
  let y = sine_within_half(f32(bitcast<i32>(turn - n)) * 1.46291808e-9 + rest);
  return bitcast<f32>(bitcast<u32>(y) ^ n);
}

fn box_muller(distance: u32, turn: u32) -> vec2<f32> {
  let radius = sqrt(2.0 * abs(near_log((f32(distance) + 0.5) * 2.32830644e-10)));
  return radius * vec2<f32>(sine_of_turn(turn + 0x40000000u, 0.0), sine_of_turn(turn, 0.0));
}
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  if (i >= params.count) {
    return;
  }
  let words = philox(vec4<u32>(i, 0u, 0u, 0u), vec2<u32>(params.seed_low, params.seed_high));

  let values = params.low
  + params.high * vec4<f32>(box_muller(words.x, words.y), box_muller(words.z, words.w));
  out[i] = values;
}
