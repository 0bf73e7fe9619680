@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> zeros: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;
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
@group(0) @binding(5) var<uniform> params: Params;

fn scale_of(channel: u32, group_index: u32) -> f32 {
  return scales[channel * params.groups + group_index];
}

fn zero_of(channel: u32, group_index: u32) -> f32 {
  let word = bitcast<i32>(zeros[channel * params.zero_words + group_index / 4u]);
  return f32((word << (24u - 8u * (group_index % 4u))) >> 24u);
}

var<workgroup> left: array<vec4<f32>, 512>;
var<workgroup> right: array<vec4<f32>, 512>;
fn write(row: u32, column: u32, value: vec4<f32>) {
  if (row >= params.rows || column >= params.columns) {
    return;
  }
  out[(row * params.columns + column) / 4u] = value;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let block_row = group.y + 65535u * group.z;
  let row = min(block_row * 64u + local, params.rows - 1u);
  let channel = group.x * 64u + local;
  var a_0 = vec4<f32>();
  var a_1 = vec4<f32>();
  var a_2 = vec4<f32>();
  var a_3 = vec4<f32>();
  var a_4 = vec4<f32>();
  var a_5 = vec4<f32>();
  var a_6 = vec4<f32>();
  var a_7 = vec4<f32>();
  var q_0 = vec4<u32>();

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
    a_0 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 0u, params.last)], step * 32u + 0u < params.terms);
    a_1 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 1u, params.last)], step * 32u + 4u < params.terms);
    a_2 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 2u, params.last)], step * 32u + 8u < params.terms);
    a_3 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 3u, params.last)], step * 32u + 12u < params.terms);
    a_4 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 4u, params.last)], step * 32u + 16u < params.terms);
    a_5 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 5u, params.last)], step * 32u + 20u < params.terms);
    a_6 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 6u, params.last)], step * 32u + 24u < params.terms);
    a_7 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 7u, params.last)], step * 32u + 28u < params.terms);

    q_0 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(step * 1u + 0u, params.chunks - 1u)], step * 1u + 0u < params.chunks);
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
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.x)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 0u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 0u) / params.group_size, params.groups - 1u));
      right[0u + local / 4u][local % 4u] = w.x; right[16u + local / 4u][local % 4u] = w.y; right[32u + local / 4u][local % 4u] = w.z; right[48u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.x)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 4u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 4u) / params.group_size, params.groups - 1u));
      right[64u + local / 4u][local % 4u] = w.x; right[80u + local / 4u][local % 4u] = w.y; right[96u + local / 4u][local % 4u] = w.z; right[112u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.y)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 8u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 8u) / params.group_size, params.groups - 1u));
      right[128u + local / 4u][local % 4u] = w.x; right[144u + local / 4u][local % 4u] = w.y; right[160u + local / 4u][local % 4u] = w.z; right[176u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.y)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 12u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 12u) / params.group_size, params.groups - 1u));
      right[192u + local / 4u][local % 4u] = w.x; right[208u + local / 4u][local % 4u] = w.y; right[224u + local / 4u][local % 4u] = w.z; right[240u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.z)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 16u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 16u) / params.group_size, params.groups - 1u));
      right[256u + local / 4u][local % 4u] = w.x; right[272u + local / 4u][local % 4u] = w.y; right[288u + local / 4u][local % 4u] = w.z; right[304u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.z)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 20u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 20u) / params.group_size, params.groups - 1u));
      right[320u + local / 4u][local % 4u] = w.x; right[336u + local / 4u][local % 4u] = w.y; right[352u + local / 4u][local % 4u] = w.z; right[368u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.w)) << vec4<u32>(28u, 24u, 20u, 16u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 24u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 24u) / params.group_size, params.groups - 1u));
      right[384u + local / 4u][local % 4u] = w.x; right[400u + local / 4u][local % 4u] = w.y; right[416u + local / 4u][local % 4u] = w.z; right[432u + local / 4u][local % 4u] = w.w;
    }
    {
      let w = (vec4<f32>((vec4<i32>(bitcast<i32>(q_0.w)) << vec4<u32>(12u, 8u, 4u, 0u)) >> vec4<u32>(28u)) - zero_of(min(channel, params.channels - 1u), min((step * 32u + 28u) / params.group_size, params.groups - 1u))) * scale_of(min(channel, params.channels - 1u), min((step * 32u + 28u) / params.group_size, params.groups - 1u));
      right[448u + local / 4u][local % 4u] = w.x; right[464u + local / 4u][local % 4u] = w.y; right[480u + local / 4u][local % 4u] = w.z; right[496u + local / 4u][local % 4u] = w.w;
    }
    workgroupBarrier();
    step++;
    if (step < steps) {
      a_0 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 0u, params.last)], step * 32u + 0u < params.terms);
      a_1 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 1u, params.last)], step * 32u + 4u < params.terms);
      a_2 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 2u, params.last)], step * 32u + 8u < params.terms);
      a_3 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 3u, params.last)], step * 32u + 12u < params.terms);
      a_4 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 4u, params.last)], step * 32u + 16u < params.terms);
      a_5 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 5u, params.last)], step * 32u + 20u < params.terms);
      a_6 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 6u, params.last)], step * 32u + 24u < params.terms);
      a_7 = select(vec4<f32>(), x[min(row * (params.terms / 4u) + step * 8u + 7u, params.last)], step * 32u + 28u < params.terms);

      q_0 = select(vec4<u32>(), packed[min(channel, params.channels - 1u) * params.chunks + min(step * 1u + 0u, params.chunks - 1u)], step * 1u + 0u < params.chunks);
    }
    for (var k = 0u; k < 512u; k += 128u) {
      {
        let a_low = left[k + 0u + line_block];
        let a_high = left[k + 8u + line_block];
        let b_low = right[k + 0u + column];
        let b_high = right[k + 8u + column];
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
        let b_low = right[k + 16u + column];
        let b_high = right[k + 24u + column];
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
        let b_low = right[k + 32u + column];
        let b_high = right[k + 40u + column];
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
        let b_low = right[k + 48u + column];
        let b_high = right[k + 56u + column];
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
        let b_low = right[k + 64u + column];
        let b_high = right[k + 72u + column];
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
        let b_low = right[k + 80u + column];
        let b_high = right[k + 88u + column];
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
        let b_low = right[k + 96u + column];
        let b_high = right[k + 104u + column];
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
        let b_low = right[k + 112u + column];
        let b_high = right[k + 120u + column];
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
