@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn larger(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x > y), y, is_nan(y)), x, is_nan(x));
}

fn smaller(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x < y), y, is_nan(y)), x, is_nan(x));
}

fn converted(red: f32, green: f32, blue: f32) -> vec3<f32> {
  let value = larger(larger(red, green), blue);
  let difference = value - smaller(smaller(red, green), blue);
  let is_colour = difference > 0.0;
  let is_lit = value > 0.0;
  let saturation = select(0.0, difference, is_lit) / select(1.0, value, is_lit);
  let sixth = 0.16666666666666666 / select(1.0, difference, is_colour);
  let of_others = select((red - green) * sixth + 0.6666666666666666, (blue - red) * sixth + 0.3333333333333333, green == value);
  let shifted = select(of_others, (green - blue) * sixth, red == value);
  let hue = select(shifted, shifted + 1.0, shifted < 0.0);
  return vec3<f32>(select(0.0, hue, is_colour), saturation, value);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let pixel = flat_index(group, groups, local, 64u);
  if (pixel >= params.count) {
    return;
  }
  let at = 3u * pixel;
  let colour = converted(x[at], x[at + 1u], x[at + 2u]);
  out[at] = colour.x;
  out[at + 1u] = colour.y;
  out[at + 2u] = colour.z;
}
