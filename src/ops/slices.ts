/**
 * @file Gradients that are sums of slices. A row of a table that is read several times gets one gradient, the sum of all
 * contributions. Keras's optimizers (with TensorFlow, by IndexedSlices) see the contributions separately and square each of
 * them, so Adam's mean of squares differs. To reproduce that, request the sums of squares while gradients are computed;
 * they come with the gradient.
 */
import { registerAmbient } from './ambient.ts';
import { alias, type Tensor } from '../tensor/tensor.ts';
import { tidy } from '../tensor/scope.ts';

let wanted = false;

registerAmbient(() => (wanted ? ', with squares of slices' : ''));

/** Gradients whose attachment is the sum of the squares of their slices. */
const summed = new WeakSet<Tensor>();

/** Runs `body`, which computes gradients, with the sums of squares of their slices. */
export function withSquaredSlices<T>(body: () => T): T {
  const before = wanted;
  wanted = true;
  try {
    return body();
  } finally {
    wanted = before;
  }
}

/** For ops that sum slices: attaches the result of `squares` to `gradient`, if requested. */
export function noteSquares(gradient: Tensor, squares: () => Tensor): Tensor {
  if (!wanted) return gradient;
  tidy(() => {
    gradient.attachment = alias(squares());
  });
  summed.add(gradient);
  return gradient;
}

/** The sums of squares of the slices summed in `gradient`; null if there are none. Freed with it. */
export function squaresOf(gradient: Tensor): Tensor | null {
  return summed.has(gradient) ? gradient.attachment : null;
}
