/**
 * @file Tensors that `build` makes, such as tables and masks. They live as long as the layer, wherever it keeps them: in a
 * property, an array, a #private field or a closure. The garbage collector frees those that nothing keeps.
 */
import { untraced } from '../../../execution/currentExecutor.ts';
import { detached } from '../../../ops/define/recorders.ts';
import { collecting, keep } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { findInProperties } from './findInProperties.ts';

/** Tensors made by any `build`: a layer that is disposed of frees these, and none that it was given. */
const built = new WeakSet<object>();

/**
 * Runs `build` of `layer` outside of all scopes, calls, tapes and captures, and takes out of them what its constructor made inside one. If `build`
 * fails, what it made is freed.
 */
export function keepingBuilt(layer: object, build: () => void): void {
  for (const tensor of untraced(() => detached(() => collecting(build)))) {
    built.add(tensor);
    tensor.watchDrop();
  }
  for (const tensor of tensorsOf(layer)) keep(tensor);
}

/** Frees the tensors in the properties of `layer` that were made by a `build`. */
export function freeBuilt(layer: object): void {
  for (const tensor of tensorsOf(layer)) if (built.has(tensor)) tensor.dispose();
}

function tensorsOf(layer: object): Tensor[] {
  return findInProperties(
    layer,
    (value): value is Tensor => value instanceof Tensor && !(value instanceof Variable),
  );
}
