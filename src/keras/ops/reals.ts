/** @file What keras.ops does with complex numbers, of the real ones that tensors hold; and saturateCast. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { onesLike, zerosLike } from '../../ops/creation/like.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { cast, type CastOptions } from '../../ops/elementwise/cast.ts';
import { less } from '../../ops/elementwise/comparison.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import type { Tensor } from '../../tensor/tensor.ts';

type OfOne = CompositeOp<[x: Tensor]>;

/* @__NO_SIDE_EFFECTS__ */
function ofOne(name: string, compose: (x: Tensor) => Tensor): OfOne {
  return defineComposite({ name, inputs: ['x'], options: {}, compose: ([x]) => compose(x) });
}

/** The real part: x itself. Any dtype. Shape: that of x. Errors: none for tensors. */
export const real: OfOne = /* @__PURE__ */ ofOne('real', (x) => identity(x));

/** The complex conjugate: x itself. Any dtype. Shape: that of x. Errors: none for tensors. */
export const conj: OfOne = /* @__PURE__ */ ofOne('conj', (x) => identity(x));

/** The imaginary part: zeros. Any dtype. Shape: that of x. Errors: none for tensors. */
export const imag: OfOne = /* @__PURE__ */ ofOne('imag', (x) => zerosLike(x));

/** Whether elements are real: all are. Bool. Shape: that of x. Errors: none for tensors. */
export const isReal: OfOne = /* @__PURE__ */ ofOne('isReal', (x) => onesLike(cast(x, 'bool')));

/** The angle from the positive axis: 0, and π of negative numbers. Floats, as of x if it has some. Shape: that of x. Errors: none for tensors. */
export const angle: OfOne = /* @__PURE__ */ ofOne('angle', (x) =>
  x.dtype === 'bool'
    ? zerosLike(cast(x, 'float32'))
    : mul(cast(less(x, 0), isFloating(x.dtype) ? x.dtype : 'float32'), Math.PI),
);

/** x as another dtype, whose nearest value numbers out of its range become. Shape: that of x. Errors: DTypeError. */
export const saturateCast: CompositeOp<[x: Tensor], CastOptions, Tensor, ['dtype']> =
  /* @__PURE__ */ defineComposite({
    name: 'saturateCast',
    inputs: ['x'],
    options: { dtype: true },
    compose: ([x], { dtype }) => saturated(x, dtype),
  });

/** Floats saturate when they are cast; integers that the other integer dtype lacks wrap around, so they are bounded first. */
function saturated(x: Tensor, dtype: DType): Tensor {
  if (x.dtype === 'int32' && dtype === 'uint32') return cast(maximum(x, 0), { dtype });
  if (x.dtype === 'uint32' && dtype === 'int32') return cast(minimum(x, 2 ** 31 - 1), { dtype });
  return cast(x, { dtype });
}
