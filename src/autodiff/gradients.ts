/** @file gradients: a value and its gradients in one call, without a tape to close. */
import { requireFunction } from '../core/arguments.ts';
import { isFloating } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { tidy } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import {
  gradientOptionNames,
  flatSources,
  type Gradient,
  type GradientOptions,
  requireOneList,
  requireTensors,
  type UnconnectedGradients,
} from './request.ts';
import { GradientTape } from './tape.ts';

/** The value of a function, and its gradients. */
export interface ValueAndGradients<G> {
  value: Tensor;
  gradients: G;
}

/**
 * Returns the value of `f`, and its gradients with respect to `sources`: a tensor or variable, or several in an array or record.
 *
 *     const { value, gradients: [dw, db] } = gradients(() => mean(square(sub(add(matMul(x, w), b), y))), [w, b]);
 *     optimizer.apply([dw, db], [w, b]);
 *
 * Everything else that `f` made is freed. The gradient of a source that isn't connected is null, as with GradientTape,
 * whose `explain` says why. If the value has several elements, the gradients are those of their sum.
 * Errors: TapeError if `f` returns anything but a tensor, and for sources that aren't tensors; those of `f`.
 */
export function gradients<U extends UnconnectedGradients = 'none'>(
  f: () => Tensor,
  source: Tensor,
  options?: GradientOptions<U>,
): ValueAndGradients<Gradient<U>>;
export function gradients<const S extends readonly Tensor[], U extends UnconnectedGradients = 'none'>(
  f: () => Tensor,
  sources: S,
  options?: GradientOptions<U>,
): ValueAndGradients<{ -readonly [K in keyof S]: Gradient<U> }>;
export function gradients<K extends string, U extends UnconnectedGradients = 'none'>(
  f: () => Tensor,
  sources: Readonly<{ [key in K]: Tensor }>,
  options?: GradientOptions<U>,
): ValueAndGradients<{ [key in K]: Gradient<U> }>;
export function gradients(
  f: () => Tensor,
  sources: Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>,
  options: GradientOptions = {},
  ...extra: never[]
): ValueAndGradients<unknown> {
  requireFunction('gradients', 'f', f);
  requireOneList('gradients', 'f', options, extra);
  checkOptions('gradients', options, gradientOptionNames);
  const flat = flatSources(sources);
  requireTensors('sources', flat, 'gradients');
  return tidy(() =>
    GradientTape.run((tape) => {
      tape.watch(flat.filter(({ dtype }) => isFloating(dtype)));
      const value = f();
      requireValue(value);
      return { value, gradients: tape.gradient(value, sources as Tensor[], options) };
    }),
  );
}

function requireValue(value: unknown): void {
  if (value instanceof Tensor) return;
  throw new TapeError({
    op: 'gradients',
    rule: 'the function must return the tensor to differentiate.',
    received: describe(value),
    hint: 'return the loss: gradients(() => mean(square(sub(y, target))), weights). It cannot be async.',
  });
}
