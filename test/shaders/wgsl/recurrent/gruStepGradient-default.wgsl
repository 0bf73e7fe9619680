@group(0) @binding(0) var<storage, read> trace: array<f32>;
@group(0) @binding(1) var<storage, read> dhs: array<f32>;
@group(0) @binding(2) var<storage, read> recurrent: array<f32>;
@group(0) @binding(3) var<storage, read_write> dstep: array<f32>;
@group(0) @binding(4) var<storage, read_write> carry: array<f32>;
@group(0) @binding(5) var<storage, read_write> dgates: array<f32>;
@group(0) @binding(6) var<storage, read_write> dproducts: array<f32>;
struct Params {
  count: u32,
  batch: u32,
  units: u32,
  time: u32,
  step: u32,
}
@group(0) @binding(7) var<uniform> params: Params;

alias T = f32;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

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
  let line = i / params.units;
  let unit = i % params.units;
  // A line is a sample; rows count the steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;

  let product = recurrent[i];
  let state = carry[i] + dhs[place] + product;
  let update_gate = trace[(row * 5u + 0u) * params.units + unit];
  let reset_gate = trace[(row * 5u + 1u) * params.units + unit];
  let candidate = trace[(row * 5u + 2u) * params.units + unit];
  let candidate_product = trace[(row * 5u + 3u) * params.units + unit];
  let previous_state = trace[(row * 5u + 4u) * params.units + unit];
  carry[i] = state * update_gate;
  let d_candidate = state * (1.0 - update_gate) * (1.0 - candidate) * (1.0 + candidate);
  let d_update_gate = state * (previous_state - candidate) * update_gate * (1.0 - update_gate);
  let d_reset_gate = d_candidate * candidate_product * reset_gate * (1.0 - reset_gate);
  let d_candidate_product = d_candidate * reset_gate;
  dgates[(row * 3u + 0u) * params.units + unit] = d_update_gate;
  dgates[(row * 3u + 1u) * params.units + unit] = d_reset_gate;
  dgates[(row * 3u + 2u) * params.units + unit] = d_candidate;
  dproducts[(row * 3u + 0u) * params.units + unit] = d_update_gate;
  dstep[(line * 3u + 0u) * params.units + unit] = d_update_gate;
  dproducts[(row * 3u + 1u) * params.units + unit] = d_reset_gate;
  dstep[(line * 3u + 1u) * params.units + unit] = d_reset_gate;
  dproducts[(row * 3u + 2u) * params.units + unit] = d_candidate_product;
  dstep[(line * 3u + 2u) * params.units + unit] = d_candidate_product;
}
