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

fn smaller(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x < y), y, is_nan(y)), x, is_nan(x));
}

fn larger(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x > y), y, is_nan(y)), x, is_nan(x));
}

fn mixed(share: f32, saturation: f32, value: f32) -> f32 {
  return ((smaller(larger(share, 0.0), 1.0) - 1.0) * saturation + 1.0) * value;
}

fn converted(hue: f32, saturation: f32, value: f32) -> vec3<f32> {
  let sixths = hue * 6.0;
  return vec3<f32>(
    mixed(abs(sixths - 3.0) - 1.0, saturation, value),
    mixed(2.0 - abs(sixths - 2.0), saturation, value),
    mixed(2.0 - abs(sixths - 4.0), saturation, value),
  );
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
