/**
 * @file The gradients of softmax and logSoftmax from the cotangent dy and the output y: y (dy - Σ dy y) for softmax,
 * dy - exp(y) Σ dy for logSoftmax. Lines as in softmax.
 */
import { flatIndex } from './lib/indexing.ts';
import { folded, foldLanes } from './lib/lanes.ts';
import {
  keptElements,
  keptGuard,
  keptPositions,
  lineElements,
  lineHead,
  sumOf,
  sweep,
  unlessNan,
} from './lib/lines.ts';
import { each } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';
import type { SoftmaxOptions } from './softmax.ts';

export function softmaxGradient(options: SoftmaxOptions): string {
  const { kind, kept } = options;
  const isSoftmax = kind === 'softmax';
  const read = (js: readonly number[]) =>
    each(
      js,
      (j) => `let dy_${j} = dy[at_${j}];
  let y_${j} = y[at_${j}];`,
    );
  const term = (j: number) => (isSoftmax ? `dy_${j} * y_${j}` : `dy_${j}`);
  // exp may turn a NaN into a number.
  const result = (j: number) =>
    isSoftmax ? `y_${j} * (dy_${j} - total)` : `dy_${j} - ${unlessNan(`exp(y_${j})`, `y_${j}`)} * total`;
  const kepts = keptElements(options);
  const guard = keptGuard(options);
  return wgsl`
${flatIndex}
${lineElements(options)}
${foldLanes('sum', 'F', 'add_lines', options)}
${lineHead(options)}
#if ${kept > 0}
  ${keptPositions(options)}
  ${read(kepts)}
  let sum = ${sumOf(kepts.map((j) => guard.orZero(term(j), j)))};
#else
  var sum = T();
  ${sweep(options, (js, { orZero }) => {
    const terms = isSoftmax ? read(js) : each(js, (j) => `let dy_${j} = dy[at_${j}];`);
    return `${terms}
  sum += ${sumOf(js.map((j) => orZero(term(j), j)))};`;
  })}
#endif
  let total = ${folded('sum', 'join_sum(sum)', options)};
#if ${kept > 0}
  ${each(kepts, (j) => guard.write(result(j), j))}
#else
  ${sweep(
    options,
    (js, { write }) => `${read(js)}
  ${each(js, (j) => write(result(j), j))}`,
  )}
#endif
}
`;
}
