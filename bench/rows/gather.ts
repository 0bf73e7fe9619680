/** @file Rows of tables: gathered, trained, and scattered to, with frequent and with unique ids. */
import { embedding, gather, mean, scatterAdd, squaredDifference } from 'retrograd';
import { type HostArray, integers, normal, sizeOf, zipf } from '../host.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { AdapterClass, Family, Row } from '../row.ts';
import { trainingRow } from '../training.ts';

type Values = HostArray['values'];
type Draw = typeof zipf;

function gatherRow(rows: number, width: number, count: number, how: string, draw: Draw): Row {
  const shape = [count, width];
  return {
    name: `gather ${rows}×${width}, ${count} ids, ${how}`,
    family: 'gather',
    inputs: () => [normal([rows, width], 1), draw([count], rows, 2)],
    check: ([result], inputs) => {
      const [table, ids] = inputs.map(({ values }) => values) as [Values, Values];
      const at = (...[i, j]: number[]) =>
        table[(ids[i as number] as number) * width + (j as number)] as number;
      return problem(result, { shape, tolerance: 0, count: 256, at });
    },
    contenders: {
      retrograd: retrograd((table, ids) => gather(table, ids)),
      tfjs: tfjs((tf, table, ids) => tf.gather(table, ids as never)),
      jaxjs: jaxjs((jax, table, ids) => jax.numpy.take(table, ids, 0)),
      ort: ort((graph, table, ids) => graph.node('Gather', [table, ids]), { shapes: [shape] }),
    },
    work: { flops: 0, bytes: 4 * (2 * count * width + count) },
  };
}

function scatterRow(rows: number, width: number, count: number, how: string, draw: Draw): Row {
  const shape = [rows, width];
  return {
    name: `scatter-add ${count} into ${rows}×${width}, ${how}`,
    family: 'scatter',
    inputs: () => [draw([count], rows, 2), normal([count, width], 1)],
    check: ([result], inputs) => {
      const [ids, updates] = inputs.map(({ values }) => values) as [Values, Values];
      return problem(result, {
        shape,
        at(...[row, column]) {
          let sum = 0;
          for (let i = 0; i < count; i++)
            if (ids[i] === row) sum += updates[i * width + (column as number)] as number;
          return sum;
        },
      });
    },
    contenders: {
      retrograd: retrograd((ids, updates) => scatterAdd(ids, updates, { shape })),
      tfjs: tfjs((tf, ids, updates) => tf.unsortedSegmentSum(updates, ids as never, rows)),
      jaxjs: jaxjs((jax, ids, updates) => {
        // jax-js's scatter is the transpose of a lookup.
        const [value, pull] = jax.vjp(
          (table: typeof updates) => jax.numpy.take(table, ids, 0),
          [jax.numpy.zeros(shape, { device: 'webgpu' })],
        );
        value.dispose();
        return (pull(updates) as unknown as (typeof updates)[])[0] as typeof updates;
      }),
      ort: ort(
        (graph, ids, updates) => {
          const zeros = graph.constant({ shape, values: new Float32Array(sizeOf(shape)) });
          const column = graph.node('Unsqueeze', [ids, graph.integers([1])]);
          const indices = graph.node('Cast', [column], { to: 7 });
          return graph.node('ScatterND', [zeros, indices, updates], { reduction: 'add' });
        },
        { shapes: [shape] },
      ),
    },
    work: { flops: count * width, bytes: 4 * (count * width + count + rows * width) },
  };
}

/** Means of looked-up rows trained towards targets: a word-vector model without its network. */
function embeddingRow(rows: number, width: number, batch: number, length: number): Row {
  return trainingRow({
    name: `embedding training ${rows}×${width}, ${batch}×${length} ids`,
    family: 'embedding',
    training: () => ({
      parameters: [normal([rows, width], 1, 0.1)],
      batch: [zipf([batch, length], rows, 2), normal([batch, width], 3)],
      constants: [],
      rate: 1,
      momentum: 0,
    }),
    lossAt([table = new Float64Array(0)], [ids, target]) {
      let total = 0;
      for (let b = 0; b < batch; b++) {
        for (let j = 0; j < width; j++) {
          let sum = 0;
          for (let i = 0; i < length; i++) {
            sum += table[(ids?.values[b * length + i] as number) * width + j] as number;
          }
          total += (sum / length - (target?.values[b * width + j] as number)) ** 2;
        }
      }
      return total / (batch * width);
    },
    directions: 3,
    retrograd: ({ parameters: [table], batch: [ids, target] }) =>
      mean(squaredDifference(mean(embedding(table!, ids!), { axis: 1 }), target!)),
    tfjs: (tf, { parameters: [table], batch: [ids, target] }) =>
      tf.mean(tf.squaredDifference(tf.mean(tf.gather(table!, ids as never), 1), target!)),
    jaxjs: ({ numpy: np }, { parameters: [table], batch: [ids, target] }) =>
      np.mean(np.square(np.mean(np.take(table!, ids!, 0), 1).sub(target!))),
  });
}

const rows = (adapter: AdapterClass): Row[] => {
  const [count, vocabulary] = adapter === 'gpu' ? [262_144, 262_144] : [32_768, 32_000];
  return [
    gatherRow(vocabulary, 64, count, 'uniform', integers),
    gatherRow(vocabulary, 64, count, 'zipf', zipf),
    gatherRow(1000, 1024, count / 16, 'uniform', integers),
    gatherRow(vocabulary, 1, 2 * count, 'uniform', integers),
    scatterRow(1000, 64, count, 'zipf', zipf),
    scatterRow(vocabulary, 16, count, 'uniform', integers),
    adapter === 'gpu' ? embeddingRow(vocabulary, 128, 512, 128) : embeddingRow(8000, 64, 32, 64),
  ];
};

export const gatherFamily: Family = { name: 'gather', rows };
