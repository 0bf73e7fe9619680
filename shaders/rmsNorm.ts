/**
 * @file rmsNorm along one axis of x viewed as [outer, n, inner]: x r with r = 1 / √(mean x² + epsilon), times gamma if given,
 * [n]. With a residual, x + residual is normalized, and written as well. Each line of n elements is computed by `lanes`
 * invocations, which keep it in registers if it fits, and otherwise sweep over it twice: for the sum of squares, and to write.
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

export type RmsNormOptions = LineOptions & { gamma: boolean; residual: boolean };

export function rmsNorm(options: RmsNormOptions): string {
  const { gamma, residual, kept } = options;
  const read = (js: readonly number[]) =>
    each(js, (j) => `let value_${j} = x[at_${j}]${residual ? ` + residual[at_${j}]` : ''};`);
  const square = (j: number) => `value_${j} * value_${j}`;
  const result = (j: number) => `value_${j} * ${gamma ? `(scale * gamma[k_${j}])` : 'scale'}`;
  const write = (j: number, guard: { write(value: string, j: number): string }) =>
    // Both results within one guard.
    guard.write(residual ? `${result(j)};\n    total[at_${j}] = value_${j}` : result(j), j);
  const kepts = keptElements(options);
  const guard = keptGuard(options);
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('squares', 'F', 'add_lines', options)}
${lineHead(options)}
#if ${kept > 0}
  ${keptPositions(options)}
  ${read(kepts)}
  let squares = ${sumOf(kepts.map((j) => guard.orZero(square(j), j)))};
#else
  var squares = T();
  ${sweep(
    options,
    (js, { orZero }) => `${read(js)}
  squares += ${sumOf(js.map((j) => orZero(square(j), j)))};`,
  )}
#endif
  let scale = inverseSqrt(${folded('squares', 'join_sum(squares)', options)} / params.length + params.epsilon);
#if ${kept > 0}
  ${each(kepts, (j) => write(j, guard))}
#else
  ${sweep(
    options,
    (js, own) => `${read(js)}
  ${each(js, (j) => write(j, own))}`,
  )}
#endif
}
`;
}
