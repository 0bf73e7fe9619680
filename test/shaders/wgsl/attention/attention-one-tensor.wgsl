@group(0) @binding(0) var<storage, read> joined: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> stats: array<vec2<f32>>;
struct Params {
  count: u32,
  tiles: u32,
  queries: u32,
  keys: u32,
  heads: u32,
  key_heads: u32,
  size: u32,
  value_size: u32,
  scale: f32,
  batch_step: u32,
  head_step: u32,
  query_step: u32,
  key_step: u32,
  shown_is_mask: u32,
  later: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

// Finite, so that no difference is infinite minus infinite. A hidden key has a weight where all are hidden; one beyond the
// end never has.
const HIDDEN = -2.3819763e38;
const BEYOND = -3.4028234e38;

var<workgroup> memory: array<vec4<f32>, 1024>;

fn query_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.size - 1u;
  let is_inside = row < params.queries;
  let start = base + min(row, params.queries - 1u) * (params.heads + 2u * params.key_heads) * params.size;
  return select(vec4<f32>(), joined[start + min(first, last)], is_inside && first <= last);
}

fn key_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.size - 1u;
  let is_inside = row < params.keys;
  let start = base + min(row, params.keys - 1u) * (params.heads + 2u * params.key_heads) * params.size;
  return select(vec4<f32>(), joined[start + min(first, last)], is_inside && first <= last);
}

fn value_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.value_size - 1u;
  let is_inside = row < params.keys;
  let start = base + min(row, params.keys - 1u) * (params.heads + 2u * params.key_heads) * params.value_size;
  return select(vec4<f32>(), joined[start + min(first, last)], is_inside && first <= last);
}

fn scored(product: f32, query: u32, key: u32, base: u32) -> f32 {
  var score = product * params.scale;
  score = select(score, HIDDEN, key > query + params.later);
  return select(BEYOND, score, key < params.keys);
}

fn is_visible(score: f32) -> bool {
  return score > 0.5 * HIDDEN;
}

fn largest_of_row(value: vec4<f32>, row_group: u32, column_group: u32) -> vec4<f32> {
  workgroupBarrier();
  memory[512u + column_group * 16u + row_group] = value;
  workgroupBarrier();
  var folded = memory[512u + 0u * 16u + row_group];
  for (var k = 1u; k < 8u; k++) {
    folded = max(folded, memory[512u + k * 16u + row_group]);
  }
  return folded;
}

fn sum_of_row(value: vec4<f32>, row_group: u32, column_group: u32) -> vec4<f32> {
  workgroupBarrier();
  memory[512u + column_group * 16u + row_group] = value;
  workgroupBarrier();
  var folded = memory[512u + 0u * 16u + row_group];
  for (var k = 1u; k < 8u; k++) {
    folded = folded + memory[512u + k * 16u + row_group];
  }
  return folded;
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let index = flat_group(group, groups);
  if (index >= params.count) {
    return;
  }
  // Where a query sees no later keys, the last tiles of queries take longest: they begin.
  let tile = params.tiles - 1u - index % params.tiles;
  let own_head = (index / params.tiles) % params.heads;
  let batch = index / params.tiles / params.heads;
  let first_row = tile * 64u;
  let row_group = local % 16u;
  let column_group = local / 16u;
  let head = own_head;
  let key_head = head / (params.heads / params.key_heads);
  let query_base = batch * params.queries * (params.heads + 2u * params.key_heads) * params.size + (0u + head) * params.size;
  let key_base = batch * params.keys * (params.heads + 2u * params.key_heads) * params.size + (params.heads + key_head) * params.size;
  let value_base = batch * params.keys * (params.heads + 2u * params.key_heads) * params.value_size + ((params.heads + params.key_heads) + key_head) * params.value_size;
  let step_base = batch * params.batch_step + head * params.head_step;
  var largest = vec4<f32>(BEYOND);
  var total = vec4<f32>();
  var result_0_0 = vec4<f32>();
  var result_0_1 = vec4<f32>();
  var result_1_0 = vec4<f32>();
  var result_1_1 = vec4<f32>();
  var result_2_0 = vec4<f32>();
  var result_2_1 = vec4<f32>();
  var result_3_0 = vec4<f32>();
  var result_3_1 = vec4<f32>();
  let end = min(params.keys, first_row + 64u + params.later);
  for (var first_column = 0u; first_column < end; first_column += 32u) {
    var s_0 = vec4<f32>();
    var s_1 = vec4<f32>();
    var s_2 = vec4<f32>();
    var s_3 = vec4<f32>();
    for (var chunk = 0u; chunk * 1u < params.size; chunk += 8u) {
      workgroupBarrier();
      {
        let place = local + 0u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = query_at(query_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 128u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = query_at(query_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 256u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = query_at(query_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 384u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = query_at(query_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 0u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[576u + row * 9u + vector] = key_at(key_base, first_column + row, chunk + vector);
      }
      {
        let place = local + 128u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[576u + row * 9u + vector] = key_at(key_base, first_column + row, chunk + vector);
      }
      workgroupBarrier();
      for (var k = 0u; k < 8u; k++) {
        let a_0 = memory[(row_group + 0u) * 9u + 0u + k];
        let a_1 = memory[(row_group + 16u) * 9u + 0u + k];
        let a_2 = memory[(row_group + 32u) * 9u + 0u + k];
        let a_3 = memory[(row_group + 48u) * 9u + 0u + k];
        let b_0 = memory[(column_group + 0u) * 9u + 576u + k];
        let b_1 = memory[(column_group + 8u) * 9u + 576u + k];
        let b_2 = memory[(column_group + 16u) * 9u + 576u + k];
        let b_3 = memory[(column_group + 24u) * 9u + 576u + k];
        {
          let line = vec4(a_0.x, a_1.x, a_2.x, a_3.x);
          s_0 += line * b_0.x;
          s_1 += line * b_1.x;
          s_2 += line * b_2.x;
          s_3 += line * b_3.x;
        }
        {
          let line = vec4(a_0.y, a_1.y, a_2.y, a_3.y);
          s_0 += line * b_0.y;
          s_1 += line * b_1.y;
          s_2 += line * b_2.y;
          s_3 += line * b_3.y;
        }
        {
          let line = vec4(a_0.z, a_1.z, a_2.z, a_3.z);
          s_0 += line * b_0.z;
          s_1 += line * b_1.z;
          s_2 += line * b_2.z;
          s_3 += line * b_3.z;
        }
        {
          let line = vec4(a_0.w, a_1.w, a_2.w, a_3.w);
          s_0 += line * b_0.w;
          s_1 += line * b_1.w;
          s_2 += line * b_2.w;
          s_3 += line * b_3.w;
        }
      }
    }
    s_0.x = scored(s_0.x, first_row + row_group + 0u, first_column + column_group + 0u, step_base);
    s_0.y = scored(s_0.y, first_row + row_group + 16u, first_column + column_group + 0u, step_base);
    s_0.z = scored(s_0.z, first_row + row_group + 32u, first_column + column_group + 0u, step_base);
    s_0.w = scored(s_0.w, first_row + row_group + 48u, first_column + column_group + 0u, step_base);
    s_1.x = scored(s_1.x, first_row + row_group + 0u, first_column + column_group + 8u, step_base);
    s_1.y = scored(s_1.y, first_row + row_group + 16u, first_column + column_group + 8u, step_base);
    s_1.z = scored(s_1.z, first_row + row_group + 32u, first_column + column_group + 8u, step_base);
    s_1.w = scored(s_1.w, first_row + row_group + 48u, first_column + column_group + 8u, step_base);
    s_2.x = scored(s_2.x, first_row + row_group + 0u, first_column + column_group + 16u, step_base);
    s_2.y = scored(s_2.y, first_row + row_group + 16u, first_column + column_group + 16u, step_base);
    s_2.z = scored(s_2.z, first_row + row_group + 32u, first_column + column_group + 16u, step_base);
    s_2.w = scored(s_2.w, first_row + row_group + 48u, first_column + column_group + 16u, step_base);
    s_3.x = scored(s_3.x, first_row + row_group + 0u, first_column + column_group + 24u, step_base);
    s_3.y = scored(s_3.y, first_row + row_group + 16u, first_column + column_group + 24u, step_base);
    s_3.z = scored(s_3.z, first_row + row_group + 32u, first_column + column_group + 24u, step_base);
    s_3.w = scored(s_3.w, first_row + row_group + 48u, first_column + column_group + 24u, step_base);
    var found = largest;
    found = max(found, s_0);
    found = max(found, s_1);
    found = max(found, s_2);
    found = max(found, s_3);
    found = largest_of_row(found, row_group, column_group);
    let shrink = exp(largest - found);
    largest = found;
    total *= shrink;
    s_0 = exp(s_0 - largest);
    total += s_0;
    s_1 = exp(s_1 - largest);
    total += s_1;
    s_2 = exp(s_2 - largest);
    total += s_2;
    s_3 = exp(s_3 - largest);
    total += s_3;
    memory[(column_group + 0u) * 16u + row_group] = s_0;
    memory[(column_group + 8u) * 16u + row_group] = s_1;
    memory[(column_group + 16u) * 16u + row_group] = s_2;
    memory[(column_group + 24u) * 16u + row_group] = s_3;
    result_0_0 *= shrink.x;
    result_0_1 *= shrink.x;
    result_1_0 *= shrink.y;
    result_1_1 *= shrink.y;
    result_2_0 *= shrink.z;
    result_2_1 *= shrink.z;
    result_3_0 *= shrink.w;
    result_3_1 *= shrink.w;
    for (var begin = 0u; begin < 32u; begin += 32u) {
      workgroupBarrier();
      {
        let place = local + 0u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = value_at(value_base, first_column + begin + row, vector);
      }
      {
        let place = local + 128u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = value_at(value_base, first_column + begin + row, vector);
      }
      {
        let place = local + 256u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = value_at(value_base, first_column + begin + row, vector);
      }
      {
        let place = local + 384u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = value_at(value_base, first_column + begin + row, vector);
      }
      workgroupBarrier();
      for (var k = 0u; k < 32u; k++) {
        let weights = memory[(begin + k) * 16u + row_group];
        let b_0 = memory[512u + k * 16u + column_group + 0u];
        let b_1 = memory[512u + k * 16u + column_group + 8u];
        result_0_0 += weights.x * b_0;
        result_0_1 += weights.x * b_1;
        result_1_0 += weights.y * b_0;
        result_1_1 += weights.y * b_1;
        result_2_0 += weights.z * b_0;
        result_2_1 += weights.z * b_1;
        result_3_0 += weights.w * b_0;
        result_3_1 += weights.w * b_1;
      }
    }
  }
  total = sum_of_row(total, row_group, column_group);
  let scale = 1.0 / total;
  result_0_0 *= scale.x;
  result_0_1 *= scale.x;
  result_1_0 *= scale.y;
  result_1_1 *= scale.y;
  result_2_0 *= scale.z;
  result_2_1 *= scale.z;
  result_3_0 *= scale.w;
  result_3_1 *= scale.w;
  let out_base = (batch * params.queries * params.heads + head) * params.value_size;
  {
    let row = first_row + row_group + 0u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = out_base + row * params.heads * params.value_size;
      if (first + 0u < params.value_size) {
        out[start + first + 0u] = result_0_0;
      }
      if (first + 8u < params.value_size) {
        out[start + first + 8u] = result_0_1;
      }
    }
  }
  {
    let row = first_row + row_group + 16u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = out_base + row * params.heads * params.value_size;
      if (first + 0u < params.value_size) {
        out[start + first + 0u] = result_1_0;
      }
      if (first + 8u < params.value_size) {
        out[start + first + 8u] = result_1_1;
      }
    }
  }
  {
    let row = first_row + row_group + 32u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = out_base + row * params.heads * params.value_size;
      if (first + 0u < params.value_size) {
        out[start + first + 0u] = result_2_0;
      }
      if (first + 8u < params.value_size) {
        out[start + first + 8u] = result_2_1;
      }
    }
  }
  {
    let row = first_row + row_group + 48u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = out_base + row * params.heads * params.value_size;
      if (first + 0u < params.value_size) {
        out[start + first + 0u] = result_3_0;
      }
      if (first + 8u < params.value_size) {
        out[start + first + 8u] = result_3_1;
      }
    }
  }
  if (column_group == 0u) {
    {
      let row = first_row + row_group + 0u;
      if (row < params.queries) {
        stats[(batch * params.heads + head) * params.queries + row] = vec2(largest.x, total.x);
      }
    }
    {
      let row = first_row + row_group + 16u;
      if (row < params.queries) {
        stats[(batch * params.heads + head) * params.queries + row] = vec2(largest.y, total.y);
      }
    }
    {
      let row = first_row + row_group + 32u;
      if (row < params.queries) {
        stats[(batch * params.heads + head) * params.queries + row] = vec2(largest.z, total.z);
      }
    }
    {
      let row = first_row + row_group + 48u;
      if (row < params.queries) {
        stats[(batch * params.heads + head) * params.queries + row] = vec2(largest.w, total.w);
      }
    }
  }
}
