/** @file meshgrid */
import { requireOneOf, requireRank } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { reshape } from './reshape.ts';
import { broadcastTo } from '../reductions/sum.ts';

export interface MeshgridOptions {
  /** 'xy' (default): the first vector runs along the columns, the second along the rows; 'ij': along axis 0, 1, … */
  indexing?: 'xy' | 'ij';
}

/**
 * Coordinates on a grid: one tensor for each vector, all of the grid's shape, [n1, n0, n2, …] for 'xy' and [n0, n1, n2, …]
 * for 'ij'. Any dtype. As NumPy's meshgrid.
 * Errors: ShapeError for other ranks than 1, ValueError for the option.
 */
export const meshgrid: CompositeOp<[vectors: Tensor[]], MeshgridOptions, Tensor[], ['indexing']> =
  /* @__PURE__ */ defineComposite({
    name: 'meshgrid',
    inputs: ['...vectors'],
    options: { indexing: true },
    compose: (vectors, { indexing = 'xy' }) => {
      requireOneOf('meshgrid', 'indexing', indexing, ['xy', 'ij']);
      for (const vector of vectors) requireRank('meshgrid', 'vectors', vector.shape, 1);
      const axisOf = (i: number) => (indexing === 'xy' && i < 2 && vectors.length > 1 ? 1 - i : i);
      const shape = new Array<number>(vectors.length);
      vectors.forEach((vector, i) => {
        shape[axisOf(i)] = vector.shape[0] as number;
      });
      return vectors.map((vector, i) => {
        const own = shape.map((n, axis) => (axis === axisOf(i) ? n : 1));
        return broadcastTo(reshape(vector, { shape: own }), { shape });
      });
    },
  });
