/** @file gaussianBlur: one depthwise convolution down, one across. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireRank, sameShape } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div, mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { depthwiseConv2d } from '../convolution/depthwiseConv2d.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { broadcastTo, sum } from '../reductions/sum.ts';
import { exp, square } from '../elementwise/unary.ts';
import { unstack } from '../arrangement/unstack.ts';

export interface GaussianBlurOptions {
  /** Height and width of the window. Default 3. */
  kernelSize?: number | readonly number[];
}

/**
 * Images blurred by a Gaussian window whose weights add up to one; pixels beyond the edge are zeros. float32. Shapes: images
 * [n, h, w, c], sigma [2]: the standard deviations down and across, in pixels → the same as images. Differentiable in both.
 * Errors: ShapeError for other shapes, ValueError for a size that isn't one, DTypeError.
 */
export const gaussianBlur: CompositeOp<
  [images: Tensor, sigma: Tensor],
  GaussianBlurOptions,
  Tensor,
  ['kernelSize']
> = /* @__PURE__ */ defineComposite({
  name: 'gaussianBlur',
  acceptsFloat16: false,
  inputs: ['images', 'sigma'],
  options: { kernelSize: true },
  compose: ([images, sigma], { kernelSize = 3 }) => {
    const op = 'gaussianBlur';
    requireRank(op, 'images', images.shape, 4);
    requireDType(op, 'images', images.dtype, ['float32']);
    requireDType(op, 'sigma', sigma.dtype, ['float32']);
    if (!sameShape(sigma.shape, [2])) throw noPair(sigma);
    const [rows, columns] = perAxis(op, 'kernelSize', kernelSize, 2);
    const [down, across] = unstack(sigma) as [Tensor, Tensor];
    return windowed(images, bell(rows, down), bell(columns, across));
  },
});

/** The values of a Gaussian of deviation `sigma` (a scalar) at `size` pixels around its centre. */
export function bell(size: number, sigma: Tensor): Tensor {
  const distance = div(range(-(size - 1) / 2, size / 2), sigma);
  return exp(mul(square(distance), -0.5));
}

/** Images filtered by a separable window: two vectors of weights, which are normalized here. */
export function windowed(images: Tensor, down: Tensor, across: Tensor): Tensor {
  const channels = images.shape[3] as number;
  const alongAxis = (x: Tensor, weights: Tensor, size: readonly [number, number]) => {
    const kernel = reshape(div(weights, sum(weights)), { shape: [...size, 1, 1] });
    return depthwiseConv2d(x, broadcastTo(kernel, { shape: [...size, channels, 1] }), { padding: 'same' });
  };
  return alongAxis(alongAxis(images, down, [down.size, 1]), across, [1, across.size]);
}

function noPair(sigma: Tensor): ShapeError {
  return new ShapeError({
    op: 'gaussianBlur',
    rule: '`sigma` holds the standard deviations down and across: [2].',
    received: `sigma ${formatShape(sigma.shape)}`,
    hint: 'pass [1, 1].',
  });
}
