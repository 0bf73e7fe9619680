/** @file Batching rules of normalizations. With parameters per example, they are composed of simpler ops. */
import type { Shape } from '../../core/shape.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { groupNorm, type GroupNormOptions } from '../../ops/normalization/groupNorm.ts';
import { layerNorm } from '../../ops/normalization/layerNorm.ts';
import { inShape, normalizationGradient, otherAxes } from '../../ops/normalization/normalization.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { rsqrt } from '../../ops/elementwise/unary.ts';
import { moments } from '../../ops/reductions/variance.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { merged } from './arrangementRules.ts';
import { type BatchingRule, byFormula, type MappedCall } from './mappedCall.ts';

type Optional = Tensor | null;

interface AxesPlan {
  readonly axes: readonly number[];
  readonly epsilon: number;
}

/** Returns the sizes of `x` along `axes`, 1 along the others. */
const spreadShape = (x: Tensor, axes: readonly number[]): Shape =>
  x.shape.map((n, i) => (axes.includes(i) ? n : 1));

/** Returns `normalized` · gamma + beta, with gamma and beta (each optional) reshaped to `shape` for broadcasting. */
function scaled(normalized: Tensor, gamma: Optional, beta: Optional, shape: Shape): Tensor {
  const product = gamma ? mul(normalized, reshape(gamma, { shape })) : normalized;
  return beta ? add(product, reshape(beta, { shape })) : product;
}

export const layerNorms: BatchingRule = (call) => {
  const { axes, epsilon } = call.plan as unknown as AxesPlan;
  if (!call.isMapped(1) && !call.isMapped(2)) {
    const axis = axes.map((i) => i + 1);
    return call.one([call.spread(0), call.whole(1), call.whole(2)], { axis, epsilon });
  }
  const [x, gamma, beta] = call.inputs as [Tensor, Optional, Optional];
  const normalized = layerNorm(x, null, null, { axis: axes, epsilon });
  return call.level.spread(scaled(normalized, gamma, beta, spreadShape(x, axes)));
};

/** layerNormGrad and layerNormInputGrad: parameters have the axes that are normalized. */
export const layerNormGradients: BatchingRule = (call) => {
  const [dy, x, gamma] = call.inputs as [Tensor, Tensor, Optional];
  const { axes, epsilon } = call.options as unknown as AxesPlan;
  if (!Array.isArray(call.plan) && !call.isMapped(2))
    return call.one([call.spread(0), call.spread(1), gamma], { axes: axes.map((i) => i + 1), epsilon });
  return gradients(call, { dy, x, gamma, axes, epsilon, parameters: axes });
};

/** batchNormGrad: parameters have the other axes. */
export const batchNormGradients: BatchingRule = (call) => {
  const [dy, x, gamma] = call.inputs as [Tensor, Tensor, Optional];
  const { axes, epsilon } = call.options as unknown as AxesPlan;
  return gradients(call, { dy, x, gamma, axes, epsilon, parameters: otherAxes(x.rank, axes) });
};

interface Gradients extends AxesPlan {
  dy: Tensor;
  x: Tensor;
  gamma: Optional;
  /** The axes that gamma and beta have. */
  parameters: readonly number[];
}

function gradients(call: MappedCall, { dy, x, gamma, axes, epsilon, parameters }: Gradients) {
  const isAlone = !Array.isArray(call.plan);
  const shape = spreadShape(x, parameters);
  const all = normalizationGradient(
    dy,
    {
      x,
      gamma: gamma && reshape(gamma, { shape }),
      axes,
      sharedAxes: otherAxes(x.rank, parameters),
      epsilon,
    },
    [true, !isAlone, !isAlone],
  );
  if (isAlone) return call.level.spread(all[0] as Tensor);
  const specs = call.plan as unknown as readonly { shape: Shape; dtype: 'float32' }[];
  return call.ofAll(all.map((gradient, i) => inShape(gradient, specs[i] ?? null) as Tensor));
}

/** How parameters of [channels] broadcast over x, and the axes that moments are taken over. */
interface ChannelPlan extends AxesPlan {
  readonly along: Shape;
}

export const batchNorms: BatchingRule = (call) => {
  const [x, mean, variance, gamma, beta] = call.inputs as [Tensor, Tensor, Tensor, Optional, Optional];
  const { along, epsilon } = call.plan as unknown as ChannelPlan;
  const r = rsqrt(add(reshape(variance, { shape: along }), epsilon));
  const normalized = mul(sub(x, reshape(mean, { shape: along })), r);
  return call.level.spread(scaled(normalized, gamma, beta, along));
};

/** Moments are computed per example, over its own batch axis. */
export const batchNormsInTraining: BatchingRule = (call) => {
  const [x, gamma, beta] = call.inputs as [Tensor, Optional, Optional];
  const [{ along, axes, epsilon }] = call.plan as unknown as readonly [ChannelPlan];
  const [mean, variance] = moments(x, { axis: axes, keepDims: true });
  const normalized = mul(sub(x, mean), rsqrt(add(variance, epsilon)));
  const channels = call.resultOfAll(1).slice(1);
  const flat = (t: Tensor) => reshape(t, { shape: channels });
  return call.ofAll([scaled(normalized, gamma, beta, along), flat(mean), flat(variance)]);
};

/** Groups are normalized within each sample, so that batches can be merged. */
export const groupNorms: BatchingRule = (call) => {
  const [x, gamma, beta] = call.inputs as [Tensor, Optional, Optional];
  if (!call.isMapped(1) && !call.isMapped(2)) return merged(call, [call.spread(0), gamma, beta]);
  const { axis = -1 } = call.options as { axis?: number };
  const channels = x.shape.map((n, i) => (i === (axis + x.rank) % x.rank ? n : 1));
  const normalized = groupNorm(x, null, null, call.options as GroupNormOptions);
  return call.level.spread(scaled(normalized, gamma, beta, channels));
};

/**
 * Ops whose option `axes` or `axis` names the axes that are normalized together: one call for all examples, unless each has its
 * own gamma, operand `gamma`.
 */
export const overLaterAxes =
  (gamma: number): BatchingRule =>
  (call) => {
    if (call.isMapped(gamma)) return byFormula(call);
    const { axes, epsilon } = { ...call.plan, ...call.options } as unknown as AxesPlan;
    const later = axes.map((axis) => axis + 1);
    const name = 'axes' in call.options ? 'axes' : 'axis';
    const inputs = call.inputs.map((x, i) => (x && i !== gamma ? call.spread(i) : x));
    return call.run(inputs, { [name]: later, epsilon });
  };
