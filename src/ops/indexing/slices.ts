/**
 * @file Gradients that are sums of slices. A row of a table that is read several times gets one gradient, the sum of all
 * contributions. Keras's optimizers (with TensorFlow, by IndexedSlices) see the contributions separately: they clip each of them,
 * and square each of them. To reproduce that, request the slices while gradients are computed; they come with the gradient.
 */
import { registerAmbient } from '../define/ambient.ts';
import { add } from '../elementwise/arithmetic.ts';
import { tidy } from '../../tensor/scope.ts';
import { alias, type Tensor } from '../../tensor/tensor.ts';

/** Sums slices at `ids`, in the shape of the gradient. */
type AddUp = (values: Tensor, ids: Tensor) => Tensor;

/** Slices that one op summed. */
interface Part {
  readonly values: Tensor;
  readonly ids: Tensor;
  readonly addUp: AddUp;
}

let wanted = false;

registerAmbient(() => (wanted ? ', with slices' : ''));

/** Gradients with slices. Their tensors are attached to the gradient, and freed with it. */
const slicesIn = new WeakMap<Tensor, readonly Part[]>();

/** Runs `body`, which computes gradients, with their slices. */
export function withSlices<T>(body: () => T): T {
  const before = wanted;
  wanted = true;
  try {
    return body();
  } finally {
    wanted = before;
  }
}

/** For ops that sum slices into `gradient`: attaches them, if requested. Returns the gradient. */
export function noteSlices(gradient: Tensor, values: Tensor, ids: Tensor, addUp: AddUp): Tensor {
  return wanted ? attach(gradient, [{ values, ids, addUp }]) : gradient;
}

/** Attaches to `total` the slices of the gradients that were added, if each of them is a sum of slices. Returns `total`. */
export function joinSlices(total: Tensor, gradients: readonly Tensor[]): Tensor {
  if (!wanted) return total;
  const parts = gradients.map((gradient) => slicesIn.get(gradient));
  return parts.every((part) => part !== undefined) ? attach(total, parts.flat()) : total;
}

/** Attaches to `changed` the slices of `gradient`, each changed by `change`. Returns `changed`. */
export function changeSlices(changed: Tensor, gradient: Tensor, change: (values: Tensor) => Tensor): Tensor {
  const parts = slicesIn.get(gradient);
  if (!parts) return changed;
  return attach(
    changed,
    parts.map(({ values, ...rest }) => ({ ...rest, values: change(values) })),
  );
}

/** Returns whether `gradient` comes with slices. */
export function hasSlices(gradient: Tensor): boolean {
  return slicesIn.has(gradient);
}

/** Returns the sum of the slices of `gradient`, each changed by `change`. Call it only for gradients with slices. */
export function sumOfSlices(gradient: Tensor, change: (values: Tensor) => Tensor): Tensor {
  const parts = slicesIn.get(gradient) as readonly Part[];
  return tidy(() =>
    parts.map(({ values, ids, addUp }) => addUp(change(values), ids)).reduce((a, b) => add(a, b)),
  );
}

/** Tensors can have one attachment, so each is attached to the one before it. */
function attach(gradient: Tensor, parts: readonly Part[]): Tensor {
  const owned = parts.map(({ values, ids, addUp }) => ({ values: alias(values), ids: alias(ids), addUp }));
  let last = gradient;
  for (const next of owned.flatMap(({ values, ids }) => [values, ids])) {
    last.attachment = next;
    last = next;
  }
  slicesIn.set(gradient, owned);
  return gradient;
}
