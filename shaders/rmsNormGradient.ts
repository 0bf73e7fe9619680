/**
 * @file The gradient of rmsNorm for x, from the cotangent dy. With r = 1 / √(mean x² + epsilon) and g = gamma · dy, it is
 * r (g - x r² mean(g x)), with means over each line of x viewed as [outer, n, inner]. Where x is a sum that was used elsewhere,
 * too, that cotangent is added. Lines as in rmsNorm. If the gradient of gamma is needed, r of each line is written as well.
 *
 * Zhang and Sennrich, "Root mean square layer normalization", 2019.
 */
import { flatIndex } from './lib/indexing.ts';
import { folded, foldLanes } from './lib/lanes.ts';
import {
  keptGuard,
  keptElements,
  keptPositions,
  lineElements,
  lineHead,
  type LineOptions,
  sumOf,
  sweep,
} from './lib/lines.ts';
import { each } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type RmsNormGradientOptions = LineOptions & {
  gamma: boolean;
  /** Whether a cotangent of x itself is added. */
  residual: boolean;
  /** Whether r of each line is written. */
  scales: boolean;
};

export function rmsNormGradient(options: RmsNormGradientOptions): string {
  const { gamma, residual, scales, kept } = options;
  const read = (js: readonly number[]) =>
    each(
      js,
      // Beyond the end, the last one.
      (j) => `let value_${j} = x[at_${j}];
  let g_${j} = ${gamma ? `gamma[min(k_${j}, params.n - 1u)] * ` : ''}dy[at_${j}];`,
    );
  const square = (j: number) => `value_${j} * value_${j}`;
  const product = (j: number) => `g_${j} * value_${j}`;
  const result = (j: number) =>
    `scale * (g_${j} - value_${j} * weight)${residual ? ` + d_total[at_${j}]` : ''}`;
  const kepts = keptElements(options);
  const guard = keptGuard(options);
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('squares', 'F', 'add_lines', options)}
${foldLanes('products', 'F', 'add_lines', options)}
${lineHead(options)}
#if ${kept > 0}
  ${keptPositions(options)}
  ${read(kepts)}
  let squares = ${sumOf(kepts.map((j) => guard.orZero(square(j), j)))};
  let products = ${sumOf(kepts.map((j) => guard.orZero(product(j), j)))};
#else
  var squares = T();
  var products = T();
  ${sweep(
    options,
    (js, { orZero }) => `${read(js)}
  squares += ${sumOf(js.map((j) => orZero(square(j), j)))};
  products += ${sumOf(js.map((j) => orZero(product(j), j)))};`,
  )}
#endif
  let scale = inverseSqrt(${folded('squares', 'join_sum(squares)', options)} / params.length + params.epsilon);
  // The mean of g x, times r².
  let weight = ${folded('products', 'join_sum(products)', options)} / params.length * scale * scale;
#if ${kept > 0}
  ${each(kepts, (j) => guard.write(result(j), j))}
#else
  ${sweep(
    options,
    (js, { write }) => `${read(js)}
  ${each(js, (j) => write(result(j), j))}`,
  )}
#endif
#if ${scales}
  if (is_line && lane == 0u) {
    scales[line] = scale;
  }
#endif
}
`;
}
