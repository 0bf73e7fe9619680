/**
 * @file layerNorm along one axis of x, or of the sum of x and a residual, viewed as [outer, n, inner]: (x - mean) / √(variance + epsilon), times gamma and plus
 * beta if given, [n] each. Each line of n elements is computed by `lanes` invocations, which keep it in registers if it fits,
 * and otherwise sweep over it three times: for the mean, for the squared deviations from it, and to write; later sweeps
 * read it from the cache.
 *
 * The line's first element is subtracted from all others, so that a mean that is large compared with the deviations doesn't
 * cost digits.
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

export type LayerNormOptions = LineOptions & { gamma: boolean; beta: boolean; residual: boolean };

/** WGSL of a line's first element of a tensor. */
export const firstElement = ({ order, width }: LineOptions, tensor = 'x') =>
  order === 'rows' && width === 4 ? `${tensor}[start].x` : `${tensor}[start]`;

export function layerNorm(options: LayerNormOptions): string {
  const { gamma, beta, residual, kept } = options;
  const read = (js: readonly number[]) =>
    residual
      ? each(
          js,
          (j) => `let value_${j} = x[at_${j}] + residual[at_${j}];
  let above_${j} = value_${j} - pivot;`,
        )
      : each(js, (j) => `let above_${j} = x[at_${j}] - pivot;`);
  const deviate = (js: readonly number[]) => each(js, (j) => `let deviation_${j} = above_${j} - mean;`);
  const result = (j: number) =>
    `deviation_${j} * ${gamma ? `(scale * gamma[k_${j}])` : 'scale'}${beta ? ` + beta[k_${j}]` : ''}`;
  const square = (j: number) => `deviation_${j} * deviation_${j}`;
  const write = (j: number, guard: { write(value: string, j: number): string }) =>
    // Both results within one guard.
    guard.write(residual ? `${result(j)};\n    total[at_${j}] = value_${j}` : result(j), j);
  const first = `${firstElement(options)}${residual ? ` + ${firstElement(options, 'residual')}` : ''}`;
  const kepts = keptElements(options);
  const guard = keptGuard(options);
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('sum', 'F', 'add_lines', options)}
${foldLanes('squares', 'F', 'add_lines', options)}
${lineHead(options)}
  let pivot = ${first};
#if ${kept > 0}
  ${keptPositions(options)}
  ${read(kepts)}
  let sum = ${sumOf(kepts.map((j) => guard.orZero(`above_${j}`, j)))};
#else
  var sum = T();
  ${sweep(
    options,
    (js, { orZero }) => `${read(js)}
  sum += ${sumOf(js.map((j) => orZero(`above_${j}`, j)))};`,
  )}
#endif
  // Relative to the pivot.
  let mean = ${folded('sum', 'join_sum(sum)', options)} / params.length;
#if ${kept > 0}
  ${deviate(kepts)}
  let squares = ${sumOf(kepts.map((j) => guard.orZero(square(j), j)))};
#else
  var squares = T();
  ${sweep(
    options,
    (js, { orZero }) => `${read(js)}
  ${deviate(js)}
  squares += ${sumOf(js.map((j) => orZero(square(j), j)))};`,
  )}
#endif
  let variance = ${folded('squares', 'join_sum(squares)', options)} / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
#if ${kept > 0}
  ${each(kepts, (j) => write(j, guard))}
#else
  ${sweep(
    options,
    (js, own) => `${read(js)}
  ${deviate(js)}
  ${each(js, (j) => write(j, own))}`,
  )}
#endif
}
`;
}
