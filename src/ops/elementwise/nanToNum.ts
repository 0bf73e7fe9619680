/** @file nanToNum */
import { isFloating } from '../../core/dtype.ts';
import { requireNumber } from '../../core/integers.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { equal } from './comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { identity } from '../arrangement/identity.ts';
import { isNaN as isNaNOf } from './predicates.ts';
import { where } from './where.ts';

export interface NanToNumOptions {
  /** Replaces NaN. Default 0. */
  nan?: number;
  /** Replaces Infinity. Default: the largest float32. */
  posInf?: number;
  /** Replaces -Infinity. Default: the lowest float32. */
  negInf?: number;
}

const largest = 3.4028234663852886e38;

/**
 * `x` with NaN and infinities replaced by numbers, like NumPy's nan_to_num. float32; integers and
 * bools hold neither. The gradient is 0 where a value was replaced.
 * Errors: ValueError for options that aren't numbers.
 * Shape: that of x.
 */
export const nanToNum: CompositeOp<[x: Tensor], NanToNumOptions, Tensor, ['nan', 'posInf', 'negInf']> =
  /* @__PURE__ */ defineComposite({
    name: 'nanToNum',
    inputs: ['x'],
    options: { nan: true, posInf: true, negInf: true },
    compose: ([x], { nan = 0, posInf = largest, negInf = -largest }) => {
      for (const [name, value] of Object.entries({ nan, posInf, negInf })) {
        requireNumber('nanToNum', name, value, 'float32');
      }
      if (!isFloating(x.dtype)) return identity(x);
      const bounded = where(equal(x, Number.POSITIVE_INFINITY), posInf, x);
      return where(isNaNOf(x), nan, where(equal(x, Number.NEGATIVE_INFINITY), negInf, bounded));
    },
  });
