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

fn unit_interval(bits: u32) -> f32 {
  return f32(bitcast<i32>((bits ^ 0x80000000u) & 0xffffff00u)) * 2.32830644e-10 + 0.5;
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

  let unit = vec4<f32>(
    unit_interval(words.x), unit_interval(words.y), unit_interval(words.z), unit_interval(words.w),
  );
  // The sum may round up to the bound, which isn't included.
  let below = vec4<f32>(params.below);
  let drawn = params.low + unit * params.high;
  let values = select(drawn, below, drawn > below);
  out[i] = values;
}
