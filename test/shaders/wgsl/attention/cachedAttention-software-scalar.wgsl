@group(0) @binding(0) var<storage, read> query: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read> keys: array<f32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  parts: u32,
  row_blocks: u32,
  rows: u32,
  sharing: u32,
  queries: u32,
  heads: u32,
  key_heads: u32,
  max_length: u32,
  size: u32,
  value_size: u32,
  vectors: u32,
  value_vectors: u32,
  window: i32,
  scale: f32,
  softcap: f32,
  inverse_softcap: f32,
}
@group(0) @binding(5) var<uniform> params: Params;

const LOWEST = -3.4028234e38;
const NOWHERE = 0x7fffffff;

var<workgroup> query_rows: array<vec4<f32>, 64>;
var<workgroup> weights: array<vec2<f32>, 64>;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn query_at(row: u32, v: u32) -> vec4<f32> {
  let start = row * params.size;
  let first = 4u * v;
  let last = params.size - 1u;
  return vec4<f32>(select(0.0, query[start + min(first + 0u, last)], first + 0u <= last), select(0.0, query[start + min(first + 1u, last)], first + 1u <= last), select(0.0, query[start + min(first + 2u, last)], first + 2u <= last), select(0.0, query[start + min(first + 3u, last)], first + 3u <= last));
}

fn keys_at(row: u32, v: u32) -> vec4<f32> {
  let start = row * params.size;
  let first = 4u * v;
  let last = params.size - 1u;
  return vec4<f32>(select(0.0, keys[start + min(first + 0u, last)], first + 0u <= last), select(0.0, keys[start + min(first + 1u, last)], first + 1u <= last), select(0.0, keys[start + min(first + 2u, last)], first + 2u <= last), select(0.0, keys[start + min(first + 3u, last)], first + 3u <= last));
}

fn values_at(row: u32, v: u32) -> vec4<f32> {
  let start = row * params.value_size;
  let first = 4u * v;
  let last = params.value_size - 1u;
  return vec4<f32>(select(0.0, values[start + min(first + 0u, last)], first + 0u <= last), select(0.0, values[start + min(first + 1u, last)], first + 1u <= last), select(0.0, values[start + min(first + 2u, last)], first + 2u <= last), select(0.0, values[start + min(first + 3u, last)], first + 3u <= last));
}

fn larger(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return max(a, b);
}

fn add_sums(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return a + b;
}

fn fold_score(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  return value;
}

var<workgroup> lanes_largest: array<vec2<f32>, 16>;

fn fold_largest(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  lanes_largest[local] = value;
  workgroupBarrier();
  if (lane < 8u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_largest[local] = larger(lanes_largest[local], lanes_largest[local + 1u]);
  }
  workgroupBarrier();
  return lanes_largest[local - lane * 1u];
}

var<workgroup> lanes_sum: array<vec2<f32>, 16>;

fn fold_sum(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  lanes_sum[local] = value;
  workgroupBarrier();
  if (lane < 8u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_sum[local] = add_sums(lanes_sum[local], lanes_sum[local + 1u]);
  }
  workgroupBarrier();
  return lanes_sum[local - lane * 1u];
}

fn position_of(row: u32, batch: u32) -> i32 {
  let position = positions[batch * params.queries + min(row, params.rows - 1u) / params.sharing];
  return select(-1, max(-1, position), row < params.rows && position < i32(params.max_length));
}

// The first key that a query at `position` sees.
fn first_key(position: i32) -> i32 {
  return select(NOWHERE, max(0, position - params.window + 1), position >= 0);
}

fn write(row: u32, v: u32, value: vec4<f32>) {
  if (v >= params.value_vectors) {
    return;
  }
  for (var c = 0u; c < min(4u, params.value_size - 4u * v); c++) {
    out[row * params.value_size + 4u * v + c] = value[c];
  }
}

@compute @workgroup_size(16)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let index = flat_group(group, groups);
  if (index >= params.count) {
    return;
  }
  let part = index % params.parts;
  let first_row = (index / params.parts) % params.row_blocks * 2u;
  let key_head = index / (params.parts * params.row_blocks) % params.key_heads;
  let batch = index / (params.parts * params.row_blocks * params.key_heads);
  let position_0 = position_of(first_row + 0u, batch);
  let row_0 = min(first_row + 0u, params.rows - 1u);
  let at_0 = (batch * params.queries + row_0 / params.sharing) * params.heads + key_head * params.sharing + row_0 % params.sharing;
  let position_1 = position_of(first_row + 1u, batch);
  let row_1 = min(first_row + 1u, params.rows - 1u);
  let at_1 = (batch * params.queries + row_1 / params.sharing) * params.heads + key_head * params.sharing + row_1 % params.sharing;
  let seen = vec2<i32>(position_0, position_1);
  let last = max(position_0, position_1);
  let start = min(first_key(position_0), first_key(position_1));
  let begin = u32(start);
  let end = u32(last + 1);

  for (var v = local; v < params.vectors; v += 16u) {
    query_rows[0u + v] = params.scale * query_at(at_0, v);
    query_rows[32u + v] = params.scale * query_at(at_1, v);
  }
  workgroupBarrier();
  let lane = local % 1u;
  let slot = local / 1u;
  let slices = 1u;
  let vector = local;
  let slice = 0u;
  var largest = vec2<f32>(LOWEST);
  var total = vec2<f32>();
  var result_0_0 = vec4<f32>();
  var result_0_1 = vec4<f32>();
  var result_1_0 = vec4<f32>();
  var result_1_1 = vec4<f32>();
  for (var first = begin; first < end; first += 64u) {
    let held = min(64u, end - first);
    var score_0 = vec2<f32>();
    let line_0 = ((batch * params.max_length + first + min(slot + 0u, held - 1u)) * params.key_heads + key_head);
    var score_1 = vec2<f32>();
    let line_1 = ((batch * params.max_length + first + min(slot + 16u, held - 1u)) * params.key_heads + key_head);
    var score_2 = vec2<f32>();
    let line_2 = ((batch * params.max_length + first + min(slot + 32u, held - 1u)) * params.key_heads + key_head);
    var score_3 = vec2<f32>();
    let line_3 = ((batch * params.max_length + first + min(slot + 48u, held - 1u)) * params.key_heads + key_head);
    for (var v = lane; v < params.vectors; v += 1u) {
      let key_0 = keys_at(line_0, v);
      let key_1 = keys_at(line_1, v);
      let key_2 = keys_at(line_2, v);
      let key_3 = keys_at(line_3, v);
      let query_0 = query_rows[0u + v];
      score_0.x += dot(query_0, key_0);
      score_1.x += dot(query_0, key_1);
      score_2.x += dot(query_0, key_2);
      score_3.x += dot(query_0, key_3);
      let query_1 = query_rows[32u + v];
      score_0.y += dot(query_1, key_0);
      score_1.y += dot(query_1, key_1);
      score_2.y += dot(query_1, key_2);
      score_3.y += dot(query_1, key_3);
    }

    var found = largest;
    {
      let key = i32(first + slot + 0u);
      let sees = (vec2<i32>(key) <= seen) & (vec2<i32>(key) > seen - vec2<i32>(params.window)) & vec2<bool>(key < i32(end));
      score_0 = select(vec2<f32>(LOWEST), vec2<f32>(score_0.x, score_0.y), sees);
      found = max(found, score_0);
    }
    {
      let key = i32(first + slot + 16u);
      let sees = (vec2<i32>(key) <= seen) & (vec2<i32>(key) > seen - vec2<i32>(params.window)) & vec2<bool>(key < i32(end));
      score_1 = select(vec2<f32>(LOWEST), vec2<f32>(score_1.x, score_1.y), sees);
      found = max(found, score_1);
    }
    {
      let key = i32(first + slot + 32u);
      let sees = (vec2<i32>(key) <= seen) & (vec2<i32>(key) > seen - vec2<i32>(params.window)) & vec2<bool>(key < i32(end));
      score_2 = select(vec2<f32>(LOWEST), vec2<f32>(score_2.x, score_2.y), sees);
      found = max(found, score_2);
    }
    {
      let key = i32(first + slot + 48u);
      let sees = (vec2<i32>(key) <= seen) & (vec2<i32>(key) > seen - vec2<i32>(params.window)) & vec2<bool>(key < i32(end));
      score_3 = select(vec2<f32>(LOWEST), vec2<f32>(score_3.x, score_3.y), sees);
      found = max(found, score_3);
    }
    found = fold_largest(found, local, local);
    let shrink = exp(largest - found);
    largest = found;
    total *= shrink;
    if (lane == 0u) {
      {
        let weight = select(exp(score_0 - largest), vec2<f32>(), score_0 == vec2<f32>(LOWEST));
        weights[slot + 0u] = weight;
        total += weight;
      }
      {
        let weight = select(exp(score_1 - largest), vec2<f32>(), score_1 == vec2<f32>(LOWEST));
        weights[slot + 16u] = weight;
        total += weight;
      }
      {
        let weight = select(exp(score_2 - largest), vec2<f32>(), score_2 == vec2<f32>(LOWEST));
        weights[slot + 32u] = weight;
        total += weight;
      }
      {
        let weight = select(exp(score_3 - largest), vec2<f32>(), score_3 == vec2<f32>(LOWEST));
        weights[slot + 48u] = weight;
        total += weight;
      }
    }
    workgroupBarrier();
    result_0_0 *= shrink.x;
    result_0_1 *= shrink.x;
    result_1_0 *= shrink.y;
    result_1_1 *= shrink.y;
    for (var k = select(held, slice, slice < slices); k < held; k += 4u * slices) {
      let held_0 = min(k + 0u * slices, held - 1u);
      let value_line_0 = ((batch * params.max_length + first + held_0) * params.key_heads + key_head);
      let value_0_0 = values_at(value_line_0, vector + 0u);
      let value_0_1 = values_at(value_line_0, vector + 16u);
      let held_1 = min(k + 1u * slices, held - 1u);
      let value_line_1 = ((batch * params.max_length + first + held_1) * params.key_heads + key_head);
      let value_1_0 = values_at(value_line_1, vector + 0u);
      let value_1_1 = values_at(value_line_1, vector + 16u);
      let held_2 = min(k + 2u * slices, held - 1u);
      let value_line_2 = ((batch * params.max_length + first + held_2) * params.key_heads + key_head);
      let value_2_0 = values_at(value_line_2, vector + 0u);
      let value_2_1 = values_at(value_line_2, vector + 16u);
      let held_3 = min(k + 3u * slices, held - 1u);
      let value_line_3 = ((batch * params.max_length + first + held_3) * params.key_heads + key_head);
      let value_3_0 = values_at(value_line_3, vector + 0u);
      let value_3_1 = values_at(value_line_3, vector + 16u);
      let weight_0 = select(vec2<f32>(), weights[held_0], k + 0u * slices < held);
      result_0_0 += weight_0.x * value_0_0;
      result_0_1 += weight_0.x * value_0_1;
      result_1_0 += weight_0.y * value_0_0;
      result_1_1 += weight_0.y * value_0_1;
      let weight_1 = select(vec2<f32>(), weights[held_1], k + 1u * slices < held);
      result_0_0 += weight_1.x * value_1_0;
      result_0_1 += weight_1.x * value_1_1;
      result_1_0 += weight_1.y * value_1_0;
      result_1_1 += weight_1.y * value_1_1;
      let weight_2 = select(vec2<f32>(), weights[held_2], k + 2u * slices < held);
      result_0_0 += weight_2.x * value_2_0;
      result_0_1 += weight_2.x * value_2_1;
      result_1_0 += weight_2.y * value_2_0;
      result_1_1 += weight_2.y * value_2_1;
      let weight_3 = select(vec2<f32>(), weights[held_3], k + 3u * slices < held);
      result_0_0 += weight_3.x * value_3_0;
      result_0_1 += weight_3.x * value_3_1;
      result_1_0 += weight_3.y * value_3_0;
      result_1_1 += weight_3.y * value_3_1;
    }
    workgroupBarrier();
  }
  total = fold_sum(total, local, local);
  // Without keys, the result is 0; NaN remains.
  let scale = select(1.0 / total, vec2<f32>(), total == vec2<f32>());
  if (first_row + 0u < params.rows) {
    write(at_0, local + 0u, scale.x * result_0_0);
    write(at_0, local + 16u, scale.x * result_0_1);
  }
  if (first_row + 1u < params.rows) {
    write(at_1, local + 0u, scale.y * result_1_0);
    write(at_1, local + 16u, scale.y * result_1_1);
  }
}
