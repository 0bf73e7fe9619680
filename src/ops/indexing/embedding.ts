/** @file embedding */
import { requireRank } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { gatherGradient, gatherRows, gatherTarget, planGather } from './gather.ts';
import type { IndexOptions } from '../define/indices.ts';

const names = { x: 'table', indices: 'ids' };

/**
 * The rows of `table` [n, width] selected by `ids` (int32 or uint32, any rank) → [..ids, width]. A gather along axis 0,
 * with its errors and its gradient.
 * Errors: IndexOutOfRangeError as for `gather`; ShapeError for a table that isn’t a matrix; DTypeError for other ids.
 */
export const embedding: Op<[table: Tensor, ids: Tensor], IndexOptions, Tensor, 'first'> =
  /* @__PURE__ */ defineOp({
    name: 'embedding',
    inputs: ['table', 'ids:int32'],
    options: { validateIndices: false, mode: false },
    acceptsFloat16: [0],
    save: { inputs: [1] },
    infer: ([table, ids], { validateIndices, mode }) => {
      requireRank('embedding', 'table', table.shape, 2);
      return planGather('embedding', 'table', table, ids, { validateIndices, mode });
    },
    indexTarget: ([table], plan) => gatherTarget(names, table, plan),
    forward: ([table, ids], plan, call) => gatherRows(call, names, table, ids, plan),
    backward: ([dy], { inputs: [, ids], inputSpecs: [table], plan }) => [
      gatherGradient(dy, table, ids, plan),
      null,
    ],
    cost: noFlops,
  });
