/** @file Operations of graphs that find elements by indices, and the other way round. */
import {
  cast,
  expandDims,
  fill,
  gather,
  gatherNd,
  nonzero,
  less,
  lessEqual,
  max,
  oneHot,
  reshape,
  scatterNd,
  searchSorted,
  sub,
  add,
  mul,
  sum,
  tensorScatterUpdate,
  unique,
} from '../../ops/index.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Call, type GraphOp, type GraphOps, waiting } from '../call.ts';
import { hostValues } from '../hostValues.ts';

const gathered: GraphOp = {
  host: [2],
  onHost: ({ inputs: [x, indices] }) => {
    if (x?.shape.length !== 1 || !indices) return null;
    const found = indices.values.map((i) => x.values[i]);
    const isWithin = found.every((value) => value !== undefined);
    return isWithin ? hostValues(found as number[], indices.shape, x.dtype) : null;
  },
  run: (call) => {
    const batchDims = call.attributes.number('batch_dims', 0);
    return gather(call.tensor(0), call.tensor(1), { axis: call.count > 2 ? call.number(2) : 0, batchDims });
  },
};

/** Rows of indices into a tensor of one axis or more. */
const rowsOf = (indices: Tensor): Tensor => (indices.shape.length < 2 ? reshape(indices, [-1, 1]) : indices);

function oneHotOf(call: Call): Tensor {
  const [on, off] = [call.tensor(2), call.tensor(3)];
  const axis = call.attributes.number('axis', -1);
  const hot = cast(oneHot(call.tensor(0), { depth: call.number(1), axis }), on.dtype);
  return add(mul(hot, sub(on, off)), off);
}

/** How often each number occurs in a row, or the sum of its weights. Numbers beyond the last aren't counted. */
function counted(call: Call): Tensor {
  const [x, weights] = [call.tensor(0), call.tensor(2)];
  const depth = call.number(1);
  const hot = cast(oneHot(x, { depth }), weights.dtype);
  if (call.attributes.boolean('binary_output')) return max(hot, { axis: -2 });
  const isWeighted = weights.size > 0;
  return sum(isWeighted ? mul(hot, expandDims(weights, { axis: -1 })) : hot, { axis: -2 });
}

/** Where values belong in sorted rows: how many elements of the row are before each. */
const bound = (isBefore: (element: Tensor, value: Tensor) => Tensor): GraphOp => ({
  run: (call) => {
    const [rows, values] = [expandDims(call.tensor(0), { axis: 1 }), expandDims(call.tensor(1), { axis: 2 })];
    return sum(cast(isBefore(rows, values), 'int32'), { axis: 2 });
  },
});

export const indexing: GraphOps = {
  LowerBound: bound(less),
  UpperBound: bound(lessEqual),
  Bincount: { host: [1], run: counted },
  DenseBincount: { host: [1], run: counted },
  Bucketize: {
    run: (call) => {
      const borders = tensor(call.attributes.numbers('boundaries'));
      return searchSorted(borders, cast(call.tensor(0), 'float32'), { side: 'right' });
    },
  },
  Gather: { ...gathered, host: [] },
  GatherV2: gathered,
  GatherNd: { run: (call) => gatherNd(call.tensor(0), call.tensor(1)) },
  ScatterNd: {
    host: [2],
    run: (call) => scatterNd(call.tensor(0), call.tensor(1), { shape: [...call.numbers(2)] }),
  },
  TensorScatterUpdate: {
    run: (call) => tensorScatterUpdate(call.tensor(0), call.tensor(1), call.tensor(2)),
  },
  SparseToDense: {
    host: [1, 3],
    run: (call) => {
      const values = call.tensor(2);
      const dense = fill([...call.numbers(1)], call.number(3), values.dtype);
      const rows = rowsOf(call.tensor(0));
      const updates = values.shape.length === 0 ? expandDims(values, { axis: 0 }) : values;
      return tensorScatterUpdate(dense, rows, updates);
    },
  },
  OneHot: { host: [1], run: oneHotOf },
  Where: waiting((call) => nonzero(call.tensor(0))),
  Unique: waiting((call) => unique(call.tensor(0))),
};
