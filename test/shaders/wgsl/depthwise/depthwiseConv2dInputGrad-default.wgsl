@group(0) @binding(0) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
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
  let c = i % params.in_c;
  let x = (i / params.in_c) % params.in_w;
  let y = (i / (params.in_c * params.in_w)) % params.in_h;
  let b = i / (params.in_c * params.in_w * params.in_h);
  var total = Value();
  for (var ky = 0u; ky < params.kernel_h; ky++) {
    let from_y = y + params.pad_h - ky * params.dilation_h;
    let oy = from_y / params.stride_h;
    if (y + params.pad_h < ky * params.dilation_h || from_y % params.stride_h != 0u || oy >= params.out_h) {
      continue;
    }
    for (var kx = 0u; kx < params.kernel_w; kx++) {
      let from_x = x + params.pad_w - kx * params.dilation_w;
      let ox = from_x / params.stride_w;
      if (x + params.pad_w < kx * params.dilation_w || from_x % params.stride_w != 0u || ox >= params.out_w) {
        continue;
      }
      let pixel = ((b * params.out_h + oy) * params.out_w + ox) * params.out_c;
      let tap = (ky * params.kernel_w + kx) * params.out_c;
      for (var m = 0u; m < params.multiplier; m++) {
        let o = c * params.multiplier + m;
        total += cotangent[pixel + o] * weights[tap + o];
      }
    }
  }
  out[i] = total;
}
