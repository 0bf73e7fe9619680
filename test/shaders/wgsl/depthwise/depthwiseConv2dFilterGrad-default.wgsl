@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  in_h: u32,
  in_w: u32,
  in_c: u32,
  out_h: u32,
  out_w: u32,
  out_c: u32,
  multiplier: u32,
  kernel_h: u32,
  kernel_w: u32,
  stride_h: u32,
  stride_w: u32,
  dilation_h: u32,
  dilation_w: u32,
  pad_h: u32,
  pad_w: u32,
  rows: u32,
  rows_per_part: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias Value = vec4<f32>;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  let o = i % params.out_c;
  let kx = (i / params.out_c) % params.kernel_w;
  let ky = (i / (params.out_c * params.kernel_w)) % params.kernel_h;
  let part = i / (params.out_c * params.kernel_w * params.kernel_h);
  let c = o / params.multiplier;
  var total = Value();
  for (var row = part * params.rows_per_part; row < min((part + 1u) * params.rows_per_part, params.rows); row++) {
    let b = row / params.out_h;
    let iy = (row % params.out_h) * params.stride_h + ky * params.dilation_h - params.pad_h;
    if (iy >= params.in_h) {
      continue;
    }
    for (var ox = 0u; ox < params.out_w; ox++) {
      let ix = ox * params.stride_w + kx * params.dilation_w - params.pad_w;
      if (ix < params.in_w) {
        let pixel = image[((b * params.in_h + iy) * params.in_w + ix) * params.in_c + c];
        total += pixel * cotangent[(row * params.out_w + ox) * params.out_c + o];
      }
    }
  }
  out[i] = total;
}
