/**
 * @file Low-rank adapters of weights as values: the product of two matrices, its sum with the weight, and the magnitudes of DoRA. Sources:
 * Hu et al., LoRA, 2021; Liu et al., DoRA: Weight-Decomposed Low-Rank Adaptation, 2024, whose lengths are constants in gradients
 * (section 4.3), as in PEFT.
 */
import { add, div, mul } from '../../../ops/elementwise/arithmetic.ts';
import { sqrt, square } from '../../../ops/elementwise/unary.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { stopGradient } from '../../../ops/arrangement/stopGradient.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';

/** An adapter of a weight: the product of its matrices times the scale is added to the weight. */
export interface Adapter {
  readonly name: string;
  readonly weight: Variable;
  /** The first axes of the weight, then the rank. */
  readonly a: Variable;
  /** The rank, then the other axes of the weight. */
  readonly b: Variable;
  /** The lengths of the columns of the sum, in the shape of the weight's outputs (DoRA); null in a plain adapter. */
  readonly magnitude: Variable | null;
  /** A bias of the second matrix, in the shape of the weight's outputs; null without one. */
  readonly bias: Variable | null;
  /** The bias of the layer, to which that of the adapter is added; null for a layer without. */
  readonly layerBias: Variable | null;
  readonly rank: number;
  readonly alpha: number;
  readonly rankStabilized: boolean;
  readonly scale: number;
  /** Whether the logits of an embedding, which has its vectors in reverse, don't have it: so PEFT's, unless it says otherwise. */
  isOfLookups?: boolean;
  /** What the columns of the sum were multiplied by when it was merged (DoRA). */
  factor: Variable | null;
  /** Whether the product was added to the weight itself. */
  isMerged: boolean;
  /** Whether calls use it. Recordings of calls hold as long as it stays so. */
  trainable: boolean;
}

/** The variables of an adapter. */
export function variablesOf({ a, b, magnitude, bias }: Adapter): Variable[] {
  return [a, b, magnitude, bias].filter((variable) => variable !== null);
}

/** The weight, or its values `base`, and what its adapter adds. */
export function merged(adapter: Adapter, base: Tensor = adapter.weight): Tensor {
  const whole = add(base, productOf(adapter));
  const { magnitude } = adapter;
  return magnitude ? mul(whole, div(magnitude, stopGradient(lengthsOf(whole, magnitude.rank)))) : whole;
}

/** The bias of the layer, and what its adapter adds; null without both. */
export function mergedBias({ bias, layerBias, scale }: Adapter): Tensor | null {
  const added = bias && mul(bias, scale);
  return added && layerBias ? add(layerBias, added) : (added ?? layerBias);
}

/** What an adapter adds, in the shape of its weight; DoRA then changes the lengths of columns. */
export function productOf({
  a,
  b,
  scale,
}: {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly scale: number;
}): Tensor {
  const rank = b.shape[0] as number;
  const product = matMul(reshape(a, { shape: [-1, rank] }), reshape(b, { shape: [rank, -1] }));
  return mul(reshape(product, { shape: [...a.shape.slice(0, -1), ...b.shape.slice(1)] }), scale);
}

/** x · a · b times the scale, where a and b are matrices. */
export function lowRank(x: Tensor, { a, b, scale }: Adapter, asOperand: (part: Tensor) => Tensor): Tensor {
  return matMul(asOperand(mul(matMul(asOperand(x), asOperand(a)), scale)), asOperand(b));
}

/** The lengths of the columns of a kernel, which its last `outputs` axes count. A column of zeros has a tiny one. */
export function lengthsOf(kernel: Tensor, outputs: number): Tensor {
  const axis = Array.from({ length: kernel.rank - outputs }, (_, i) => i);
  return sqrt(add(sum(square(kernel), { axis }), 1e-30));
}

/** What the products with `base` and with the adapter are multiplied by, so that columns have the magnitudes. */
export function factorOf(magnitude: Variable, { a, b, scale }: Adapter, base: Tensor): Tensor {
  // Nothing of the size of the kernel is kept for a gradient.
  const product = productOf({ a: stopGradient(a), b: stopGradient(b), scale });
  return div(magnitude, lengthsOf(add(stopGradient(base), product), magnitude.rank));
}
