/** @file Checks of gated activations and of losses over a vocabulary in blocks, with gradients by central differences. */
import { gatedActivation } from '../../ops/activations/gatedActivation.ts';
import { linearCrossEntropy } from '../../ops/vocabulary/linearCrossEntropy.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, differentiable, spec, type Values } from '../check.ts';
import { byDifferences } from '../reference.ts';

function gated(size: number): Check {
  const swiglu = (gate: Values, up: Values) =>
    gate.map((value, i) => (value / (1 + Math.exp(-value))) * (up[i] as number));
  const shape = [3, size];
  return differentiable(
    `gatedActivation of ${shape.join(' × ')}`,
    [spec(shape), spec(shape), spec(shape)],
    2e-5,
    (gate, up) => gatedActivation(gate as Tensor, up as Tensor),
    byDifferences(swiglu),
  );
}

function vocabularyLoss(rows: number, size: number, vocabulary: number, blockSize: number): Check {
  const labels = Int32Array.from({ length: rows }, (_, row) => (row * 5) % vocabulary);
  const forward = (hidden: Values, weights: Values) =>
    Float64Array.from({ length: rows }, (_, row) => {
      const logits = Array.from({ length: vocabulary }, (__, v) => {
        let total = 0;
        for (let i = 0; i < size; i++)
          total += (hidden[row * size + i] as number) * (weights[v * size + i] as number);
        return total;
      });
      const all = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
      return all - (logits[labels[row] as number] as number);
    });
  return differentiable(
    `linearCrossEntropy of ${rows} rows and ${vocabulary} entries`,
    [spec([rows, size]), spec([vocabulary, size]), spec([rows])],
    2e-5,
    (hidden, weights) => linearCrossEntropy(hidden as Tensor, weights as Tensor, labels, { blockSize }),
    byDifferences(forward),
  );
}

export const transformerChecks = (): Check[] => [gated(8), gated(5), vocabularyLoss(5, 3, 17, 8)];
