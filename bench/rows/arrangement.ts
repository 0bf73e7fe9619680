/** @file Ops that move and order elements: transpose, concat, pad, running sums, sort, top k. */
import { concat, cumsum, pad, sort, topK, transpose } from 'retrograd';
import { type HostArray, normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type Matrix = readonly [rows: number, columns: number];

interface Arrangement extends Pick<Row, 'contenders'> {
  what: string;
  /** Shape of each input. */
  shapes: readonly Matrix[];
  shape: readonly number[];
  /** The correct value, where `value` reads from an input. */
  at(value: (input: number, i: number, j: number) => number, i: number, j: number): number;
}

const row = ({ what, shapes, shape, at, contenders }: Arrangement): Row => ({
  name: what,
  family: 'arrangement',
  inputs: () => shapes.map((given, i) => normal(given, 1 + i)),
  check: ([result], inputs) => {
    const value = (input: number, i: number, j: number) => {
      const { shape, values } = inputs[input] as HostArray;
      return values[i * (shape[1] as number) + j] as number;
    };
    return problem(result, { shape, at: (i, j) => at(value, i as number, j as number) });
  },
  contenders,
  work: { flops: 0, bytes: 4 * (sizeOf(shape) + shapes.reduce((sum, given) => sum + sizeOf(given), 0)) },
});

function transposed([m, n]: Matrix): Row {
  return row({
    what: `transpose ${m}×${n}`,
    shapes: [[m, n]],
    shape: [n, m],
    at: (value, i, j) => value(0, j, i),
    contenders: {
      retrograd: retrograd((x) => transpose(x)),
      tfjs: tfjs((tf, x) => tf.transpose(x)),
      jaxjs: jaxjs(({ numpy: np }, x) => np.transpose(x)),
      ort: ort((graph, x) => graph.node('Transpose', [x], { perm: [1, 0] }), { shapes: [[n, m]] }),
    },
  });
}

function joined([m, n]: Matrix): Row {
  const shape = [m, 2 * n];
  return row({
    what: `concat of two ${m}×${n}, axis 1`,
    shapes: [
      [m, n],
      [m, n],
    ],
    shape,
    at: (value, i, j) => (j < n ? value(0, i, j) : value(1, i, j - n)),
    contenders: {
      retrograd: retrograd((x, y) => concat([x, y], { axis: 1 })),
      tfjs: tfjs((tf, x, y) => tf.concat([x, y], 1)),
      jaxjs: jaxjs(({ numpy: np }, x, y) => np.concatenate([x, y], 1)),
      ort: ort((graph, x, y) => graph.node('Concat', [x, y], { axis: 1 }), { shapes: [shape] }),
    },
  });
}

function padded([m, n]: Matrix, by: number): Row {
  const shape = [m + 2 * by, n + 2 * by];
  const paddings: [number, number][] = [
    [by, by],
    [by, by],
  ];
  return row({
    what: `pad ${m}×${n} by ${by}`,
    shapes: [[m, n]],
    shape,
    at: (value, i, j) => (i < by || j < by || i >= m + by || j >= n + by ? 0 : value(0, i - by, j - by)),
    contenders: {
      retrograd: retrograd((x) => pad(x, { paddings })),
      tfjs: tfjs((tf, x) => tf.pad(x, paddings)),
      jaxjs: jaxjs(({ numpy: np }, x) => np.pad(x, paddings)),
      ort: ort((graph, x) => graph.node('Pad', [x, graph.integers([by, by, by, by])]), { shapes: [shape] }),
    },
  });
}

function summed(shape: Matrix): Row {
  return row({
    what: `cumsum ${shape.join('×')}, axis 1`,
    shapes: [shape],
    shape,
    at: (value, i, j) => Array.from({ length: j + 1 }, (_, k) => value(0, i, k)).reduce((a, b) => a + b),
    contenders: {
      retrograd: retrograd((x) => cumsum(x, { axis: 1 })),
      tfjs: tfjs((tf, x) => tf.cumsum(x, 1)),
      jaxjs: jaxjs(({ numpy: np }, x) => np.cumsum(x, 1)),
      ort: ort((graph, x) => graph.node('CumSum', [x, graph.integers([1], [])])),
    },
  });
}

/** Element j of a sorted row. */
const ordered =
  (n: number, compare: (a: number, b: number) => number): Arrangement['at'] =>
  (value, i, j) =>
    Array.from({ length: n }, (_, k) => value(0, i, k)).sort(compare)[j] as number;

function sorted(shape: Matrix): Row {
  return row({
    what: `sort ${shape.join('×')}`,
    shapes: [shape],
    shape,
    at: ordered(shape[1], (a, b) => a - b),
    contenders: {
      retrograd: retrograd((x) => sort(x)),
      tfjs: unable('no sort'),
      jaxjs: jaxjs(({ numpy: np }, x) => np.sort(x)),
      ort: unable('no sort'),
    },
  });
}

function largest([m, n]: Matrix, k: number): Row {
  const shape = [m, k];
  return row({
    what: `topK ${m}×${n}, k = ${k}`,
    shapes: [[m, n]],
    shape,
    at: ordered(n, (a, b) => b - a),
    contenders: {
      retrograd: retrograd((x) => topK(x, { k })),
      tfjs: tfjs((tf, x) => tf.topk(x, k).values),
      jaxjs: jaxjs((jax, x) => jax.lax.topK(x, k)),
      ort: ort((graph, x) => graph.nodes('TopK', [x, graph.integers([k])], {}, 2)[0]!, { shapes: [shape] }),
    },
  });
}

export const arrangementFamily: Family = {
  name: 'arrangement',
  rows: (adapter) => {
    const size: Matrix = adapter === 'gpu' ? [4096, 4000] : [1024, 1000];
    const lists: Matrix = adapter === 'gpu' ? [1024, 4096] : [64, 4096];
    return [transposed(size), joined(size), padded(size, 3), summed(size), sorted(lists), largest(lists, 8)];
  },
};
