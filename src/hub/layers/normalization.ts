/** @file The normalizations that transformers use, by name. */
import { factoryOf, layer, type LayerOptions, number } from '../../keras/layers/base/declare.ts';
import { LayerNormalization } from '../../keras/layers/normalization/layerNormalization.ts';
import { RMSNormalization } from '../../keras/layers/normalization/rmsNormalization.ts';
import type { OpenShape } from '../../core/shape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { addLayerNorm, addRmsNorm } from '../../ops/normalization/addLayerNorm.ts';
import { rmsNorm } from '../../ops/normalization/rmsNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

export interface OffsetRMSNormalizationOptions extends LayerOptions {
  /** Added to the mean of the squares. Default 1e-6. */
  epsilon?: number;
}

export class OffsetRMSNormalization extends /* @__PURE__ */ layer<OffsetRMSNormalizationOptions>(
  'OffsetRMSNormalization',
  () => ({ epsilon: number({ min: 0, default: 1e-6 }) }),
) {
  override readonly supportsMasking: boolean = true;
  scale: Variable | null = null;

  override build(inputShape: OpenShape): void {
    this.scale = this.addWeight('scale', { shape: [inputShape.at(-1) as number], initializer: 'zeros' });
  }

  override call(x: Tensor): Tensor {
    return rmsNorm(x, add(this.scale as Variable, 1), { epsilon: this.epsilon });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }
}

/**
 * x / √(mean of x² + epsilon) · (1 + scale), over the last axis: the normalization of Gemma, whose scales are trained around 0.
 * Shape: that of the input. Weight: scale [features].
 * Errors: ValueError for invalid options.
 */
export const offsetRMSNormalization = /* @__PURE__ */ factoryOf(OffsetRMSNormalization);

/** Names of normalizations: `layer` subtracts the mean, `rms` doesn't, and `offsetRms` scales by 1 + weight. */
export const normalizationKinds = ['layer', 'rms', 'offsetRms'] as const;

export type NormalizationKind = (typeof normalizationKinds)[number];

export type Normalization = LayerNormalization | RMSNormalization | OffsetRMSNormalization;

/** Returns a normalization of the last axis. */
export function normalizationOf(
  kind: NormalizationKind,
  options: { name: string; epsilon: number },
): Normalization {
  if (kind === 'rms') return new RMSNormalization(options);
  return kind === 'layer' ? new LayerNormalization(options) : new OffsetRMSNormalization(options);
}

/**
 * total = x + residual, normalized: [normalized, total]. Without a residual total is x: what reads x afterwards reads total instead, so
 * that gradients of both are added in one launch.
 */
export function addNormalized(
  norm: Normalization,
  x: Tensor,
  residual: Tensor | null,
): readonly [normalized: Tensor, total: Tensor] {
  const { epsilon } = norm;
  if (norm instanceof LayerNormalization)
    return addLayerNorm(x, residual, norm.gamma, norm.beta, { epsilon });
  if (norm instanceof RMSNormalization && residual) return addRmsNorm(x, residual, norm.scale, { epsilon });
  const total = residual ? add(x, residual) : x;
  return [norm.apply(total), total];
}
