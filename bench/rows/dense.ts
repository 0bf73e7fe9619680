/** @file A dense layer: matmul, bias and ReLU, in one kernel if a library has one. */
import { fusedMatMul } from 'retrograd';
import { type HostArray, normal } from '../host.ts';
import { problem } from '../oracle.ts';
import { jaxjs } from '../peers/jaxjs.ts';
import { ort } from '../peers/ort.ts';
import { tfjs } from '../peers/tfjs.ts';
import { retrograd } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

function row(m: number, k: number, n: number): Row {
  return {
    name: `dense ${m}×${k}→${n} + bias + relu`,
    family: 'dense',
    inputs: () => [normal([m, k], 1), normal([k, n], 2, 1 / Math.sqrt(k)), normal([n], 3)],
    check: ([result], inputs) => {
      const [x, w, bias] = inputs.map(({ values }) => values) as HostArray['values'][] as [
        HostArray['values'],
        HostArray['values'],
        HostArray['values'],
      ];
      return problem(result, {
        shape: [m, n],
        at(i, j) {
          let sum = bias[j as number] as number;
          for (let l = 0; l < k; l++)
            sum += (x[(i as number) * k + l] as number) * (w[l * n + (j as number)] as number);
          return Math.max(0, sum);
        },
      });
    },
    contenders: {
      retrograd: retrograd((x, w, bias) => fusedMatMul(x, w, bias, { activation: 'relu' })),
      tfjs: tfjs((tf, a, b, bias) => tf.fused.matMul({ a, b, bias, activation: 'relu' } as never)),
      jaxjs: jaxjs(({ numpy: np, nn }, x, w, bias) => nn.relu(np.matmul(x, w).add(bias))),
      ort: ort((graph, x, w, bias) => graph.node('Relu', [graph.node('Gemm', [x, w, bias])]), {
        constants: [1, 2],
        shapes: [[m, n]],
      }),
    },
    work: { flops: 2 * m * k * n, bytes: 4 * (m * k + k * n + n + m * n) },
  };
}

export const denseFamily: Family = {
  name: 'dense',
  rows: (adapter) =>
    adapter === 'gpu' ? [row(64, 1024, 1024), row(4096, 1024, 1024)] : [row(64, 1024, 1024)],
};
