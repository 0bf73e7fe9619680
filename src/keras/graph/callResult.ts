/** @file Checks the results of a layer's `call` and `computeOutputShape`. */
import { describe } from '../../core/describe.ts';
import { RetrogradError, ShapeError } from '../../core/errors.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Errors: RetrogradError for anything but tensors and symbolic tensors. */
export function requireResult(layer: string, output: unknown): void {
  if (output instanceof Tensor || isSymbolic(output)) return;
  throw new RetrogradError({
    op: layer,
    rule: '`call` must return tensors.',
    received: describe(output),
    hint:
      output instanceof Promise
        ? 'write `call` without async and await: nothing in it waits for values.'
        : 'return the result of an op, or arrays or records of such results.',
  });
}

/** Errors: ShapeError for anything but a shape, or arrays or records of shapes. */
export function requireShapes(layer: string, given: unknown, method: string, does: string): void {
  if (areShapes(given)) return;
  throw new ShapeError({
    op: layer,
    rule: `\`${method}\` ${does}: sizes, with null where one is open.`,
    received: describe(given),
    hint: 'it is a list such as [null, 8], or arrays or records of such lists.',
  });
}

/** Returns whether `given` is a shape, or a nest of shapes. */
export function areShapes(given: unknown): boolean {
  if (!Array.isArray(given))
    return typeof given === 'object' && given !== null && Object.values(given).every(areShapes);
  return given.every(isOpenSize) || given.every(areShapes);
}

function isOpenSize(n: unknown): boolean {
  return n === null || (Number.isInteger(n) && (n as number) >= 0);
}
