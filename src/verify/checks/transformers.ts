/**
 * @file Checks of the fused ops of transformers (gated activations, bias and GELU, residual connections with the norm that follows),
 * and of losses and searches over a vocabulary in blocks, with gradients by central differences.
 */
import { biasGelu } from '../../ops/activations/biasGelu.ts';
import { gatedActivation } from '../../ops/activations/gatedActivation.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { addLayerNorm, addRmsNorm } from '../../ops/normalization/addLayerNorm.ts';
import { linearCrossEntropy } from '../../ops/vocabulary/linearCrossEntropy.ts';
import { linearTopK } from '../../ops/vocabulary/linearTopK.ts';
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

/** The tangent form, which needs no error function on the host. */
function biased(rows: number, size: number): Check {
  const forward = (x: Values, bias: Values) =>
    x.map((value, i) => {
      const z = value + (bias[i % size] as number);
      return (z / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));
    });
  return differentiable(
    `biasGelu of ${rows} × ${size}`,
    [spec([rows, size]), spec([size]), spec([rows, size])],
    2e-5,
    (x, bias) => biasGelu(x as Tensor, bias as Tensor, { approximate: true }),
    byDifferences(forward),
  );
}

/** x + residual and its norm, added, so that both results have a gradient. `centred`: layerNorm, otherwise rmsNorm. */
function residual(rows: number, size: number, centred: boolean): Check {
  const epsilon = 1e-3;
  const forward = (x: Values, other: Values, gamma: Values, beta?: Values) => {
    const total = x.map((value, i) => value + (other[i] as number));
    return total.map((value, i) => {
      const line = total.subarray(i - (i % size), i - (i % size) + size);
      const mean = centred ? line.reduce((sum, v) => sum + v, 0) / size : 0;
      const variance = line.reduce((sum, v) => sum + (v - mean) ** 2, 0) / size;
      const normalized = ((value - mean) / Math.sqrt(variance + epsilon)) * (gamma[i % size] as number);
      return value + normalized + (beta?.[i % size] ?? 0);
    });
  };
  const op = (x: Tensor, other: Tensor, gamma: Tensor, beta: Tensor) => {
    const [normalized, total] = centred
      ? addLayerNorm(x, other, gamma, beta, { epsilon })
      : addRmsNorm(x, other, gamma, { epsilon });
    return add(normalized, total);
  };
  const [whole, line] = [spec([rows, size]), spec([size])];
  return differentiable(
    `${centred ? 'addLayerNorm' : 'addRmsNorm'} of ${rows} × ${size}`,
    [whole, whole, line, ...(centred ? [line] : []), whole],
    5e-5,
    op as (...inputs: Tensor[]) => Tensor,
    byDifferences(forward as (...inputs: Values[]) => Values),
  );
}

/** The logits of each row. */
const logitsOf = (hidden: Values, weights: Values, rows: number, size: number) =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: weights.length / size }, (__, v) => {
      let total = 0;
      for (let i = 0; i < size; i++)
        total += (hidden[row * size + i] as number) * (weights[v * size + i] as number);
      return total;
    }),
  );

interface LossSizes {
  readonly rows: number;
  readonly size: number;
  readonly vocabulary: number;
  readonly blockSize: number;
  readonly labelSmoothing?: number;
}

function vocabularyLoss({ rows, size, vocabulary, blockSize, labelSmoothing = 0 }: LossSizes): Check {
  const labels = Int32Array.from({ length: rows }, (_, row) => (row * 5) % vocabulary);
  const forward = (hidden: Values, weights: Values) =>
    Float64Array.from(logitsOf(hidden, weights, rows, size), (logits, row) => {
      const all = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
      const mean = logits.reduce((sum, logit) => sum + logit, 0) / vocabulary;
      return all - (1 - labelSmoothing) * (logits[labels[row] as number] as number) - labelSmoothing * mean;
    });
  const smoothed = labelSmoothing > 0 ? `, smoothed by ${labelSmoothing}` : '';
  return differentiable(
    `linearCrossEntropy of ${rows} rows and ${vocabulary} entries${smoothed}`,
    [spec([rows, size]), spec([vocabulary, size]), spec([rows])],
    2e-5,
    (hidden, weights) =>
      linearCrossEntropy(hidden as Tensor, weights as Tensor, labels, { blockSize, labelSmoothing }),
    byDifferences(forward),
  );
}

function search(rows: number, size: number, vocabulary: number, k: number): Check {
  return {
    name: `linearTopK of ${rows} rows and ${vocabulary} entries`,
    inputs: [spec([rows, size]), spec([vocabulary, size])],
    tolerance: 2e-5,
    run: ([hidden, weights]) => [linearTopK(hidden as Tensor, weights as Tensor, { k })[0]],
    expected: ([hidden, weights]) => [
      logitsOf(hidden as Values, weights as Values, rows, size).flatMap((logits) =>
        logits.sort((a, b) => b - a).slice(0, k),
      ),
    ],
  };
}

export const transformerChecks = (): Check[] => [
  gated(8),
  gated(5),
  biased(3, 8),
  biased(4, 5),
  residual(3, 8, true),
  residual(5, 7, true),
  residual(3, 8, false),
  residual(5, 7, false),
  vocabularyLoss({ rows: 5, size: 3, vocabulary: 17, blockSize: 8 }),
  vocabularyLoss({ rows: 4, size: 4, vocabulary: 12, blockSize: 5, labelSmoothing: 0.1 }),
  search(4, 6, 33, 5),
];
