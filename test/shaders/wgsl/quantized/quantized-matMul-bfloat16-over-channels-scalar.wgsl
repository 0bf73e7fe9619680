@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  channels: u32,
  length: u32,
  chunks: u32,
  group_size: u32,
  groups: u32,
  zero_words: u32,
  rows: u32,
  columns: u32,
  terms: u32,
  last: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> left: array<vec4<f32>, 512>;
var<workgroup> right: array<vec4<f32>, 512>;
fn x_at(start: u32, i: u32) -> vec4<f32> {
  let at = start + i;
  let value = vec4<f32>(x[min(at, params.last)], x[min(at + 1u, params.last)], x[min(at + 2u, params.last)], x[min(at + 3u, params.last)]);
  return select(vec4<f32>(), value, vec4<u32>(i, i + 1u, i + 2u, i + 3u) < vec4<u32>(params.terms));
}
fn write(row: u32, column: u32, value: vec4<f32>) {
  if (row >= params.rows || column >= params.columns) {
    return;
  }
  for (var k = 0u; k < min(4u, params.columns - column); k++) {
    out[row * params.columns + column + k] = value[k];
  }
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block_row = group.y + 65535u * group.z;
  let row = min(block_row * 64u + local, params.rows - 1u);
  let line = local / 2u;
  let first_chunk = group.x * 8u + (local % 2u) * 4u;
  var a_0 = vec4<f32>();
  var a_1 = vec4<f32>();
  var a_2 = vec4<f32>();
  var a_3 = vec4<f32>();
  var a_4 = vec4<f32>();
  var a_5 = vec4<f32>();
  var a_6 = vec4<f32>();
  var a_7 = vec4<f32>();
  var q_0 = vec4<u32>();
  var q_1 = vec4<u32>();
  var q_2 = vec4<u32>();
  var q_3 = vec4<u32>();

  var low_0 = vec4<f32>(); var high_0 = vec4<f32>();
  var low_1 = vec4<f32>(); var high_1 = vec4<f32>();
  var low_2 = vec4<f32>(); var high_2 = vec4<f32>();
  var low_3 = vec4<f32>(); var high_3 = vec4<f32>();
  var low_4 = vec4<f32>(); var high_4 = vec4<f32>();
  var low_5 = vec4<f32>(); var high_5 = vec4<f32>();
  var low_6 = vec4<f32>(); var high_6 = vec4<f32>();
  var low_7 = vec4<f32>(); var high_7 = vec4<f32>();
  let column = local % 8u;
  let line_block = local / 8u;
  let steps = (params.terms + 31u) / 32u;
  var step = 0u;
  {
    a_0 = x_at(row * params.terms, step * 32u + 0u);
    a_1 = x_at(row * params.terms, step * 32u + 4u);
    a_2 = x_at(row * params.terms, step * 32u + 8u);
    a_3 = x_at(row * params.terms, step * 32u + 12u);
    a_4 = x_at(row * params.terms, step * 32u + 16u);
    a_5 = x_at(row * params.terms, step * 32u + 20u);
    a_6 = x_at(row * params.terms, step * 32u + 24u);
    a_7 = x_at(row * params.terms, step * 32u + 28u);
    let channel = step * 32u + local / 2u;
    q_0 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 0u, params.chunks - 1u)], first_chunk + 0u < params.chunks && channel < params.channels);
    q_1 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 1u, params.chunks - 1u)], first_chunk + 1u < params.chunks && channel < params.channels);
    q_2 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 2u, params.chunks - 1u)], first_chunk + 2u < params.chunks && channel < params.channels);
    q_3 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 3u, params.chunks - 1u)], first_chunk + 3u < params.chunks && channel < params.channels);
  }
  loop {
    if (step >= steps) {
      break;
    }
    left[0u + local / 4u][local % 4u] = a_0.x; left[16u + local / 4u][local % 4u] = a_0.y; left[32u + local / 4u][local % 4u] = a_0.z; left[48u + local / 4u][local % 4u] = a_0.w;
    left[64u + local / 4u][local % 4u] = a_1.x; left[80u + local / 4u][local % 4u] = a_1.y; left[96u + local / 4u][local % 4u] = a_1.z; left[112u + local / 4u][local % 4u] = a_1.w;
    left[128u + local / 4u][local % 4u] = a_2.x; left[144u + local / 4u][local % 4u] = a_2.y; left[160u + local / 4u][local % 4u] = a_2.z; left[176u + local / 4u][local % 4u] = a_2.w;
    left[192u + local / 4u][local % 4u] = a_3.x; left[208u + local / 4u][local % 4u] = a_3.y; left[224u + local / 4u][local % 4u] = a_3.z; left[240u + local / 4u][local % 4u] = a_3.w;
    left[256u + local / 4u][local % 4u] = a_4.x; left[272u + local / 4u][local % 4u] = a_4.y; left[288u + local / 4u][local % 4u] = a_4.z; left[304u + local / 4u][local % 4u] = a_4.w;
    left[320u + local / 4u][local % 4u] = a_5.x; left[336u + local / 4u][local % 4u] = a_5.y; left[352u + local / 4u][local % 4u] = a_5.z; left[368u + local / 4u][local % 4u] = a_5.w;
    left[384u + local / 4u][local % 4u] = a_6.x; left[400u + local / 4u][local % 4u] = a_6.y; left[416u + local / 4u][local % 4u] = a_6.z; left[432u + local / 4u][local % 4u] = a_6.w;
    left[448u + local / 4u][local % 4u] = a_7.x; left[464u + local / 4u][local % 4u] = a_7.y; left[480u + local / 4u][local % 4u] = a_7.z; left[496u + local / 4u][local % 4u] = a_7.w;
    right[line * 16u + 8u * (local % 2u) + (0u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_0.x << 16u, q_0.x & 0xffff0000u, q_0.y << 16u, q_0.y & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (1u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_0.z << 16u, q_0.z & 0xffff0000u, q_0.w << 16u, q_0.w & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (2u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_1.x << 16u, q_1.x & 0xffff0000u, q_1.y << 16u, q_1.y & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (3u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_1.z << 16u, q_1.z & 0xffff0000u, q_1.w << 16u, q_1.w & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (4u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_2.x << 16u, q_2.x & 0xffff0000u, q_2.y << 16u, q_2.y & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (5u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_2.z << 16u, q_2.z & 0xffff0000u, q_2.w << 16u, q_2.w & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (6u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_3.x << 16u, q_3.x & 0xffff0000u, q_3.y << 16u, q_3.y & 0xffff0000u));
    right[line * 16u + 8u * (local % 2u) + (7u ^ (line % 8u))] = bitcast<vec4<f32>>(vec4<u32>(q_3.z << 16u, q_3.z & 0xffff0000u, q_3.w << 16u, q_3.w & 0xffff0000u));
    workgroupBarrier();
    step++;
    if (step < steps) {
      a_0 = x_at(row * params.terms, step * 32u + 0u);
      a_1 = x_at(row * params.terms, step * 32u + 4u);
      a_2 = x_at(row * params.terms, step * 32u + 8u);
      a_3 = x_at(row * params.terms, step * 32u + 12u);
      a_4 = x_at(row * params.terms, step * 32u + 16u);
      a_5 = x_at(row * params.terms, step * 32u + 20u);
      a_6 = x_at(row * params.terms, step * 32u + 24u);
      a_7 = x_at(row * params.terms, step * 32u + 28u);
      let channel = step * 32u + local / 2u;
      q_0 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 0u, params.chunks - 1u)], first_chunk + 0u < params.chunks && channel < params.channels);
      q_1 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 1u, params.chunks - 1u)], first_chunk + 1u < params.chunks && channel < params.channels);
      q_2 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 2u, params.chunks - 1u)], first_chunk + 2u < params.chunks && channel < params.channels);
      q_3 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(first_chunk + 3u, params.chunks - 1u)], first_chunk + 3u < params.chunks && channel < params.channels);
    }
    for (var k = 0u; k < 512u; k += 128u) {
      {
        let a_low = left[k + 0u + line_block];
        let a_high = left[k + 8u + line_block];
        let b_low = right[k + 0u + (column ^ 0u)];
        let b_high = right[k + 8u + (column ^ 0u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 16u + line_block];
        let a_high = left[k + 24u + line_block];
        let b_low = right[k + 16u + (column ^ 1u)];
        let b_high = right[k + 24u + (column ^ 1u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 32u + line_block];
        let a_high = left[k + 40u + line_block];
        let b_low = right[k + 32u + (column ^ 2u)];
        let b_high = right[k + 40u + (column ^ 2u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 48u + line_block];
        let a_high = left[k + 56u + line_block];
        let b_low = right[k + 48u + (column ^ 3u)];
        let b_high = right[k + 56u + (column ^ 3u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 64u + line_block];
        let a_high = left[k + 72u + line_block];
        let b_low = right[k + 64u + (column ^ 4u)];
        let b_high = right[k + 72u + (column ^ 4u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 80u + line_block];
        let a_high = left[k + 88u + line_block];
        let b_low = right[k + 80u + (column ^ 5u)];
        let b_high = right[k + 88u + (column ^ 5u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 96u + line_block];
        let a_high = left[k + 104u + line_block];
        let b_low = right[k + 96u + (column ^ 6u)];
        let b_high = right[k + 104u + (column ^ 6u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
      {
        let a_low = left[k + 112u + line_block];
        let a_high = left[k + 120u + line_block];
        let b_low = right[k + 112u + (column ^ 7u)];
        let b_high = right[k + 120u + (column ^ 7u)];
        low_0 += a_low.x * b_low; high_0 += a_low.x * b_high;
        low_1 += a_low.y * b_low; high_1 += a_low.y * b_high;
        low_2 += a_low.z * b_low; high_2 += a_low.z * b_high;
        low_3 += a_low.w * b_low; high_3 += a_low.w * b_high;
        low_4 += a_high.x * b_low; high_4 += a_high.x * b_high;
        low_5 += a_high.y * b_low; high_5 += a_high.y * b_high;
        low_6 += a_high.z * b_low; high_6 += a_high.z * b_high;
        low_7 += a_high.w * b_low; high_7 += a_high.w * b_high;
      }
    }
    workgroupBarrier();
  }
  let rows_from = block_row * 64u + 4u * line_block;
  let columns_from = group.x * 64u + 4u * column;
  write(rows_from + 0u, columns_from + 0u, low_0); write(rows_from + 0u, columns_from + 32u, high_0);
  write(rows_from + 1u, columns_from + 0u, low_1); write(rows_from + 1u, columns_from + 32u, high_1);
  write(rows_from + 2u, columns_from + 0u, low_2); write(rows_from + 2u, columns_from + 32u, high_2);
  write(rows_from + 3u, columns_from + 0u, low_3); write(rows_from + 3u, columns_from + 32u, high_3);
  write(rows_from + 32u, columns_from + 0u, low_4); write(rows_from + 32u, columns_from + 32u, high_4);
  write(rows_from + 33u, columns_from + 0u, low_5); write(rows_from + 33u, columns_from + 32u, high_5);
  write(rows_from + 34u, columns_from + 0u, low_6); write(rows_from + 34u, columns_from + 32u, high_6);
  write(rows_from + 35u, columns_from + 0u, low_7); write(rows_from + 35u, columns_from + 32u, high_7);
}
