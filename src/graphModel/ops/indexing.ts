/** @file Operations of graphs that find elements by indices, and the other way round. */
import {
  cast,
  expandDims,
  fill,
  gather,
  gatherNd,
  nonzero,
  oneHot,
  reshape,
  scatterNd,
  sub,
  add,
  mul,
  tensorScatterUpdate,
  unique,
} from '../../ops/index.ts';
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

export const indexing: GraphOps = {
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
