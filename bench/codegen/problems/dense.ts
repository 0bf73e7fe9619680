/** @file Matrix multiplications: dense layers with their gradients, a GPT-2-small block's, squares, and few rows. */
import { matMul } from 'retrograd';
import { jaxjs } from '../../peers/jaxjs.ts';
import { ort } from '../../peers/ort.ts';
import { tfjs } from '../../peers/tfjs.ts';
import { float32, type Problem } from '../problem.ts';
import { denseLayers } from './layers.ts';

interface Product {
  readonly what: string;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

/** A dense layer and its gradients: for its input, y · wᵀ; for its kernel, xᵀ · y. */
const withGradients = (what: string, rows: number, from: number, to: number): Product[] => [
  { what, m: rows, n: to, k: from },
  { what: `${what}, input gradient`, m: rows, n: from, k: to, transposeB: true },
  { what: `${what}, kernel gradient`, m: from, n: to, k: rows, transposeA: true },
];

const gpt2 = [
  ['queries, keys and values', 768, 2304],
  ['projection', 768, 768],
  ['expansion', 768, 3072],
  ['contraction', 3072, 768],
] as const;

const layouts = [
  { suffix: '' },
  { suffix: ', A transposed', transposeA: true },
  { suffix: ', B transposed', transposeB: true },
  { suffix: ', both transposed', transposeA: true, transposeB: true },
] as const;

const products: readonly Product[] = [
  ...layouts.flatMap(({ suffix, ...layout }) =>
    [1024, 4096].map((n) => ({ what: `square${suffix}`, m: n, n, k: n, ...layout })),
  ),
  { what: 'prime', m: 521, n: 503, k: 509 },
  { what: 'large k', m: 64, n: 64, k: 8192 },
  ...denseLayers.flatMap(([network, from, to]) =>
    [1, 32].flatMap((batch) => withGradients(`${network}, batch ${batch}`, batch, from, to)),
  ),
  ...gpt2.flatMap(([what, from, to]) => withGradients(`GPT-2 ${what}`, 1024, from, to)),
  ...[1, 2, 4, 8, 16].flatMap((m) =>
    layouts.map(({ suffix, ...layout }) => ({ what: `few rows${suffix}`, m, n: 2048, k: 2048, ...layout })),
  ),
  ...layouts.map(({ suffix, ...layout }) => ({
    what: `matrix–vector${suffix}`,
    m: 2048,
    n: 1,
    k: 2048,
    ...layout,
  })),
];

function problemOf({ what, m, n, k, transposeA = false, transposeB = false }: Product): Problem {
  return {
    name: `matMul ${m}×${k}×${n} ${what}`,
    family: Math.min(m, n) <= 16 ? 'matrix–vector and few rows' : 'matMul',
    inputs: [float32(...(transposeA ? [k, m] : [m, k])), float32(...(transposeB ? [n, k] : [k, n]))],
    fmas: m * n * k,
    terms: k,
    run: (a, b) => matMul(a, b, { transposeA, transposeB }),
    peers: {
      tfjs: tfjs((tf, a, b) => tf.matMul(a as never, b as never, transposeA, transposeB)),
      jaxjs: jaxjs(({ numpy: np }, a, b) =>
        np.matmul(transposeA ? np.matrixTranspose(a) : a, transposeB ? np.matrixTranspose(b) : b),
      ),
      ort: ort(
        (graph, a, b) =>
          graph.node('Gemm', [a, b], { transA: Number(transposeA), transB: Number(transposeB) }),
        { shapes: [[m, n]] },
      ),
    },
  };
}

export const denseProblems: readonly Problem[] = products.map(problemOf);
