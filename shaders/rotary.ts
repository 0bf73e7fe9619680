/**
 * @file Rotary embeddings of x [rows, heads, size]: each pair of features (a, b) of a row at position p becomes
 * (a cos φ - b sin φ, a sin φ + b cos φ) with φ = p times the frequency of the pair. A pair is feature j and j + rotated / 2, or
 * the neighbours 2 j and 2 j + 1 (`interleaved`). The other features, from `rotated` on, are copied. `inverse` rotates by -φ.
 *
 * One invocation computes one pair, or four, of up to `heads` heads, which share their angles. Frequencies are read from memory,
 * or are the product of three powers in the parameters: each is rounded once, and tables for every launch need no buffer.
 *
 * Su et al., "RoFormer", 2021.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, preciseCos, preciseSin } from './lib/math.ts';
import { range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type RotaryOptions = {
  interleaved: boolean;
  inverse: boolean;
  /** Pairs, or copied features, of an invocation. */
  width: 1 | 4;
  /** Heads of an invocation. */
  heads: 1 | 2 | 4;
  /** Whether positions are the row's number, count from the first one in memory, or are in memory, repeated for further rows. */
  positions: 'none' | 'first' | 'each';
  /** Whether frequencies are in memory. */
  frequencies: boolean;
};

export const rotaryWorkgroup = 64;

const positionOf = {
  none: 'i32(row % params.rows)',
  first: 'positions[0] + i32(row % params.rows)',
  each: 'positions[row % params.rows]',
} as const;

/** A power whose exponent has `digit`. */
const power = (digit: string) => `bitcast<f32>(params.${digit}[${digit} / 4u][${digit} % 4u])`;

export function rotary(options: RotaryOptions): string {
  const { interleaved, inverse, width, heads, positions, frequencies } = options;
  const isVector = width === 4;
  const type = isVector ? 'vec4<f32>' : 'f32';
  const eachOf = (text: (j: number) => string) => {
    const parts = range(width).map(text);
    return isVector ? `vec4<f32>(${parts.join(', ')})` : (parts[0] as string);
  };
  const angle = (j: number) => (isVector ? `angle.${'xyzw'[j]}` : 'angle');
  const cosine = eachOf((j) => preciseCos(angle(j)));
  const sine = eachOf((j) => preciseSin(angle(j)));
  const frequency = frequencies
    ? 'frequencies[unit] * params.rate'
    : eachOf((j) => `frequency(${isVector ? `4u * unit + ${j}u` : 'unit'})`);
  const load = interleaved
    ? isVector
      ? `let near = x[at + 2u * unit];
      let far = x[at + 2u * unit + 1u];
      let a = vec4<f32>(near.xz, far.xz);
      let b = vec4<f32>(near.yw, far.yw);`
      : `let a = x[at + 2u * unit];
      let b = x[at + 2u * unit + 1u];`
    : `let a = x[at + unit];
      let b = x[at + params.half + unit];`;
  const store = interleaved
    ? isVector
      ? `out[at + 2u * unit] = vec4<f32>(c.x, d.x, c.y, d.y);
      out[at + 2u * unit + 1u] = vec4<f32>(c.z, d.z, c.w, d.w);`
      : `out[at + 2u * unit] = c;
      out[at + 2u * unit + 1u] = d;`
    : `out[at + unit] = c;
      out[at + params.half + unit] = d;`;
  return wgsl`
${flatIndex}
${mathFunctions(`${cosine} ${sine}`)}
#if ${!frequencies}
fn frequency(pair: u32) -> f32 {
  let low = pair % 8u;
  let middle = pair / 8u % 8u;
  let high = pair / 64u;
  return ${power('low')} * (${power('middle')} * ${power('high')});
}
#endif
@compute @workgroup_size(${rotaryWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${rotaryWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  // Pairs, then copied features.
  let unit = i % params.units;
  let head = i / params.units;
  let row = head / params.blocks;
  var at = head * ${heads}u * params.size;
  if (unit >= params.half) {
    let place = unit + params.half;
    ${range(heads)
      .map((h) => `out[at + ${h}u * params.size + place] = x[at + ${h}u * params.size + place];`)
      .join('\n    ')}
    return;
  }
  let angle = f32(${positionOf[positions]}) * (${frequency});
  let cosine = ${cosine};
  let sine = ${inverse ? '-' : ''}${isVector ? sine : `(${sine})`};
  for (var k = 0u; k < ${heads}u; k++) {
      ${load}
      let c: ${type} = a * cosine - b * sine;
      let d: ${type} = a * sine + b * cosine;
      ${store}
    at += params.size;
  }
}
`;
}
