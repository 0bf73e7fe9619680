/**
 * @file The gradient of layerNorm for x, from the cotangent dy. With x̂ = (x - mean) r, r = 1 / √(variance + epsilon) and
 * g = gamma · dy, it is r (g - mean g - x̂ mean(g x̂)), with means over each line of x viewed as [outer, n, inner]. Lines as
 * in layerNorm. If the gradients of gamma and beta are needed, the mean and r of each line are written as well.
 *
 * Ba, Kiros and Hinton, "Layer normalization", 2016.
 */
import { firstElement } from './layerNorm.ts';
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

export type LayerNormGradientOptions = LineOptions & {
  gamma: boolean;
  /** Whether the mean and r of each line are written. */
  moments: boolean;
  /** Whether a cotangent of x itself is added. */
  residual: boolean;
};

export function layerNormGradient(options: LayerNormGradientOptions): string {
  const { gamma, moments, residual, kept } = options;
  const readX = (js: readonly number[]) => each(js, (j) => `let above_${j} = x[at_${j}] - pivot;`);
  const readG = (js: readonly number[]) =>
    // Beyond the end, the last one.
    each(js, (j) => `let g_${j} = ${gamma ? `gamma[min(k_${j}, params.n - 1u)] * ` : ''}dy[at_${j}];`);
  const deviate = (js: readonly number[]) => each(js, (j) => `let deviation_${j} = above_${j} - mean;`);
  const square = (j: number) => `deviation_${j} * deviation_${j}`;
  const product = (j: number) => `g_${j} * deviation_${j}`;
  const result = (j: number) =>
    `scale * (g_${j} - g_mean - deviation_${j} * weight)${residual ? ` + d_total[at_${j}]` : ''}`;
  const kepts = keptElements(options);
  const guard = keptGuard(options);
  return wgsl`
${flatIndex}
${lineElements(options)}
${['sum', 'g', 'squares', 'products'].map((name) => foldLanes(name, 'F', 'add_lines', options)).join('\n')}
${lineHead(options)}
  let pivot = ${firstElement(options)};
#if ${kept > 0}
  ${keptPositions(options)}
  ${readX(kepts)}
  ${readG(kepts)}
  let sum = ${sumOf(kepts.map((j) => guard.orZero(`above_${j}`, j)))};
  let g_sum = ${sumOf(kepts.map((j) => guard.orZero(`g_${j}`, j)))};
#else
  var sum = T();
  var g_sum = T();
  ${sweep(
    options,
    (js, { orZero }) => `${readX(js)}
  ${readG(js)}
  sum += ${sumOf(js.map((j) => orZero(`above_${j}`, j)))};
  g_sum += ${sumOf(js.map((j) => orZero(`g_${j}`, j)))};`,
  )}
#endif
  // Relative to the pivot.
  let mean = ${folded('sum', 'join_sum(sum)', options)} / params.length;
  let g_mean = ${folded('g', 'join_sum(g_sum)', options)} / params.length;
#if ${kept > 0}
  ${deviate(kepts)}
  let squares = ${sumOf(kepts.map((j) => guard.orZero(square(j), j)))};
  let products = ${sumOf(kepts.map((j) => guard.orZero(product(j), j)))};
#else
  var squares = T();
  var products = T();
  ${sweep(
    options,
    (js, { orZero }) => `${readX(js)}
  ${readG(js)}
  ${deviate(js)}
  squares += ${sumOf(js.map((j) => orZero(square(j), j)))};
  products += ${sumOf(js.map((j) => orZero(product(j), j)))};`,
  )}
#endif
  let variance = ${folded('squares', 'join_sum(squares)', options)} / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  // The mean of g x̂, times r.
  let weight = ${folded('products', 'join_sum(products)', options)} / params.length * scale * scale;
#if ${kept > 0}
  ${each(kepts, (j) => guard.write(result(j), j))}
#else
  ${sweep(
    options,
    (js, { write }) => `${readX(js)}
  ${readG(js)}
  ${deviate(js)}
  ${each(js, (j) => write(result(j), j))}`,
  )}
#endif
#if ${moments}
  if (is_line && lane == 0u) {
    means[line] = pivot + mean;
    scales[line] = scale;
  }
#endif
}
`;
}
