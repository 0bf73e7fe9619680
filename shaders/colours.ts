/**
 * @file Red, green and blue to hue, saturation and value, or back, with the formulas of src/ops/images/colours.ts. One invocation
 * converts one pixel.
 */
import { flatIndex } from './lib/indexing.ts';
import { larger, mathFunctions, smaller } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type ColourOptions = { from: 'rgb' | 'hsv' };

export const colourWorkgroup = 64;

export function colours({ from }: ColourOptions): string {
  const source = from === 'rgb' ? fromRgb : fromHsv;
  return wgsl`
${flatIndex}
${mathFunctions(source)}
${source}
@compute @workgroup_size(${colourWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let pixel = flat_index(group, groups, local, ${colourWorkgroup}u);
  if (pixel >= params.count) {
    return;
  }
  let at = 3u * pixel;
  let colour = converted(x[at], x[at + 1u], x[at + 2u]);
  out[at] = colour.x;
  out[at + 1u] = colour.y;
  out[at + 2u] = colour.z;
}
`;
}

const fromRgb = `
fn converted(red: f32, green: f32, blue: f32) -> vec3<f32> {
  let value = ${larger(larger('red', 'green'), 'blue')};
  let difference = value - ${smaller(smaller('red', 'green'), 'blue')};
  let is_colour = difference > 0.0;
  let is_lit = value > 0.0;
  let saturation = select(0.0, difference, is_lit) / select(1.0, value, is_lit);
  let sixth = ${1 / 6} / select(1.0, difference, is_colour);
  let of_others = select((red - green) * sixth + ${4 / 6}, (blue - red) * sixth + ${2 / 6}, green == value);
  let shifted = select(of_others, (green - blue) * sixth, red == value);
  let hue = select(shifted, shifted + 1.0, shifted < 0.0);
  return vec3<f32>(select(0.0, hue, is_colour), saturation, value);
}
`;

const within = (value: string) => smaller(larger(value, '0.0'), '1.0');

const fromHsv = `
fn mixed(share: f32, saturation: f32, value: f32) -> f32 {
  return ((${within('share')} - 1.0) * saturation + 1.0) * value;
}

fn converted(hue: f32, saturation: f32, value: f32) -> vec3<f32> {
  let sixths = hue * 6.0;
  return vec3<f32>(
    mixed(abs(sixths - 3.0) - 1.0, saturation, value),
    mixed(2.0 - abs(sixths - 2.0), saturation, value),
    mixed(2.0 - abs(sixths - 4.0), saturation, value),
  );
}
`;
