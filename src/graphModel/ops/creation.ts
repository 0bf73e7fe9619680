/** @file Operations of graphs that make tensors. */
import {
  broadcastTo,
  linspace,
  onesLike,
  randomNormal,
  randomUniform,
  range,
  truncatedNormal,
  zerosLike,
} from '../../ops/index.ts';
import { sizeOf } from '../../core/shape.ts';
import type { GraphOps } from '../call.ts';
import { hostValues, isShape, maxHostValues } from '../hostValues.ts';

export const creation: GraphOps = {
  Fill: {
    host: [0],
    onHost: ({ inputs: [dims, value] }) => {
      if (!dims || value?.values.length !== 1 || !isShape(dims.values)) return null;
      const count = sizeOf(dims.values);
      if (count > maxHostValues) return null;
      return hostValues(new Array(count).fill(value.values[0]), dims.values, value.dtype);
    },
    run: (call) => broadcastTo(call.tensor(1), { shape: [...call.numbers(0)] }),
  },
  Range: {
    host: [0, 1, 2],
    onHost: ({ inputs: [start, stop, step] }) => {
      const [from, to, by] = [start, stop, step].map((input) => input?.values[0]);
      if (!start || from === undefined || to === undefined || by === undefined || by === 0) return null;
      const count = Math.max(0, Math.ceil((to - from) / by));
      if (!(count <= maxHostValues)) return null;
      const values = Array.from({ length: count }, (_, i) => from + i * by);
      return hostValues(values, [count], start.dtype);
    },
    run: (call) => range(call.number(0), call.number(1), { step: call.number(2), dtype: call.dtype(0) }),
  },
  LinSpace: {
    host: [0, 1, 2],
    run: (call) => linspace(call.number(0), call.number(1), call.number(2)),
  },
  ZerosLike: {
    onHost: ({ inputs: [x] }) =>
      x
        ? hostValues(
            x.values.map(() => 0),
            x.shape,
            x.dtype,
          )
        : null,
    run: (call) => zerosLike(call.tensor(0)),
  },
  OnesLike: {
    onHost: ({ inputs: [x] }) =>
      x
        ? hostValues(
            x.values.map(() => 1),
            x.shape,
            x.dtype,
          )
        : null,
    run: (call) => onesLike(call.tensor(0)),
  },
  BroadcastArgs: {
    host: [0, 1],
    run: (call) => {
      const [a, b] = [call.numbers(0), call.numbers(1)];
      const rank = Math.max(a.length, b.length);
      const sizes = Array.from({ length: rank }, (_, i) => {
        const [left, right] = [a.at(i - rank) ?? 1, b.at(i - rank) ?? 1];
        if (left !== right && left !== 1 && right !== 1)
          throw call.unsupported(
            `sizes ${left} and ${right} on one axis`,
            'pass shapes of which one is broadcast to the other.',
          );
        return left === 1 ? right : left;
      });
      return hostValues(sizes, [rank], 'int32');
    },
  },
  RandomUniform: { host: [0], run: (call) => randomUniform([...call.numbers(0)]) },
  TruncatedNormal: { host: [0], run: (call) => truncatedNormal([...call.numbers(0)]) },
  RandomStandardNormal: { host: [0], run: (call) => randomNormal([...call.numbers(0)]) },
};
