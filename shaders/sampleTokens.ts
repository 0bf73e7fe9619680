/**
 * @file Draws a token from each row of logits [rows, n]; a workgroup has a row. Logits are divided by the temperature, those of earlier
 * tokens also by the penalty, or multiplied by it if they are negative; then only the `k` largest are kept, and of these the largest
 * whose probabilities add up to `p`. Among equal logits at a limit, all are kept.
 *
 * Both limits are found by bisection of the bits of a float, which are ordered like the numbers once those of negative ones are
 * inverted: 32 passes over the row, which is in the cache. The token is that of the largest sum of a logit and Gumbel noise.
 *
 * Keskar et al., "CTRL", 2019, for the penalty; Holtzman et al., "The curious case of neural text degeneration", 2020, for p.
 */
import { flatIndex } from './lib/indexing.ts';
import { folded, foldLanes, type LaneLayout, laneParameters } from './lib/lanes.ts';
import { lowest } from './lib/lines.ts';
import { mathFunctions, philox, preciseExp, preciseLog, unitInterval } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type SampleTokensOptions = LaneLayout & {
  /** Whether there are earlier tokens, and logits are kept in `scaled`. */
  penalized: boolean;
  topK: boolean;
  topP: boolean;
  /** Whether the token of the largest logit is taken. */
  greedy: boolean;
};

export function sampleTokens(options: SampleTokensOptions): string {
  const { lanes, penalized, topK, topP, greedy } = options;
  const mass = preciseExp('value - largest');
  const gumbel = `-${preciseLog(`-${preciseLog('unit')}`)}`;
  const fold = (name: string, value: string) => folded(name, value, options);
  /** A loop over the values of the row that are kept so far. */
  const each = (body: string) => `for (var k = local; k < params.n; k += ${lanes}u) {
      let value = value_at(start, k);
      ${body}
    }`;
  /** Raises `limit` bit by bit while what is at or above it is enough. */
  const bisect = (sum: string, isEnough: string) => `{
    var found = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
      let tried = found | bit;
      var part = 0.0;
      ${each(`if (order_of(value) >= max(tried, limit)) { part += ${sum}; }`)}
      workgroupBarrier();
      let total = ${fold('sum', 'part')};
      found = select(found, tried, ${isEnough});
    }
    limit = max(limit, found);
  }`;
  const score = greedy
    ? 'let score = value;'
    : `let words = philox(vec4<u32>(k, row, 0u, 0u), vec2<u32>(bitcast<u32>(noise[row]), 0u));
        let unit = unit_interval(words.x);
        let score = value + ${gumbel};`;
  return wgsl`
${flatIndex}
${mathFunctions(`${mass} ${gumbel}`, [philox, unitInterval])}
fn larger(a: f32, b: f32) -> f32 {
  return max(a, b);
}

fn add_sums(a: f32, b: f32) -> f32 {
  return a + b;
}

// Of two candidates (score, token), the one with the larger score; of equal ones, the earlier token. Floats hold tokens up to 2^24.
fn better(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let is_first = a.x > b.x || (a.x == b.x && a.y < b.y);
  return select(b, a, is_first);
}

fn order_of(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn value_at(start: u32, k: u32) -> f32 {
#if ${penalized}
  return scaled[start + k];
#else
  return logits[start + k] * params.rate;
#endif
}
${foldLanes('largest', 'f32', 'larger', options)}
${foldLanes('sum', 'f32', 'add_sums', options)}
${foldLanes('best', 'vec2<f32>', 'better', options)}
@compute @workgroup_size(${lanes})
fn main(
  ${laneParameters(options)}
) {
  let lane = local;
  let row = flat_group(group, groups);
  if (row >= params.rows) {
    return;
  }
  let start = row * params.n;
#if ${penalized}
  for (var k = local; k < params.n; k += ${lanes}u) {
    scaled[start + k] = logits[start + k] * params.rate;
  }
  storageBarrier();
  workgroupBarrier();
  // From the logits themselves: a token that occurs twice is penalized once. Tokens of -1 are padding.
  for (var j = local; j < params.earlier; j += ${lanes}u) {
    let token = bitcast<u32>(previous[row * params.earlier + j]);
    if (token < params.n) {
      let logit = logits[start + token];
      scaled[start + token] = select(logit * params.penalty, logit / params.penalty, logit > 0.0) * params.rate;
    }
  }
  storageBarrier();
  workgroupBarrier();
#endif
  var limit = 0u;
#if ${topK}
  ${bisect('1.0', 'total >= params.k')}
#endif
#if ${topP}
  var own_largest = ${lowest};
  ${each('own_largest = max(own_largest, value);')}
  let largest = ${fold('largest', 'own_largest')};
  var own_mass = 0.0;
  ${each(`if (order_of(value) >= limit) { own_mass += ${mass}; }`)}
  workgroupBarrier();
  let whole = ${fold('sum', 'own_mass')};
  ${bisect(mass, 'total >= params.p * whole')}
#endif
  var chosen = vec2<f32>(${lowest}, 0.0);
  ${each(`if (order_of(value) >= limit) {
        ${score}
        chosen = better(chosen, vec2<f32>(score, f32(k)));
      }`)}
  let best = ${fold('best', 'chosen')};
  if (local == 0u) {
    tokens[row] = i32(best.y);
  }
}
`;
}
