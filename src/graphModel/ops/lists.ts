/** @file Operations of graphs on lists of tensors: TensorArray, which is written in place, and TensorList, which isn't. */
import { concat, split, stack, unstack, zeros } from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call, GraphOp, GraphOps } from '../call.ts';
import { hostValues, integer, integers } from '../hostValues.ts';
import { TensorList } from '../tensorList.ts';

/** What orders reads and writes of a TensorArray; it has no meaning. */
const flow = hostValues([0], [], 'float32');

/** A tensor of a list; zeros in place of one that wasn't written, of a shape that input `shapeAt` has. */
function itemOf(call: Call, list: TensorList, index: number, shapeAt?: number): Tensor {
  const item = list.get(index);
  if (item) return item;
  const sizes = shapeAt === undefined ? null : call.numbers(shapeAt);
  if (sizes?.every((size) => size >= 0)) return zeros([...sizes]);
  throw call.unsupported(`a read of number ${index}, which wasn't written`, 'write each before it is read.');
}

const itemsOf = (call: Call, list: TensorList, indices: readonly number[], shapeAt?: number): Tensor[] =>
  indices.map((index) => itemOf(call, list, index, shapeAt));

const allOf = (list: TensorList): number[] => Array.from({ length: list.length }, (_, i) => i);

function joined(call: Call): [Tensor, ReturnType<typeof integers>] {
  const list = call.list(0);
  const items = itemsOf(call, list, allOf(list));
  return [concat(items, { axis: 0 }), integers(items.map(({ shape }) => shape[0] ?? 1))];
}

function scattered(call: Call, list: TensorList, indices: readonly number[], values: Tensor): void {
  const parts = unstack(values, { axis: 0 });
  if (parts.length !== indices.length)
    throw call.unsupported(
      `${indices.length} indices for ${parts.length} rows`,
      'the file may be damaged: convert the model again.',
    );
  for (const [i, index] of indices.entries()) list.set(index, parts[i] as Tensor);
}

/** A list with the rows of the first input at the places of the second. */
function scatteredList(call: Call, length: number): TensorList {
  const indices = call.numbers(1);
  const list = new TensorList(indices.reduce((longest, index) => Math.max(longest, index + 1), length));
  try {
    scattered(call, list, indices, call.tensor(0));
    return list;
  } catch (error) {
    list.dispose();
    throw error;
  }
}

/** Parts of a tensor along its first axis, of these lengths. */
const partsOf = (x: Tensor, lengths: readonly number[]): Tensor[] =>
  split(x, { numOrSizeSplits: [...lengths], axis: 0 });

const copied: GraphOp = { run: (call) => TensorList.of(unstack(call.tensor(0), { axis: 0 })) };

export const lists: GraphOps = {
  TensorArrayV3: { host: [0], run: (call) => [new TensorList(call.number(0)), flow] },
  TensorArrayReadV3: { host: [1], run: (call) => itemOf(call, call.list(0), call.number(1)) },
  TensorArrayWriteV3: {
    host: [1],
    run: (call) => {
      call.list(0).set(call.number(1), call.tensor(2));
      return flow;
    },
  },
  TensorArrayGatherV3: {
    host: [1],
    run: (call) => stack(itemsOf(call, call.list(0), call.numbers(1)), { axis: 0 }),
  },
  TensorArrayScatterV3: {
    host: [1],
    run: (call) => {
      scattered(call, call.list(0), call.numbers(1), call.tensor(2));
      return flow;
    },
  },
  TensorArraySplitV3: {
    host: [2],
    run: (call) => {
      for (const [i, part] of partsOf(call.tensor(1), call.numbers(2)).entries()) call.list(0).set(i, part);
      return flow;
    },
  },
  TensorArrayConcatV3: { run: joined },
  TensorArraySizeV3: { run: (call) => integer(call.list(0).length) },
  TensorArrayCloseV3: { run: () => [] },
  TensorListReserve: { host: [1], run: (call) => new TensorList(call.number(1)) },
  EmptyTensorList: { run: () => new TensorList(0) },
  TensorListFromTensor: copied,
  TensorListGetItem: { host: [1, 2], run: (call) => itemOf(call, call.list(0), call.number(1), 2) },
  TensorListSetItem: {
    host: [1],
    run: (call) => {
      const [from, index, item] = [call.list(0), call.number(1), call.tensor(2)];
      return from.with(index, item);
    },
  },
  TensorListStack: {
    host: [1],
    run: (call) => {
      const list = call.list(0);
      return stack(itemsOf(call, list, allOf(list), 1), { axis: 0 });
    },
  },
  TensorListGather: {
    host: [1, 2],
    run: (call) => stack(itemsOf(call, call.list(0), call.numbers(1), 2), { axis: 0 }),
  },
  TensorListScatter: { host: [1], run: (call) => scatteredList(call, 0) },
  TensorListScatterV2: { host: [1, 3], run: (call) => scatteredList(call, call.number(3)) },
  TensorListSplit: { host: [2], run: (call) => TensorList.of(partsOf(call.tensor(0), call.numbers(2))) },
  TensorListResize: {
    host: [1],
    run: (call) => call.list(0).copy(call.number(1)),
  },
  TensorListConcat: { run: joined },
  TensorListConcatV2: { run: joined },
  TensorListLength: { run: (call) => integer(call.list(0).length) },
  TensorListPushBack: {
    run: (call) => {
      const [from, item] = [call.list(0), call.tensor(1)];
      return from.with(from.length, item);
    },
  },
  TensorListPopBack: {
    host: [1],
    run: (call) => {
      const list = call.list(0);
      const last = itemOf(call, list, list.length - 1, 1);
      return [list.copy(list.length - 1), last];
    },
  },
};
