/** @file embedding */
import { requireRank } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { gatherGradient, gatherRows, gatherSpec } from './gather.ts';
import { noteSquares } from './slices.ts';
import { square } from './unary.ts';
import type { IndexOptions } from './indices.ts';

/**
 * The rows of `table` [n, width] that `ids` (int32 or uint32, any rank) name → [..ids, width]. A gather along axis 0,
 * with its errors and its gradient.
 */
export const embedding: Op<[table: Tensor, ids: Tensor], IndexOptions, Tensor> = /* @__PURE__ */ defineOp<
  [table: Tensor, ids: Tensor],
  IndexOptions
>({
  name: 'embedding',
  inputs: ['table', 'ids:int32'],
  acceptsFloat16: true,
  infer: ([table, ids], options) => {
    requireRank('embedding', 'table', (table as TensorSpec).shape, 2);
    return gatherSpec('embedding', 'table', table as TensorSpec, ids as TensorSpec, tableOptions(options));
  },
  forward: ([table, ids], options, call) =>
    gatherRows(call, { x: 'table', indices: 'ids' }, table as Tensor, ids as Tensor, tableOptions(options)),
  backward: ([dy], { inputs: [, ids], inputSpecs: [table] }, options) => {
    const addUp = (slices: Tensor) =>
      gatherGradient(slices, table as TensorSpec, ids as Tensor, tableOptions(options));
    return [noteSquares(addUp(dy as Tensor), () => addUp(square(dy as Tensor))), null];
  },
  save: { inputs: [1] },
  cost: noFlops,
});

const tableOptions = ({ validateIndices, mode }: IndexOptions): IndexOptions => ({
  ...(validateIndices === undefined ? {} : { validateIndices }),
  ...(mode === undefined ? {} : { mode }),
});
