/**
 * @file Gradients that are sums of slices. A row of a table that is read several times gets one gradient, the sum of what
 * each reading contributes. Keras's optimizers see the contributions apart (with TensorFlow, as IndexedSlices) and square
 * each by itself, so that the mean of squares that Adam keeps is another. Who wants that asks for it while gradients are
 * taken, and finds the sum of squares with the gradient.
 */
import { alias, type Tensor } from '../tensor/tensor.ts';
import { tidy } from '../tensor/scope.ts';

let wanted = false;

/** Gradients whose companion is the sum of the squares of their slices. */
const summed = new WeakSet<Tensor>();

/** Takes gradients by `body`, with the sums of squares of their slices where they have some. */
export function withSquaredSlices<T>(body: () => T): T {
  const before = wanted;
  wanted = true;
  try {
    return body();
  } finally {
    wanted = before;
  }
}

/** For ops that add up slices: lets `gradient` carry what `squares` computes, for those who need it. */
export function noteSquares(gradient: Tensor, squares: () => Tensor): Tensor {
  if (!wanted) return gradient;
  tidy(() => {
    gradient.companion = alias(squares());
  });
  summed.add(gradient);
  return gradient;
}

/** The sums of squares of the slices that `gradient` is the sum of; null where it isn't known to be one. Freed with it. */
export function squaresOf(gradient: Tensor): Tensor | null {
  return summed.has(gradient) ? gradient.companion : null;
}
