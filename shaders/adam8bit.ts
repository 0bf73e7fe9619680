/**
 * @file One step of Adam for one variable whose moments are kept in 8 bits, in place. A workgroup moves one block of 256 values: it widens
 * the moments, steps in float32, and rounds them again by the new largest one.
 *
 * A block has a power of two for each moment, at least as large as its largest value. A code is a small float in units of it, with three
 * bits of mantissa. Momenta have a sign and four bits of exponent, down to 2^-17; velocities have five, down to 2^-33, since they are
 * squares. The codes above 1 stand for infinity and NaN. Codes are rounded to one of their neighbours at random, in proportion to the
 * distance: a velocity moves by a thousandth per step, which rounding to the nearest code would lose. A velocity above 0 stays
 * above 0, because it is a divisor.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, philox } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

/** Values that share their scales. */
export const blockOf8bit = 256;

export type Adam8bitStepOptions = {
  decayed: boolean;
  /** Whether sums of the squares of the gradient's slices are bound. */
  summed: boolean;
};

const lanes = blockOf8bit / 4;

export function adam8bitStep({ decayed, summed }: Adam8bitStepOptions): string {
  return wgsl`
${flatIndex}
${mathFunctions('', [philox])}
// The bits of the largest momentum and velocity of the block.
var<workgroup> largest: array<atomic<u32>, 2>;

fn unpacked(word: u32) -> vec4<u32> {
  return (vec4<u32>(word) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

fn packed(code: vec4<u32>) -> u32 {
  let placed = code << vec4<u32>(0u, 8u, 16u, 24u);
  return placed.x | placed.y | placed.z | placed.w;
}

// 'scale' is the exponent of the block as the bits of a float have it, 'top' that of the code for 1.
fn widened(code: vec4<u32>, scale: u32, top: u32) -> vec4<f32> {
  let normal = bitcast<vec4<f32>>((code << vec4<u32>(20u)) + vec4<u32>((scale - top) << 23u));
  let small = vec4<f32>(code) * bitcast<f32>((scale - top - 2u) << 23u);
  let special = bitcast<vec4<f32>>(vec4<u32>(0x7f800000u) + ((code & vec4<u32>(1u)) << vec4<u32>(22u)));
  let number = select(small, normal, code >= vec4<u32>(8u));
  return select(number, special, code >= vec4<u32>(8u * top + 6u));
}

// 'noise' has 20 bits, those that a code leaves out.
fn rounded(x: vec4<f32>, noise: vec4<u32>, scale: u32, top: u32) -> vec4<u32> {
  let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
  let base = (scale - top) << 23u;
  let units = abs(x) * bitcast<f32>((256u + top - scale) << 23u);
  let small = vec4<u32>(units + vec4<f32>(noise) * 9.5367431640625e-7);
  let normal = (bits - vec4<u32>(base) + noise) >> vec4<u32>(20u);
  let number = min(select(small, normal, bits >= vec4<u32>(base + 0x800000u)), vec4<u32>(8u * top + 5u));
  let special = vec4<u32>(8u * top + 6u) + vec4<u32>(bits > vec4<u32>(0x7f800000u));
  return select(number, special, bits >= vec4<u32>(0x7f800000u));
}

fn largest_of(x: vec4<f32>) -> u32 {
  let bits = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
  let finite = select(bits, vec4<u32>(), bits >= vec4<u32>(0x7f800000u));
  return max(max(finite.x, finite.y), max(finite.z, finite.w));
}

// The exponent of the smallest power of two that isn't below a number. From 2^-90 on, no unit of a code is subnormal.
fn scale_of(bits: u32) -> u32 {
  return clamp(((max(bits, 1u) - 1u) >> 23u) + 1u, 37u, 254u);
}

@compute @workgroup_size(${lanes})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let number = flat_group(group, groups);
  if (number >= params.count) {
    return;
  }
  let j = number * ${lanes}u + local;
  let inside = 4u * j + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(params.size);
  var momentum = vec4<f32>();
  var velocity = vec4<f32>();
  if (inside.x) {
    let before = max(bitcast<vec2<u32>>(scales[number]) >> vec2<u32>(23u), vec2<u32>(37u));
    let words = moments[j];
    let signed = unpacked(words.x);
    let size = widened(signed & vec4<u32>(0x7fu), before.x, 15u);
    momentum = select(size, -size, signed >= vec4<u32>(0x80u));
    velocity = widened(unpacked(words.y), before.y, 31u);
    let g = gradient[j];
    var value = value_of[j];
#if ${decayed}
    value -= value * params.decay;
#endif
    momentum += (g - momentum) * params.momentum_share;
    velocity += (${summed ? 'slice_sums[j]' : 'g * g'} - velocity) * params.velocity_share;
    value -= momentum * params.rate / (sqrt(velocity) + params.epsilon);
    value_of[j] = value;
    momentum = select(vec4<f32>(), momentum, inside);
    velocity = select(vec4<f32>(), velocity, inside);
    atomicMax(&largest[0], largest_of(momentum));
    atomicMax(&largest[1], largest_of(velocity));
  }
  // Also orders the reads of scales before their writes.
  storageBarrier();
  workgroupBarrier();
  let after = vec2<u32>(scale_of(atomicLoad(&largest[0])), scale_of(atomicLoad(&largest[1])));
  if (inside.x) {
    let words = philox(vec4<u32>(j, params.step, params.stream, 2u), vec2<u32>());
    let below = ((words & vec4<u32>(0xffffu)) << vec4<u32>(4u)) + vec4<u32>(8u);
    let above = ((words >> vec4<u32>(16u)) << vec4<u32>(4u)) + vec4<u32>(8u);
    let sign = (bitcast<vec4<u32>>(momentum) >> vec4<u32>(24u)) & vec4<u32>(0x80u);
    let of_velocity = rounded(velocity, above, after.y, 31u);
    moments[j] = vec2<u32>(
      packed(rounded(momentum, below, after.x, 15u) | sign),
      packed(max(of_velocity, vec4<u32>(velocity > vec4<f32>()))),
    );
  }
  if (local == 0u) {
    scales[number] = bitcast<vec2<f32>>(after << vec2<u32>(23u));
  }
}
`;
}
