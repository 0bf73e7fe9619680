@group(0) @binding(0) var<storage, read> query: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> key: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> value: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> out: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> stats: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> query_gradient: array<vec4<f32>>;
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
@group(0) @binding(8) var<uniform> params: Params;

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
  let start = base + min(row, params.queries - 1u) * params.heads * params.size;
  return select(vec4<f32>(), query[start + min(first, last)], is_inside && first <= last);
}

fn key_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.size - 1u;
  let is_inside = row < params.keys;
  let start = base + min(row, params.keys - 1u) * params.key_heads * params.size;
  return select(vec4<f32>(), key[start + min(first, last)], is_inside && first <= last);
}

fn value_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.value_size - 1u;
  let is_inside = row < params.keys;
  let start = base + min(row, params.keys - 1u) * params.key_heads * params.value_size;
  return select(vec4<f32>(), value[start + min(first, last)], is_inside && first <= last);
}

fn cotangent_at(base: u32, row: u32, column: u32) -> vec4<f32> {
  let first = column * 1u;
  let last = params.value_size - 1u;
  let is_inside = row < params.queries;
  let start = base + min(row, params.queries - 1u) * params.heads * params.value_size;
  return select(vec4<f32>(), cotangent[start + min(first, last)], is_inside && first <= last);
}

fn scored(product: f32, query: u32, key: u32, base: u32) -> f32 {
  var score = product * params.scale;
  score = select(score, HIDDEN, key > query + params.later);
  return select(BEYOND, score, key < params.keys);
}

fn is_visible(score: f32) -> bool {
  return score > 0.5 * HIDDEN;
}

fn weight_of(score: f32, sums: vec4<f32>) -> f32 {
  return exp(score - sums.x) * sums.y;
}

fn score_gradient(score: f32, weight: f32, weight_gradient: f32, sums: vec4<f32>) -> f32 {
  return select(0.0, weight * (weight_gradient - sums.z) * params.scale, is_visible(score));
}

fn sums_of(row: u32, start: u32) -> vec4<f32> {
  var sum = 0.0;
  for (var k = 0u; k < params.value_size; k++) {
    sum += dot(cotangent[start + k], out[start + k]);
  }
  return vec4(stats[row].x, 1.0 / stats[row].y, sum, 0.0);
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
  let query_base = (batch * params.queries * params.heads + head) * params.size;
  let key_base = (batch * params.keys * params.key_heads + key_head) * params.size;
  let value_base = (batch * params.keys * params.key_heads + key_head) * params.value_size;
  let cotangent_base = (batch * params.queries * params.heads + head) * params.value_size;
  let step_base = batch * params.batch_step + head * params.head_step;
  let sums_base = (batch * params.heads + head) * params.queries;
  // No other workgroup has these rows. There are at least as many invocations as rows.
  let own_query = first_row + local;
  if (local < 64u && own_query < params.queries) {
    let start = cotangent_base + own_query * params.heads * params.value_size;
    sums[sums_base + own_query] = sums_of(sums_base + own_query, start);
  }
  storageBarrier();
  let sums_0 = sums[sums_base + min(first_row + row_group + 0u, params.queries - 1u)];
  let sums_1 = sums[sums_base + min(first_row + row_group + 16u, params.queries - 1u)];
  let sums_2 = sums[sums_base + min(first_row + row_group + 32u, params.queries - 1u)];
  let sums_3 = sums[sums_base + min(first_row + row_group + 48u, params.queries - 1u)];
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
    var d_0 = vec4<f32>();
    var d_1 = vec4<f32>();
    var d_2 = vec4<f32>();
    var d_3 = vec4<f32>();
    for (var chunk = 0u; chunk * 1u < params.value_size; chunk += 8u) {
      workgroupBarrier();
      {
        let place = local + 0u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = cotangent_at(cotangent_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 128u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = cotangent_at(cotangent_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 256u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = cotangent_at(cotangent_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 384u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[0u + row * 9u + vector] = cotangent_at(cotangent_base, first_row + row, chunk + vector);
      }
      {
        let place = local + 0u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[576u + row * 9u + vector] = value_at(value_base, first_column + row, chunk + vector);
      }
      {
        let place = local + 128u;
        let row = place / 8u;
        let vector = place % 8u;
        memory[576u + row * 9u + vector] = value_at(value_base, first_column + row, chunk + vector);
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
          d_0 += line * b_0.x;
          d_1 += line * b_1.x;
          d_2 += line * b_2.x;
          d_3 += line * b_3.x;
        }
        {
          let line = vec4(a_0.y, a_1.y, a_2.y, a_3.y);
          d_0 += line * b_0.y;
          d_1 += line * b_1.y;
          d_2 += line * b_2.y;
          d_3 += line * b_3.y;
        }
        {
          let line = vec4(a_0.z, a_1.z, a_2.z, a_3.z);
          d_0 += line * b_0.z;
          d_1 += line * b_1.z;
          d_2 += line * b_2.z;
          d_3 += line * b_3.z;
        }
        {
          let line = vec4(a_0.w, a_1.w, a_2.w, a_3.w);
          d_0 += line * b_0.w;
          d_1 += line * b_1.w;
          d_2 += line * b_2.w;
          d_3 += line * b_3.w;
        }
      }
    }
    {
      let score = scored(s_0.x, first_row + row_group + 0u, first_column + column_group + 0u, step_base);
      s_0.x = score_gradient(score, weight_of(score, sums_0), d_0.x, sums_0);
    }
    {
      let score = scored(s_0.y, first_row + row_group + 16u, first_column + column_group + 0u, step_base);
      s_0.y = score_gradient(score, weight_of(score, sums_1), d_0.y, sums_1);
    }
    {
      let score = scored(s_0.z, first_row + row_group + 32u, first_column + column_group + 0u, step_base);
      s_0.z = score_gradient(score, weight_of(score, sums_2), d_0.z, sums_2);
    }
    {
      let score = scored(s_0.w, first_row + row_group + 48u, first_column + column_group + 0u, step_base);
      s_0.w = score_gradient(score, weight_of(score, sums_3), d_0.w, sums_3);
    }
    {
      let score = scored(s_1.x, first_row + row_group + 0u, first_column + column_group + 8u, step_base);
      s_1.x = score_gradient(score, weight_of(score, sums_0), d_1.x, sums_0);
    }
    {
      let score = scored(s_1.y, first_row + row_group + 16u, first_column + column_group + 8u, step_base);
      s_1.y = score_gradient(score, weight_of(score, sums_1), d_1.y, sums_1);
    }
    {
      let score = scored(s_1.z, first_row + row_group + 32u, first_column + column_group + 8u, step_base);
      s_1.z = score_gradient(score, weight_of(score, sums_2), d_1.z, sums_2);
    }
    {
      let score = scored(s_1.w, first_row + row_group + 48u, first_column + column_group + 8u, step_base);
      s_1.w = score_gradient(score, weight_of(score, sums_3), d_1.w, sums_3);
    }
    {
      let score = scored(s_2.x, first_row + row_group + 0u, first_column + column_group + 16u, step_base);
      s_2.x = score_gradient(score, weight_of(score, sums_0), d_2.x, sums_0);
    }
    {
      let score = scored(s_2.y, first_row + row_group + 16u, first_column + column_group + 16u, step_base);
      s_2.y = score_gradient(score, weight_of(score, sums_1), d_2.y, sums_1);
    }
    {
      let score = scored(s_2.z, first_row + row_group + 32u, first_column + column_group + 16u, step_base);
      s_2.z = score_gradient(score, weight_of(score, sums_2), d_2.z, sums_2);
    }
    {
      let score = scored(s_2.w, first_row + row_group + 48u, first_column + column_group + 16u, step_base);
      s_2.w = score_gradient(score, weight_of(score, sums_3), d_2.w, sums_3);
    }
    {
      let score = scored(s_3.x, first_row + row_group + 0u, first_column + column_group + 24u, step_base);
      s_3.x = score_gradient(score, weight_of(score, sums_0), d_3.x, sums_0);
    }
    {
      let score = scored(s_3.y, first_row + row_group + 16u, first_column + column_group + 24u, step_base);
      s_3.y = score_gradient(score, weight_of(score, sums_1), d_3.y, sums_1);
    }
    {
      let score = scored(s_3.z, first_row + row_group + 32u, first_column + column_group + 24u, step_base);
      s_3.z = score_gradient(score, weight_of(score, sums_2), d_3.z, sums_2);
    }
    {
      let score = scored(s_3.w, first_row + row_group + 48u, first_column + column_group + 24u, step_base);
      s_3.w = score_gradient(score, weight_of(score, sums_3), d_3.w, sums_3);
    }
    workgroupBarrier();
    memory[(column_group + 0u) * 16u + row_group] = s_0;
    memory[(column_group + 8u) * 16u + row_group] = s_1;
    memory[(column_group + 16u) * 16u + row_group] = s_2;
    memory[(column_group + 24u) * 16u + row_group] = s_3;
    for (var begin = 0u; begin < 32u; begin += 32u) {
      workgroupBarrier();
      {
        let place = local + 0u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = key_at(key_base, first_column + begin + row, vector);
      }
      {
        let place = local + 128u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = key_at(key_base, first_column + begin + row, vector);
      }
      {
        let place = local + 256u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = key_at(key_base, first_column + begin + row, vector);
      }
      {
        let place = local + 384u;
        let row = place / 16u;
        let vector = place % 16u;
        memory[512u + place] = key_at(key_base, first_column + begin + row, vector);
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
  {
    let row = first_row + row_group + 0u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = query_base + row * params.heads * params.size;
      if (first + 0u < params.size) {
        query_gradient[start + first + 0u] = result_0_0;
      }
      if (first + 8u < params.size) {
        query_gradient[start + first + 8u] = result_0_1;
      }
    }
  }
  {
    let row = first_row + row_group + 16u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = query_base + row * params.heads * params.size;
      if (first + 0u < params.size) {
        query_gradient[start + first + 0u] = result_1_0;
      }
      if (first + 8u < params.size) {
        query_gradient[start + first + 8u] = result_1_1;
      }
    }
  }
  {
    let row = first_row + row_group + 32u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = query_base + row * params.heads * params.size;
      if (first + 0u < params.size) {
        query_gradient[start + first + 0u] = result_2_0;
      }
      if (first + 8u < params.size) {
        query_gradient[start + first + 8u] = result_2_1;
      }
    }
  }
  {
    let row = first_row + row_group + 48u;
    let first = column_group * 1u;
    if (row < params.queries) {
      let start = query_base + row * params.heads * params.size;
      if (first + 0u < params.size) {
        query_gradient[start + first + 0u] = result_3_0;
      }
      if (first + 8u < params.size) {
        query_gradient[start + first + 8u] = result_3_1;
      }
    }
  }
}
