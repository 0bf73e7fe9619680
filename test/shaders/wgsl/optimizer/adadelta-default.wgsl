@group(0) @binding(0) var<storage, read_write> block: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> gradient_0: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gradient_1: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> gradient_2: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> gradient_3: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> gradient_4: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> gradient_5: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> gradient_6: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> gradient_7: array<vec4<f32>>;
struct Params {
  starts: array<vec4<u32>, 2>,
  sizes: array<vec4<u32>, 2>,
  chunks: array<vec4<u32>, 2>,
  count: u32,
  stride: u32,
  first_member: u32,
  present: u32,
  decayed: u32,
  update: u32,
  overwrite: u32,
  loss_scale: f32,
  accumulation_steps: f32,
  clip: f32,
  decay: f32,
  average_momentum: f32,
  rate: f32,
  rho: f32,
  rest: f32,
  epsilon: f32,
}
@group(0) @binding(9) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn gradient_of(member: u32, j: u32) -> vec4<f32> {
  switch member {
    case 1u: { return gradient_1[j]; }
    case 2u: { return gradient_2[j]; }
    case 3u: { return gradient_3[j]; }
    case 4u: { return gradient_4[j]; }
    case 5u: { return gradient_5[j]; }
    case 6u: { return gradient_6[j]; }
    case 7u: { return gradient_7[j]; }
    default: { return gradient_0[j]; }
  }
}

fn move_vector(member: u32, j: u32) {
  let i = params.starts[member / 4u][member % 4u] + j;
  let bit = 1u << member;
  var value = block[i];
  var accumulated_grad = block[i + 1u * params.stride];
  var accumulated_delta_var = block[i + 2u * params.stride];
  if ((params.present & bit) != 0u) {
    var g = gradient_of(member, j);

    {
      let g_squared = g * g;

      accumulated_grad = params.rho * accumulated_grad + params.rest * g_squared;
      let moved = accumulated_delta_var + params.epsilon;
      let spread = accumulated_grad + params.epsilon;
      let delta = -(sqrt(moved) * g / sqrt(spread));
      accumulated_delta_var = params.rho * accumulated_delta_var + params.rest * (moved * g_squared / spread);
      value += params.rate * delta;
    }
  }
  block[i] = value;
  block[i + 1u * params.stride] = accumulated_grad;
  block[i + 2u * params.stride] = accumulated_delta_var;
}

// A workgroup moves one chunk of one variable: which variable it is, is the same for all of its invocations.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let chunk = flat_group(group, groups);

  var member = 0u;
  member += u32(chunk >= params.chunks[0][1]);
  member += u32(chunk >= params.chunks[0][2]);
  member += u32(chunk >= params.chunks[0][3]);
  member += u32(chunk >= params.chunks[1][0]);
  member += u32(chunk >= params.chunks[1][1]);
  member += u32(chunk >= params.chunks[1][2]);
  member += u32(chunk >= params.chunks[1][3]);
  let size = params.sizes[member / 4u][member % 4u];
  var j = (chunk - params.chunks[member / 4u][member % 4u]) * 512u + local;
  for (var step = 0u; step < 8u; step++) {
    if (chunk < params.count && j < size) {
      move_vector(member, j);
    }
    j += 64u;
  }
}
