/** @file Softmax, layer normalization, and reductions along each axis. */
import { layerNorm, max, mean, rmsNorm, softmax, sum } from 'retrograd';
import { type HostArray, normal, sizeOf } from '../host.ts';
import { unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

type Values = HostArray['values'];

/** Some of the rows of x [rows, n], each as float64. */
const rowOf = (x: Values, row: number, n: number) => Float64Array.from(x.subarray(row * n, (row + 1) * n));

function softmaxRow(rows: number, n: number): Row {
  const shape = [rows, n];
  return {
    name: `softmax ${rows}×${n}`,
    family: 'normalization',
    inputs: () => [normal(shape, 1, 2)],
    check: ([result], [x]) =>
      problem(result, {
        shape,
        at(...[row, j]) {
          const line = rowOf(x?.values as Values, row as number, n);
          const largest = line.reduce((a, b) => Math.max(a, b));
          const total = line.reduce((all, v) => all + Math.exp(v - largest), 0);
          return Math.exp((line[j as number] as number) - largest) / total;
        },
      }),
    contenders: {
      retrograd: retrograd((x) => softmax(x)),
      tfjs: tfjs((tf, x) => tf.softmax(x)),
      jaxjs: jaxjs((jax, x) => jax.nn.softmax(x, -1)),
      ort: ort((graph, x) => graph.node('Softmax', [x], { axis: -1 })),
    },
    work: { flops: 5 * rows * n, bytes: 8 * rows * n },
  };
}

const epsilon = 1e-3;

function layerNormRow(rows: number, n: number): Row {
  const shape = [rows, n];
  return {
    name: `layerNorm ${rows}×${n}`,
    family: 'normalization',
    inputs: () => [normal(shape, 1, 2), normal([n], 2), normal([n], 3)],
    check: ([result], [x, gamma, beta]) =>
      problem(result, {
        shape,
        at(...[row, j]) {
          const line = rowOf(x?.values as Values, row as number, n);
          const average = line.reduce((a, b) => a + b) / n;
          const variance = line.reduce((all, v) => all + (v - average) ** 2, 0) / n;
          const normalized = ((line[j as number] as number) - average) / Math.sqrt(variance + epsilon);
          return normalized * (gamma?.values[j as number] as number) + (beta?.values[j as number] as number);
        },
      }),
    contenders: {
      retrograd: retrograd((x, gamma, beta) => layerNorm(x, gamma, beta, { epsilon })),
      tfjs: tfjs((tf, x, gamma, beta) => {
        const moments = tf.moments(x, -1, true);
        const scale = tf.mul(tf.rsqrt(tf.add(moments.variance, epsilon)), gamma as never);
        return tf.add(tf.mul(tf.sub(x, moments.mean), scale), beta as never);
      }),
      jaxjs: jaxjs(({ nn }, x, gamma, beta) => nn.standardize(x, -1, { epsilon }).mul(gamma).add(beta)),
      ort: ort(
        (graph, x, gamma, beta) =>
          graph.node('LayerNormalization', [x, gamma, beta], { epsilon: { float: epsilon } }),
        {
          constants: [1, 2],
        },
      ),
    },
    work: { flops: 8 * rows * n, bytes: 8 * rows * n },
  };
}

function rmsNormRow(rows: number, n: number): Row {
  const shape = [rows, n];
  return {
    name: `rmsNorm ${rows}×${n}`,
    family: 'normalization',
    inputs: () => [normal(shape, 1, 2), normal([n], 2)],
    check: ([result], [x, gamma]) =>
      problem(result, {
        shape,
        at(...[row, j]) {
          const line = rowOf(x?.values as Values, row as number, n);
          const square = line.reduce((all, v) => all + v ** 2, 0) / n;
          return (
            ((line[j as number] as number) * (gamma?.values[j as number] as number)) /
            Math.sqrt(square + epsilon)
          );
        },
      }),
    contenders: {
      retrograd: retrograd((x, gamma) => rmsNorm(x, gamma, { epsilon })),
      tfjs: tfjs((tf, x, gamma) => {
        const square = tf.mean(tf.square(x as never), -1, true);
        return tf.mul(tf.mul(x as never, tf.rsqrt(tf.add(square, epsilon))), gamma as never);
      }),
      jaxjs: unable('it has no root mean square norm'),
      ort: ort(
        (graph, x, gamma) =>
          graph.node('SimplifiedLayerNormalization', [x, gamma], { axis: -1, epsilon: { float: epsilon } }),
        { constants: [1] },
      ),
    },
    work: { flops: 4 * rows * n, bytes: 8 * rows * n },
  };
}

const reducers = {
  sum: { start: 0, join: (a: number, b: number) => a + b },
  mean: { start: 0, join: (a: number, b: number) => a + b },
  max: { start: Number.NEGATIVE_INFINITY, join: Math.max },
} as const;
type Reducer = keyof typeof reducers;

const ops = { sum, mean, max };
const onnxOps = { sum: 'ReduceSum', mean: 'ReduceMean', max: 'ReduceMax' } as const;

function reductionRow(reducer: Reducer, shape: readonly number[], axis: 0 | 1 | 2 | null): Row {
  const out = axis === null ? [] : shape.filter((_, i) => i !== axis);
  const { start, join } = reducers[reducer];
  const axes = axis === null ? shape.map((_, i) => i) : [axis];
  const count = axes.reduce((size, a) => size * (shape[a] as number), 1);
  return {
    name: `${reducer} ${shape.join('×')}, ${axis === null ? 'all axes' : `axis ${axis}`}`,
    family: 'reductions',
    inputs: () => [normal(shape, 1)],
    check: ([result], [x]) =>
      problem(result, {
        shape: out,
        tolerance: 1e-4,
        at(...indices) {
          const values: ArrayLike<number> = x?.values ?? [];
          let [folded, size] = [start as number, 1];
          if (axis === null) {
            for (let i = 0; i < values.length; i++) folded = join(folded, values[i] as number);
          } else {
            size = shape[axis] as number;
            const place = [...indices];
            place.splice(axis, 0, 0);
            const stride = sizeOf(shape.slice(axis + 1));
            const first = place.reduce((at, index, a) => at * (shape[a] as number) + index, 0);
            for (let i = 0; i < size; i++) folded = join(folded, values[first + i * stride] as number);
          }
          return reducer === 'mean' ? folded / count : folded;
        },
      }),
    contenders: {
      retrograd: retrograd((x) => ops[reducer](x, { axis })),
      tfjs: tfjs((tf, x) => tf[reducer](x, axis ?? undefined)),
      jaxjs: jaxjs(({ numpy: np }, x) => np[reducer](x, axis)),
      ort: ort((graph, x) => graph.node(onnxOps[reducer], [x, graph.integers(axes)], { keepdims: 0 }), {
        shapes: [out],
      }),
    },
    work: { flops: sizeOf(shape), bytes: 4 * (sizeOf(shape) + sizeOf(out)) },
  };
}

export const normalizationFamily: Family = {
  name: 'normalization',
  rows: (adapter) =>
    adapter === 'gpu'
      ? [softmaxRow(8192, 4096), layerNormRow(8192, 4096), rmsNormRow(8192, 4096)]
      : [softmaxRow(1024, 1024), layerNormRow(1024, 1024), rmsNormRow(1024, 1024)],
};

export const reductionFamily: Family = {
  name: 'reductions',
  rows: (adapter) => {
    const shape = adapter === 'gpu' ? ([64, 1024, 512] as const) : ([64, 128, 128] as const);
    return [
      reductionRow('sum', shape, 0),
      reductionRow('sum', shape, 1),
      reductionRow('sum', shape, 2),
      reductionRow('sum', shape, null),
      reductionRow('mean', shape, 1),
      reductionRow('max', shape, 2),
      // Rows whose length isn't a multiple of a vector.
      reductionRow('sum', [1000, 999], 0),
    ];
  },
};
