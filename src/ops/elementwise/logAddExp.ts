/** @file logAddExp */
import * as math from '../../kernels/elementwise/math.ts';
import { sigmoid } from '../activations/activations.ts';
import { mul, sub } from './arithmetic.ts';
import { defineBinary, type FloatBinaryOp } from './elementwise.ts';

/** The distance of a and b: 0 where both are the same infinity. */
const distance = 'select(abs(a - b), 0.0, a == b)';

/**
 * log(exp x + exp y), without overflow. float32. Shapes broadcast. The gradients are the shares of exp x and exp y in their sum.
 * Errors: ShapeError where they don't, DTypeError for integers and bools.
 */
export const logAddExp: FloatBinaryOp = /* @__PURE__ */ defineBinary({
  name: 'logAddExp',
  expression: () => `max(a, b) + ${math.softplus(`-${distance}`)}`,
  dtypes: ['float32'],
  gradient: (dy, x, y, needs) => [
    needs[0] ? mul(dy, sigmoid(sub(x, y))) : null,
    needs[1] ? mul(dy, sigmoid(sub(y, x))) : null,
  ],
});
