@group(0) @binding(0) var<storage, read> gradient_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> gradient_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gradient_2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> gradient_3: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> gradient_4: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> gradient_5: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> gradient_6: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> gradient_7: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> sums: array<f32>;
struct Params {
  starts: array<vec4<u32>, 2>,
  sizes: array<vec4<u32>, 2>,
  chunks: array<vec4<u32>, 2>,
  count: u32,
  stride: u32,
  first_chunk: u32,
  present: u32,
  loss_scale: f32,
  accumulation_steps: f32,
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

fn add(a: f32, b: f32) -> f32 {
  return a + b;
}

fn square_at(member: u32, j: u32, size: u32) -> f32 {
  var g = gradient_of(member, j);

  // Words after the last value are not part of the gradient.
  let first = 4u * j;
  g = select(vec4<f32>(0.0), g, vec4<u32>(first, first + 1u, first + 2u, first + 3u) < vec4<u32>(size));
  return dot(g, g);
}

var<workgroup> lanes_line: array<f32, 256>;

fn fold_line(value: f32, local: u32, lane: u32) -> f32 {
  lanes_line[local] = value;
  workgroupBarrier();
  if (lane < 128u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 64u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 32u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line[local] = add(lanes_line[local], lanes_line[local + 1u]);
  }
  workgroupBarrier();
  return lanes_line[local - lane * 1u];
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local;
  let line = flat_group(group, groups);
  let chunk = line;

  var member = 0u;
  member += u32(chunk >= params.chunks[0][1]);
  member += u32(chunk >= params.chunks[0][2]);
  member += u32(chunk >= params.chunks[0][3]);
  member += u32(chunk >= params.chunks[1][0]);
  member += u32(chunk >= params.chunks[1][1]);
  member += u32(chunk >= params.chunks[1][2]);
  member += u32(chunk >= params.chunks[1][3]);
  let size = params.sizes[member / 4u][member % 4u];
  let there = line < params.count && (params.present & (1u << member)) != 0u;
  let begin = (chunk - params.chunks[member / 4u][member % 4u]) * 1024u;
  let end = select(0u, min((size + 3u) / 4u, begin + 1024u), there);
  var total = 0.0;
  var first = begin + lane;
  while (first < end) {
    let stop = min(end, first + 8192u);
    var sum = 0.0;
    for (var j = first; j < stop; j += 256u) {
      sum += square_at(member, j, size);
    }
    total += sum;
    first += 8192u;
  }
  let folded = fold_line(total, local, lane);
  if (lane == 0u && line < params.count) {
    sums[params.first_chunk + line] = folded;
  }
}
