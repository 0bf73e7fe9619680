/**
 * @file Few rows x [rows, length] times packed weights: out [rows, channels] = x wᵀ. Lanes share four channels and read four words
 * of each at a time, adjacent lanes adjacent words, so that each weight is read once. x is read from the cache.
 *
 * A vector of weights is widened once, and used for all rows.
 */
import { flatIndex } from '../lib/indexing.ts';
import { folded, foldLanes, type LaneLayout, laneIndices, laneParameters } from '../lib/lanes.ts';
import { each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { isFloat, type PackedOptions, perChunk, scaled, scaleFunctions, vectorsOf } from './unpack.ts';

export type MatVecOptions = LaneLayout &
  PackedOptions & {
    rows: 1 | 2 | 4 | 8;
    /** Elements of a read of x; 4 only if it divides the length. */
    width: 1 | 4;
    /** What shares a scale: a channel, so that sums are scaled; at least four words; or at least a vector. */
    grouping: 'channel' | 'chunk' | 'vector';
  };

/** Channels that lanes share. */
export const channelsPerLine = 4;

export function matVec(options: MatVecOptions): string {
  const { format, zeros, divided, rows, width, grouping, lanes } = options;
  const channels = range(channelsPerLine);
  const allRows = range(rows);
  const per = perChunk[format];
  const isScaled = !isFloat(format);
  const groupAt = (at: string) => `(${at}) / params.group_size`;
  const scalesAt = (group: string, suffix: string) =>
    each(
      channels,
      (c) =>
        `let scale_${c}${suffix} = scale_of(channel_${c}, ${group});${
          zeros
            ? `
    let zero_${c}${suffix} = zero_of(channel_${c}, ${group});`
            : ''
        }`,
    );
  const read = (row: number, j: number) =>
    width === 4
      ? `x_at((row_${row} + i) / 4u + ${j}u, i + ${4 * j}u)`
      : `x_at(row_${row} + i + ${4 * j}u, i + ${4 * j}u)`;
  const vectors = channels.map((c) => vectorsOf(format, `q_${c}`));
  const widened = (c: number, j: number) => {
    const vector = vectors[c]?.[j] as string;
    if (!isScaled || grouping === 'channel') return vector;
    const suffix = grouping === 'vector' ? `_${j}` : '';
    return scaled(vector, options, `scale_${c}${suffix}`, `zero_${c}${suffix}`);
  };
  const product = (row: number, c: number, j: number) => {
    const sum = `sums_${row}.${'xyzw'[c]}`;
    return `${sum} = fma(w_${c}_${j}.x, x_${row}_${j}.x, fma(w_${c}_${j}.y, x_${row}_${j}.y, fma(w_${c}_${j}.z, x_${row}_${j}.z, fma(w_${c}_${j}.w, x_${row}_${j}.w, ${sum}))));`;
  };
  const step = (
    j: number,
  ) => `${grouping === 'vector' && isScaled ? scalesAt(groupAt(`i + ${4 * j}u`), `_${j}`) : ''}
    ${each(channels, (c) => `let w_${c}_${j} = ${widened(c, j)};`)}
    ${each(allRows, (row) => `let x_${row}_${j} = ${read(row, j)};`)}
    ${each(allRows, (row) => each(channels, (c) => product(row, c, j)))}`;
  const result = (row: number, c: number) => {
    const sum = `total_${row}.${'xyzw'[c]}`;
    return isScaled && grouping === 'channel'
      ? `${sum} ${divided ? '/' : '*'} scale_of(channel_${c}, 0u)`
      : sum;
  };
  return wgsl`
${flatIndex}
${isScaled ? scaleFunctions(options) : ''}
fn add_sums(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  return a + b;
}

// Zeros beyond the end of a row, where lines are padded.
fn x_at(at: u32, i: u32) -> vec4<f32> {
#if ${width === 4}
  return select(vec4<f32>(), x[min(at, params.last)], i < params.length);
#else
  let value = vec4<f32>(x[min(at, params.last)], x[min(at + 1u, params.last)], x[min(at + 2u, params.last)], x[min(at + 3u, params.last)]);
  return select(vec4<f32>(), value, vec4<u32>(i, i + 1u, i + 2u, i + 3u) < vec4<u32>(params.length));
#endif
}
${allRows.map((row) => foldLanes(`row_${row}`, 'vec4<f32>', 'add_sums', options)).join('\n')}
@compute @workgroup_size(${options.workgroup})
fn main(
  ${laneParameters(options)}
) {
  ${laneIndices(options)}
  let channel = line * ${channelsPerLine}u;
  ${each(channels, (c) => `let channel_${c} = min(channel + ${c}u, params.channels - 1u);`)}
  ${each(
    allRows,
    (row) => `let row_${row} = min(${row}u, params.rows - 1u) * params.length;
  var sums_${row} = vec4<f32>();`,
  )}
  for (var chunk = lane; chunk < params.chunks; chunk += ${lanes}u) {
    ${each(channels, (c) => `let q_${c} = packed[channel_${c} * params.chunks + chunk];`)}
    let i = chunk * ${per}u;
    ${grouping === 'chunk' && isScaled ? scalesAt(groupAt('i'), '') : ''}
    ${range(per / 4)
      .map(step)
      .join('\n    ')}
  }
  ${each(allRows, (row) => `let total_${row} = ${folded(`row_${row}`, `sums_${row}`, options)};`)}
  if (lane == 0u) {
    ${each(allRows, (row) =>
      each(
        channels,
        (c) => `if (channel + ${c}u < params.channels && ${row}u < params.rows) {
      out[${row}u * params.channels + channel + ${c}u] = ${result(row, c)};
    }`,
      ),
    )}
  }
}
`;
}
