/**
 * @file Statistics of a tensor for the step inspector: minimum, maximum, sum, zeros, non-finite values, and in a second launch
 * a histogram and the sum of squares. Each workgroup writes its own record; the host combines them in float64.
 */
import { wgsl } from './lib/wgsl.ts';

export type StatisticsOptions = {
  /** The element type of the tensor; a word has two float16. */
  type: 'f32' | 'f16' | 'i32' | 'u32';
  /** The second launch reads what the first wrote: the range of the histogram. */
  stage: 'range' | 'histogram';
};

export const statisticsWorkgroup = 256;
export const histogramBins = 32;
/** Words of a workgroup's record: eight of the first stage, the sum of squares, and from word 16 on the histogram. */
export const recordWords = 16 + histogramBins;
/** The maximum number of workgroups of one tensor. */
export const maxStatisticsGroups = 64;

const readers: Record<StatisticsOptions['type'], string> = {
  f32: 'Element(bitcast<f32>(x[i]), (x[i] & 0x7f800000u) == 0x7f800000u, (x[i] & 0x007fffffu) != 0u)',
  f16: /* wgsl */ `half_of(x[i / 2u], (i & 1u) * 16u)`,
  i32: 'Element(f32(bitcast<i32>(x[i])), false, false)',
  u32: 'Element(f32(x[i]), false, false)',
};

/** Tests values for NaN and infinities by their bits, since compilers may assume that neither occurs. */
const element = ({ type }: StatisticsOptions) => wgsl`
struct Element {
  value: f32,
  is_special: bool,
  has_mantissa: bool,
}

fn half_of(word: u32, shift: u32) -> Element {
  let bits = (word >> shift) & 0xffffu;
  return Element(unpack2x16float(bits).x, (bits & 0x7c00u) == 0x7c00u, (bits & 0x03ffu) != 0u);
}

fn element_at(i: u32) -> Element {
  return ${readers[type]};
}
`;

const range = wgsl`
const highest = 0x1.fffffep127f;

var<workgroup> lowest_values: array<f32, ${statisticsWorkgroup}>;
var<workgroup> highest_values: array<f32, ${statisticsWorkgroup}>;
var<workgroup> sums: array<f32, ${statisticsWorkgroup}>;
var<workgroup> zeros: atomic<u32>;
var<workgroup> infinities: atomic<u32>;
var<workgroup> nans: atomic<u32>;
var<workgroup> first_special: atomic<u32>;

@compute @workgroup_size(${statisticsWorkgroup})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  if (local == 0u) {
    atomicStore(&first_special, 0xffffffffu);
  }
  workgroupBarrier();
  var least = highest;
  var most = -highest;
  var total = 0.0;
  for (var i = group.x * ${statisticsWorkgroup}u + local; i < params.count; i += params.groups * ${statisticsWorkgroup}u) {
    let element = element_at(i);
    if (element.is_special) {
      atomicMin(&first_special, i);
      if (element.has_mantissa) {
        atomicAdd(&nans, 1u);
      } else {
        atomicAdd(&infinities, 1u);
      }
    } else {
      least = min(least, element.value);
      most = max(most, element.value);
      total += element.value;
      if (element.value == 0.0) {
        atomicAdd(&zeros, 1u);
      }
    }
  }
  lowest_values[local] = least;
  highest_values[local] = most;
  sums[local] = total;
  workgroupBarrier();
  for (var half = ${statisticsWorkgroup / 2}u; half > 0u; half /= 2u) {
    if (local < half) {
      lowest_values[local] = min(lowest_values[local], lowest_values[local + half]);
      highest_values[local] = max(highest_values[local], highest_values[local + half]);
      sums[local] += sums[local + half];
    }
    workgroupBarrier();
  }
  if (local == 0u) {
    let at = params.base + group.x * ${recordWords}u;
    records[at] = bitcast<u32>(lowest_values[0]);
    records[at + 1u] = bitcast<u32>(highest_values[0]);
    records[at + 2u] = bitcast<u32>(sums[0]);
    records[at + 3u] = atomicLoad(&zeros);
    records[at + 4u] = atomicLoad(&infinities);
    records[at + 5u] = atomicLoad(&nans);
    records[at + 6u] = atomicLoad(&first_special);
  }
}
`;

const histogram = wgsl`
var<workgroup> bins: array<atomic<u32>, ${histogramBins}>;
var<workgroup> squares: array<f32, ${statisticsWorkgroup}>;

@compute @workgroup_size(${statisticsWorkgroup})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  var least = bitcast<f32>(records[params.base]);
  var most = bitcast<f32>(records[params.base + 1u]);
  for (var other = 1u; other < params.groups; other++) {
    least = min(least, bitcast<f32>(records[params.base + other * ${recordWords}u]));
    most = max(most, bitcast<f32>(records[params.base + other * ${recordWords}u + 1u]));
  }
  // By half its range and in units of the largest value, so that neither the width nor a square overflows.
  let width = max(0.5 * most - 0.5 * least, 0x1p-126f);
  let scale = max(max(abs(least), abs(most)), 0x1p-126f);
  var total = 0.0;
  for (var i = group.x * ${statisticsWorkgroup}u + local; i < params.count; i += params.groups * ${statisticsWorkgroup}u) {
    let element = element_at(i);
    if (!element.is_special) {
      let place = (0.5 * element.value - 0.5 * least) / width;
      atomicAdd(&bins[min(u32(place * ${histogramBins}.0), ${histogramBins - 1}u)], 1u);
      let ratio = element.value / scale;
      total += ratio * ratio;
    }
  }
  squares[local] = total;
  workgroupBarrier();
  for (var half = ${statisticsWorkgroup / 2}u; half > 0u; half /= 2u) {
    if (local < half) {
      squares[local] += squares[local + half];
    }
    workgroupBarrier();
  }
  let at = params.base + group.x * ${recordWords}u;
  if (local == 0u) {
    records[at + 8u] = bitcast<u32>(squares[0]);
  }
  if (local < ${histogramBins}u) {
    records[at + 16u + local] = atomicLoad(&bins[local]);
  }
}
`;

export function statistics(options: StatisticsOptions): string {
  return wgsl`
${element(options)}
${options.stage === 'range' ? range : histogram}
`;
}
