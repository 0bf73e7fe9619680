@group(0) @binding(0) var<storage, read_write> value_of: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> moments: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> scales: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> gradient: array<vec4<f32>>;
struct Params {
  count: u32,
  size: u32,
  step: u32,
  stream: u32,
  decay: f32,
  rate: f32,
  momentum_share: f32,
  velocity_share: f32,
  epsilon: f32,
}
@group(0) @binding(4) var<uniform> params: Params;

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
// The bits of the largest momentum and velocity of the block.
var<workgroup> largest: array<atomic<u32>, 2>;

fn unpacked(word: u32) -> vec4<u32> {
  return (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

fn packed(code: vec4<u32>) -> u32 {
  let placed = code << vec4<u32>(0u, 8u, 16u, 24u);
  return placed.x | placed.y | placed.z | placed.w;
}

// 'scale' is the exponent of the block as the bits of a float have it, 'top' that of the code for 1.
fn widened(code: vec4<u32>, scale: u32, top: u32) -> vec4<f32> {
  let normal = bitcast<vec4<f32>>((code << vec4<u32>(20u)) + vec4<u32>((scale - top) << 23u));
  let small = vec4<f32>(code) * bitcast<f32>((scale - top - 2u) << 23u);
  let special = bitcast<vec4<f32>>(vec4<u32>(0x7f800000u) + ((code & vec4<u32>(1u)) << vec4<u32>(22u)));
  let number = select(small, normal, code >= vec4<u32>(8u));
  return select(number, special, code >= vec4<u32>(8u * top + 6u));
}

// 'noise' has 20 bits, those that a code leaves out.
fn rounded(x: vec4<f32>, noise: vec4<u32>, scale: u32, top: u32) -> vec4<u32> {
  let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
  let base = (scale - top) << 23u;
  let units = abs(x) * bitcast<f32>((256u + top - scale) << 23u);
  let small = vec4<u32>(units + vec4<f32>(noise) * 9.5367431640625e-7);
  let normal = (bits - vec4<u32>(base) + noise) >> vec4<u32>(20u);
  let number = min(select(small, normal, bits >= vec4<u32>(base + 0x800000u)), vec4<u32>(8u * top + 5u));
  let special = vec4<u32>(8u * top + 6u) + vec4<u32>(bits > vec4<u32>(0x7f800000u));
  return select(number, special, bits >= vec4<u32>(0x7f800000u));
}

fn largest_of(x: vec4<f32>) -> u32 {
  let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
  let finite = select(bits, vec4<u32>(), bits >= vec4<u32>(0x7f800000u));
  return max(max(finite.x, finite.y), max(finite.z, finite.w));
}

// The exponent of the smallest power of two that isn't below a number. From 2^-90 on, no unit of a code is subnormal.
fn scale_of(bits: u32) -> u32 {
  return clamp(((max(bits, 1u) - 1u) >> 23u) + 1u, 37u, 254u);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = flat_group(group, groups);
  if (number >= params.count) {
    return;
  }
  let j = number * 64u + local;
  let inside = 4u * j + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.size);
  var momentum = vec4<f32>();
  var velocity = vec4<f32>();
  if (inside.x) {
    let before = max(bitcast<vec2<u32>>(scales[number]) >> vec2<u32>(23u), vec2<u32>(37u));
    let words = moments[j];
    let signed = unpacked(words.x);
    let size = widened(signed & vec4<u32>(0x7fu), before.x, 15u);
    momentum = select(size, -size, signed >= vec4<u32>(0x80u));
    velocity = widened(unpacked(words.y), before.y, 31u);
    let g = gradient[j];
    var value = value_of[j];
    value -= value * params.decay;
    momentum += (g - momentum) * params.momentum_share;
    velocity += (g * g - velocity) * params.velocity_share;
    value -= momentum * params.rate / (sqrt(velocity) + params.epsilon);
    value_of[j] = value;
    momentum = select(vec4<f32>(), momentum, inside);
    velocity = select(vec4<f32>(), velocity, inside);
    atomicMax(&largest[0], largest_of(momentum));
    atomicMax(&largest[1], largest_of(velocity));
  }
  // Also orders the reads of scales before their writes.
  storageBarrier();
  workgroupBarrier();
  let after = vec2<u32>(scale_of(atomicLoad(&largest[0])), scale_of(atomicLoad(&largest[1])));
  if (inside.x) {
    let words = philox(vec4<u32>(j, params.step, params.stream, 2u), vec2<u32>());
    let below = ((words & vec4<u32>(0xffffu)) << vec4<u32>(4u)) + vec4<u32>(8u);
    let above = ((words >> vec4<u32>(16u)) << vec4<u32>(4u)) + vec4<u32>(8u);
    let sign = (bitcast<vec4<u32>>(momentum) >> vec4<u32>(24u)) & vec4<u32>(0x80u);
    let of_velocity = rounded(velocity, above, after.y, 31u);
    moments[j] = vec2<u32>(
      packed(rounded(momentum, below, after.x, 15u) | sign),
      packed(max(of_velocity, vec4<u32>(velocity > vec4<f32>()))),
    );
  }
  if (local == 0u) {
    scales[number] = bitcast<vec2<f32>>(after << vec2<u32>(23u));
  }
}
