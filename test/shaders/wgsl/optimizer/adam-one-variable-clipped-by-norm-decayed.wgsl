@group(0) @binding(0) var<storage, read_write> value_of: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> momentum_of: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocity_of: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> gradient_0: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> scales: array<f32>;
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
  momentum_share: f32,
  velocity_share: f32,
  epsilon: f32,
}
@group(0) @binding(5) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn gradient_of(member: u32, j: u32) -> vec4<f32> {
  return gradient_0[j];
}

fn move_vector(member: u32, j: u32) {
  let i = params.starts[member / 4u][member % 4u] + j;
  let bit = 1u << member;
  var value = value_of[j];
  var momentum = momentum_of[j];
  var velocity = velocity_of[j];
  if ((params.present & bit) != 0u) {
    var g = gradient_of(member, j);

    {
      let scale = scales[params.first_member + member];
      g *= scale;

      let g_squared = g * g;

      if ((params.decayed & bit) != 0u) {
        value -= value * params.decay;
      }
      momentum += (g - momentum) * params.momentum_share;
      velocity += (g_squared - velocity) * params.velocity_share;

      value -= momentum * params.rate / (sqrt(velocity) + params.epsilon);
    }
  }
  value_of[j] = value;
  momentum_of[j] = momentum;
  velocity_of[j] = velocity;
}

// A workgroup moves one chunk of one variable: which variable it is, is the same for all of its invocations.
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let chunk = flat_group(group, groups);

  var member = 0u;

  let size = params.sizes[member / 4u][member % 4u];
  var j = (chunk - params.chunks[member / 4u][member % 4u]) * 256u + local;
  for (var step = 0u; step < 1u; step++) {
    if (chunk < params.count && j < size) {
      move_vector(member, j);
    }
    j += 256u;
  }
}
