/** @file Ops of complex tensors, whose parts may also come as the one pair that `fft` and its relatives return. */
import { isPlainObject } from '../../core/options.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { CompositeOp } from '../define/composite.ts';
import type { Results } from '../define/definition.ts';
import type { TensorLike } from '../define/operands.ts';
import { isAbstract, type SymbolicTensor } from '../define/recorders.ts';

type Parts = [real: Tensor, imaginary: Tensor];
type Symbolic<R extends Results> = R extends Tensor ? SymbolicTensor : [SymbolicTensor, SymbolicTensor];

/** An op of a complex tensor: of its parts, `ifft(re, im)`, or of a pair, `ifft(fft(re, im))`. */
export interface ComplexOp<O extends object, R extends Results, P extends readonly string[] = []>
  extends CompositeOp<Parts, O, R, P> {
  (pair: readonly [real: TensorLike, imaginary: TensorLike], options?: O): R;
  (
    pair: readonly [real: TensorLike | SymbolicTensor, imaginary: TensorLike | SymbolicTensor],
    options?: O,
  ): Symbolic<R>;
}

/** Makes `op` take a pair as well. */
/* @__NO_SIDE_EFFECTS__ */
export function takingPairs<O extends object, R extends Results, P extends readonly string[]>(
  op: CompositeOp<Parts, O, R, P>,
): ComplexOp<O, R, P> {
  const call = op as unknown as (...args: readonly unknown[]) => R;
  const either = (first: unknown, ...rest: unknown[]): R =>
    isPair(first, rest) ? call(...first, ...rest) : call(first, ...rest);
  return Object.assign(either, { definition: op.definition }) as unknown as ComplexOp<O, R, P>;
}

/** Whether `first` is a pair. A real part of two rows, too, may be a list of two. */
function isPair(first: unknown, rest: readonly unknown[]): first is readonly [unknown, unknown] {
  if (!Array.isArray(first) || first.length !== 2) return false;
  const isTensor = (part: unknown) => part instanceof Tensor || isAbstract(part);
  return rest.length === 0 || isPlainObject(rest[0]) || first.some(isTensor);
}
