/**
 * @file Launches layerNorm and its gradient, also of a sum with a residual: one fused kernel if the axes are adjacent, otherwise moments and elementwise
 * launches.
 */
import { layerNorm, type LayerNormOptions } from '../../../shaders/layerNorm.ts';
import { layerNormGradient, type LayerNormGradientOptions } from '../../../shaders/layerNormGradient.ts';
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { mustSplit, lineLaunch, type Lines } from '../selection/lanes.ts';
import { kernels } from '../loading/loadKernels.ts';
import { output, view } from '../launch/output.ts';
import { meanOf, momentsReduction, varianceOf } from '../reduce/moments.ts';
import { elementsOf, linesOver } from './normalizedLines.ts';

const params = { count: 'u32', n: 'u32', inner: 'u32', length: 'f32', epsilon: 'f32' } as const;

const kernel = defineKernel({
  name: 'layerNorm',
  bindings: ({ gamma, beta, residual, ...lines }: LayerNormOptions): Bindings => {
    const { element, parameter } = elementsOf(lines);
    return {
      x: `read ${element}`,
      ...(residual ? { residual: `read ${element}` } : {}),
      ...(gamma ? { gamma: `read ${parameter}` } : {}),
      ...(beta ? { beta: `read ${parameter}` } : {}),
      out: `write ${element}`,
      ...(residual ? { total: `write ${element}` } : {}),
    };
  },
  params,
  directives: laneDirectives,
  source: layerNorm,
});

const gradient = defineKernel({
  name: 'layerNorm gradient',
  bindings: ({ gamma, moments, residual, ...lines }: LayerNormGradientOptions): Bindings => {
    const { element, parameter, moment } = elementsOf(lines);
    return {
      x: `read ${element}`,
      dy: `read ${element}`,
      ...(residual ? { d_total: `read ${element}` } : {}),
      ...(gamma ? { gamma: `read ${parameter}` } : {}),
      out: `write ${element}`,
      ...(moments ? { means: `write ${moment}`, scales: `write ${moment}` } : {}),
    };
  },
  params,
  directives: laneDirectives,
  source: layerNormGradient,
});

/** What is normalized, and how. */
export interface LayerNormCall {
  x: Tensor;
  /** Added to x. */
  residual: Tensor | null;
  /** In the shape of `axes`, as beta. */
  gamma: Tensor | null;
  beta: Tensor | null;
  /** The axes that are normalized together, ascending. */
  axes: readonly number[];
  epsilon: number;
}

/** Returns the normalized values, and with a residual also the sum that was normalized. */
export function layerNormKernel(call: LayerNormCall): [normalized: Tensor, total: Tensor | null] {
  const { x, residual, gamma, beta, axes, epsilon } = call;
  const lines = linesOver(x.shape, axes);
  if (!lines || mustSplit(profileOf(x.device), lines)) {
    const sum = residual && kernels().elementwiseKernel('layerNorm', 'a + b', [x, residual], x);
    return [composed(sum ?? x, gamma, beta, axes, epsilon), sum];
  }
  const out = output(x.device, x, 'layerNorm');
  const total = residual && output(x.device, x, 'layerNorm');
  if (out.size === 0) return [out, total];
  // Rows read gamma and beta in the same vectors.
  const parameters = lines.inner === 1 ? [gamma, beta].filter((t) => t !== null) : [];
  const whole = [x, out, residual, total].filter((t) => t !== null);
  const { options, params, workgroups } = lineLaunch([...whole, ...parameters], lines);
  x.device.launch(kernel, {
    options: { gamma: gamma !== null, beta: beta !== null, residual: residual !== null, ...options },
    bindings: {
      x: x.storage,
      ...(residual ? { residual: residual.storage } : {}),
      ...(gamma ? { gamma: gamma.storage } : {}),
      ...(beta ? { beta: beta.storage } : {}),
      out: out.storage,
      ...(total ? { total: total.storage } : {}),
    },
    params: { length: lines.n, epsilon, ...params },
    workgroups,
  });
  return [out, total];
}

/** Returns whether one kernel computes the gradient over `axes` of `x` in whole lines. */
export function hasLineGradient(x: Tensor, axes: readonly number[]): boolean {
  const lines = linesOver(x.shape, axes);
  return x.size > 0 && lines !== null && lines.inner === 1 && !mustSplit(profileOf(x.device), lines);
}

type Gradients = [dx: Tensor, dGamma: Tensor, dBeta: Tensor];

/**
 * Returns [dx] from the cotangent `dy`, if `hasLineGradient`; with `parameters`, [dx, dGamma, dBeta]: the launch for dx then also
 * writes the moments of each line, and a reduction over all lines follows. `dTotal`, a cotangent of x itself, is added to dx.
 */
export function layerNormGradKernel<P extends boolean>(
  dy: Tensor,
  x: Tensor,
  gamma: Tensor | null,
  axes: readonly number[],
  epsilon: number,
  parameters: P,
  dTotal?: Tensor | null,
): P extends true ? Gradients : [dx: Tensor];
export function layerNormGradKernel(
  dy: Tensor,
  x: Tensor,
  gamma: Tensor | null,
  axes: readonly number[],
  epsilon: number,
  parameters: boolean,
  dTotal: Tensor | null = null,
): Gradients | [dx: Tensor] {
  const lines = linesOver(x.shape, axes) as Lines;
  const dx = output(x.device, x, gradientName);
  const moment = { shape: [lines.count], dtype: x.dtype };
  const moments = parameters
    ? { means: output(x.device, moment, gradientName), scales: output(x.device, moment, gradientName) }
    : null;
  const whole = [x, dy, dx, gamma, dTotal].filter((t) => t !== null);
  const { options, params, workgroups } = lineLaunch(whole, lines);
  x.device.launch(gradient, {
    options: { gamma: gamma !== null, moments: parameters, residual: dTotal !== null, ...options },
    bindings: {
      x: x.storage,
      dy: dy.storage,
      ...(dTotal ? { d_total: dTotal.storage } : {}),
      ...(gamma ? { gamma: gamma.storage } : {}),
      out: dx.storage,
      ...(moments ? { means: moments.means.storage, scales: moments.scales.storage } : {}),
    },
    params: { length: lines.n, epsilon, ...params },
    workgroups,
  });
  const parameter = { shape: axes.map((axis) => x.shape[axis] as number), dtype: x.dtype };
  return moments ? [dx, ...parameterGradients(dy, x, moments, lines, parameter)] : [dx];
}

const gradientName = 'layerNormGrad';

/** Sums over all lines: Σ dy (x - mean) r and Σ dy. */
function parameterGradients(
  dy: Tensor,
  x: Tensor,
  { means, scales }: { means: Tensor; scales: Tensor },
  { count, n }: Lines,
  spec: TensorSpec,
): [dGamma: Tensor, dBeta: Tensor] {
  const rows = (t: Tensor) => view(t, { shape: [count, n], dtype: t.dtype }, gradientName);
  return kernels().reduceKernel(
    gradientName,
    rows(dy),
    [0],
    [spec, spec],
    {
      accumulator: 'vec2<f32>',
      initial: 'vec2<f32>()',
      prepare: 'vec2<f32>(value * ((b - c) * d), value)',
      combine: 'a + b',
      finish: ['a.x', 'a.y'],
    },
    [
      { values: rows(x), along: 'elements' },
      { values: means, along: 'positions' },
      { values: scales, along: 'positions' },
    ],
  );
}

function composed(
  x: Tensor,
  gamma: Tensor | null,
  beta: Tensor | null,
  axes: readonly number[],
  epsilon: number,
): Tensor {
  const one = { shape: x.shape.map((n, i) => (axes.includes(i) ? 1 : n)), dtype: x.dtype };
  const [mean, variance] = kernels().reduceKernel(
    'layerNorm',
    x,
    axes,
    [one, one],
    momentsReduction([meanOf, varianceOf]),
  );
  const normalized = kernels().elementwiseKernel(
    'layerNorm',
    '(a - b) * inverseSqrt(c + params.alpha)',
    [x, mean as Tensor, variance as Tensor],
    x,
    { alpha: epsilon },
  );
  const parameterShape = x.shape.map((n, i) => (axes.includes(i) ? n : 1));
  const spread = (t: Tensor) => view(t, { shape: parameterShape, dtype: t.dtype }, 'layerNorm');
  if (gamma && beta)
    return kernels().elementwiseKernel(
      'layerNorm',
      'a * b + c',
      [normalized, spread(gamma), spread(beta)],
      x,
    );
  if (gamma) return kernels().elementwiseKernel('layerNorm', 'a * b', [normalized, spread(gamma)], x);
  return beta ? kernels().elementwiseKernel('layerNorm', 'a + b', [normalized, spread(beta)], x) : normalized;
}
