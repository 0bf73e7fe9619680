/**
 * @file The gradients of rmsNorm for x and gamma (formulas in rmsNormGradient.ts), where a workgroup has a whole line and keeps it
 * in registers. Each workgroup computes every `groups`th line, and adds up its lines' share of dGamma in registers: x and dy
 * are read once for both gradients. The sums of all workgroups are [groups, n].
 */
import { foldLanes, folded, laneParameters } from './lib/lanes.ts';
import { keptElements, keptGuard, keptPositions, lineElements, sumOf } from './lib/lines.ts';
import type { RmsNormGradientOptions } from './rmsNormGradient.ts';
import { wgsl } from './lib/wgsl.ts';

export type RmsNormRowsOptions = Omit<RmsNormGradientOptions, 'scales' | 'gamma'>;

export function rmsNormRows(options: RmsNormRowsOptions): string {
  const { residual, lanes } = options;
  const kepts = keptElements(options);
  const each = (text: (j: number) => string) => kepts.map(text).join('\n  ');
  const guard = keptGuard(options);
  const result = (j: number) =>
    `scale * (g_${j} - value_${j} * weight)${residual ? ` + d_total[at_${j}]` : ''}`;
  const position = (j: number) => (j === 0 ? 'lane' : `lane + ${j * lanes}u`);
  return wgsl`
${lineElements(options)}
${foldLanes('squares', 'F', 'add_lines', options)}
${foldLanes('products', 'F', 'add_lines', options)}
@compute @workgroup_size(${lanes})
fn main(
  ${laneParameters(options)}
) {
  let lane = local;
  let is_line = true;
  ${each(
    (j) => `let gamma_${j} = gamma[min(${position(j)}, params.n - 1u)];
  var share_${j} = T();`,
  )}
  // The barriers of each sum keep the workgroup memory of the other from being written too early.
  for (var line = group.x; line < params.count; line += groups.x) {
    let start = line * params.n;
    ${keptPositions(options)}
    ${each(
      (j) => `let value_${j} = x[at_${j}];
  let dy_${j} = dy[at_${j}];
  let g_${j} = gamma_${j} * dy_${j};`,
    )}
    let squares = ${sumOf(kepts.map((j) => guard.orZero(`value_${j} * value_${j}`, j)))};
    let products = ${sumOf(kepts.map((j) => guard.orZero(`g_${j} * value_${j}`, j)))};
    let scale = inverseSqrt(${folded('squares', 'join_sum(squares)', options)} / params.length + params.epsilon);
    let weight = ${folded('products', 'join_sum(products)', options)} / params.length * scale * scale;
    ${each((j) => `share_${j} += dy_${j} * (value_${j} * scale);`)}
    ${each((j) => guard.write(result(j), j))}
  }
  ${each(
    (j) => `if (${position(j)} < params.n) {
    shares[group.x * params.n + ${position(j)}] = share_${j};
  }`,
  )}
}
`;
}
