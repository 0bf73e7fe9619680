/** @file Elementwise ops whose dtype in Keras also depends on options, or which do something else with booleans. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { bitwiseNot as invertedBits } from '../../ops/elementwise/bitwise.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip as libraryClip, type ClipOptions } from '../../ops/elementwise/clip.ts';
import { logicalNot } from '../../ops/elementwise/logical.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { hostDType } from './promotion.ts';

/**
 * The library's `clip`, of any dtype: booleans become int32, and integers floats if a bound is a fraction. Shape and errors: as there.
 */
export const clip: CompositeOp<[x: Tensor], ClipOptions, Tensor, ['min', 'max']> =
  /* @__PURE__ */ defineComposite({
    name: 'clip',
    inputs: ['x'],
    options: { min: true, max: true },
    compose: ([x], bounds) => libraryClip(cast(x, { dtype: clippedDType(x.dtype, bounds) }), bounds),
  });

function clippedDType(dtype: DType, { min = 0, max = 0 }: ClipOptions): DType {
  if (isFloating(dtype)) return dtype;
  // An infinite bound is none.
  const isFraction = (bound: number) => Number.isFinite(bound) && hostDType(bound) === undefined;
  if (isFraction(min) || isFraction(max)) return 'float32';
  return dtype === 'bool' ? 'int32' : dtype;
}

/** The library's `bitwiseNot`; of booleans, their negation. Shape: that of x. Errors: DTypeError for floats. */
export const bitwiseNot: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'bitwiseNot',
  inputs: ['x'],
  options: {},
  backward: null,
  compose: ([x]) => (x.dtype === 'bool' ? logicalNot(x) : invertedBits(x)),
});
