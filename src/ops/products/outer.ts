/** @file outer, tensordot: products of axes. */
import { describe } from '../../core/describe.ts';
import { ShapeError } from '../../core/errors.ts';
import { axesInOrder, formatShape, sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { matMul } from './matMul.ts';
import { reshape } from '../arrangement/reshape.ts';
import { transpose } from '../arrangement/transpose.ts';

export interface TensordotOptions {
  /** How many axes are summed over, the last of a and the first of b; or the axes themselves, [ofA, ofB]. Default 2. */
  axes?: number | readonly [a: number | readonly number[], b: number | readonly number[]];
}

/**
 * The products of each element of `a` with each of `b`, both flattened. Shapes: a, b → [size of a, size of b]. Dtypes
 * promote, as for `mul`. Like NumPy's outer.
 * Errors: DTypeError for int32 with uint32.
 */
export const outer: CompositeOp<[a: Tensor, b: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'outer',
  inputs: ['a', 'b'],
  options: {},
  compose: ([a, b]) => mul(reshape(a, { shape: [-1, 1] }), reshape(b, { shape: [-1] })),
});

/**
 * The sum of products over some axes of `a` and `b`. Shape: the other axes of a, then those of b. Dtypes as for `matMul`,
 * whose kernels it uses. Like NumPy's tensordot.
 * Errors: ShapeError for axes that a tensor lacks, or whose sizes differ.
 */
export const tensordot: CompositeOp<[a: Tensor, b: Tensor], TensordotOptions, Tensor, ['axes']> =
  /* @__PURE__ */ defineComposite({
    name: 'tensordot',
    inputs: ['a', 'b'],
    options: { axes: true },
    compose: ([a, b], { axes = 2 }) => {
      const [ofA, ofB] = contractedAxes(a, b, axes);
      const freeA = a.shape.map((_, i) => i).filter((i) => !ofA.includes(i));
      const freeB = b.shape.map((_, i) => i).filter((i) => !ofB.includes(i));
      const sizes = (x: Tensor, list: readonly number[]) => list.map((i) => x.shape[i] as number);
      const k = sizeOf(sizes(a, ofA));
      const rows = reshape(transpose(a, { perm: [...freeA, ...ofA] }), {
        shape: [sizeOf(sizes(a, freeA)), k],
      });
      const columns = reshape(transpose(b, { perm: [...ofB, ...freeB] }), {
        shape: [k, sizeOf(sizes(b, freeB))],
      });
      return reshape(matMul(rows, columns), { shape: [...sizes(a, freeA), ...sizes(b, freeB)] });
    },
  });

function contractedAxes(a: Tensor, b: Tensor, axes: TensordotOptions['axes']): [number[], number[]] {
  const lists = axesOf(a, b, axes);
  const [ofA, ofB] = lists;
  const fits =
    ofA.length === ofB.length && ofA.every((axis, i) => a.shape[axis] === b.shape[ofB[i] as number]);
  if (fits) return lists;
  throw new ShapeError({
    op: 'tensordot',
    rule: 'the axes that are summed over must have the same sizes in both tensors.',
    received: `axes: ${describe(axes)} of a ${formatShape(a.shape)} and b ${formatShape(b.shape)}`,
    hint: 'pass the axes themselves: { axes: [[…of a], […of b]] }.',
  });
}

function axesOf(a: Tensor, b: Tensor, axes: TensordotOptions['axes']): [number[], number[]] {
  if (typeof axes === 'number' && Number.isInteger(axes) && axes >= 0) {
    if (axes <= Math.min(a.shape.length, b.shape.length)) {
      const count = Array.from({ length: axes }, (_, i) => i);
      return [count.map((i) => a.shape.length - axes + i), count];
    }
  } else if (Array.isArray(axes) && axes.length === 2) {
    const listOf = (x: Tensor, given: unknown) => axesInOrder('tensordot', given, x.shape.length, 'axes');
    return [listOf(a, axes[0]), listOf(b, axes[1])];
  }
  throw new ShapeError({
    op: 'tensordot',
    rule: '`axes` must be a number of axes that both tensors have, or a pair of lists of axes.',
    received: `axes: ${describe(axes)} of a ${formatShape(a.shape)} and b ${formatShape(b.shape)}`,
    hint: 'for a matrix product pass axes: 1.',
  });
}
