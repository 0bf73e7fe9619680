/** @file Matmul: square, tall, wide, prime, matrix–vector, batched, and transposed. */
import { matMul } from 'retrograd';
import { type HostArray, normal } from '../host.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { AdapterClass, Family, Row } from '../row.ts';

interface Product {
  what: string;
  m: number;
  k: number;
  n: number;
  batch?: number;
  transposeA?: boolean;
  transposeB?: boolean;
}

const products = (adapter: AdapterClass): Product[] => [
  ...[256, 512, 1024, 2048, ...(adapter === 'gpu' ? [4096] : [])].map((n) => ({
    what: 'square',
    m: n,
    k: n,
    n,
  })),
  { what: 'tall', m: 8192, k: 64, n: 64 },
  { what: 'wide', m: 64, k: 64, n: 8192 },
  { what: 'large k', m: 64, k: 8192, n: 64 },
  { what: 'prime', m: 521, k: 509, n: 503 },
  { what: 'matrix–vector', m: 2048, k: 2048, n: 1 },
  { what: 'vector–matrix', m: 1, k: 2048, n: 2048 },
  { what: 'batched', batch: 16, m: 128, k: 128, n: 128 },
  { what: 'a transposed', m: 512, k: 512, n: 512, transposeA: true },
  { what: 'b transposed', m: 512, k: 512, n: 512, transposeB: true },
  { what: 'both transposed', m: 512, k: 512, n: 512, transposeA: true, transposeB: true },
];

function row({ what, m, k, n, batch, transposeA = false, transposeB = false }: Product): Row {
  const lead = batch === undefined ? [] : [batch];
  const shapeA = [...lead, ...(transposeA ? [k, m] : [m, k])];
  const shapeB = [...lead, ...(transposeB ? [n, k] : [k, n])];
  const shape = [...lead, m, n];
  const swap = batch === undefined ? [1, 0] : [0, 2, 1];
  const times = batch === undefined ? '' : `${batch}×`;
  return {
    name: `matMul ${times}${m}×${k}×${n} ${what}`,
    family: 'matMul',
    slow: m * n * k >= 2 ** 33,
    inputs: () => [normal(shapeA, 1), normal(shapeB, 2)],
    check: ([result], inputs) => {
      const [a, b] = inputs.map(({ values }) => values) as [HostArray['values'], HostArray['values']];
      return problem(result, {
        shape,
        tolerance: 1e-5 * Math.sqrt(k),
        at(...indices) {
          const [i, j] = indices.slice(-2) as [number, number];
          const plane = batch === undefined ? 0 : (indices[0] as number);
          let sum = 0;
          for (let l = 0; l < k; l++) {
            const left = a[plane * m * k + (transposeA ? l * m + i : i * k + l)] as number;
            sum += left * (b[plane * k * n + (transposeB ? j * k + l : l * n + j)] as number);
          }
          return sum;
        },
      });
    },
    contenders: {
      retrograd: retrograd((a, b) => matMul(a, b, { transposeA, transposeB })),
      tfjs: tfjs((tf, a, b) => tf.matMul(a, b, transposeA, transposeB)),
      jaxjs: jaxjs(({ numpy: np }, a, b) =>
        np.matmul(transposeA ? np.matrixTranspose(a) : a, transposeB ? np.matrixTranspose(b) : b),
      ),
      ort: ort(
        (graph, a, b) => {
          if (batch === undefined && (transposeA || transposeB)) {
            return graph.node('Gemm', [a, b], { transA: Number(transposeA), transB: Number(transposeB) });
          }
          return graph.node('MatMul', [
            transposeA ? graph.node('Transpose', [a], { perm: swap }) : a,
            transposeB ? graph.node('Transpose', [b], { perm: swap }) : b,
          ]);
        },
        { shapes: [shape] },
      ),
    },
    work: {
      flops: 2 * (batch ?? 1) * m * k * n,
      bytes: 4 * (batch ?? 1) * (m * k + k * n + m * n),
    },
  };
}

export const matMulFamily: Family = { name: 'matMul', rows: (adapter) => products(adapter).map(row) };
