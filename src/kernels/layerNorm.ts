/**
 * @file Launches layerNorm: one fused kernel where the axes are neighbours, moments and elementwise maps elsewhere.
 */
import { layerNorm, type LayerNormOptions } from '../../shaders/layerNorm.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { profileOf } from './adapterProfiles.ts';
import { isFewAndLong, lineLaunch, type Lines } from './lanes.ts';
import { kernels } from './loadKernels.ts';
import { output, view } from './output.ts';
import { meanOf, momentsReduction, varianceOf } from './moments.ts';

const kernel = defineKernel({
  name: 'layerNorm',
  bindings: ({ gamma, beta, order, width }: LayerNormOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    const parameter = order === 'rows' ? element : 'f32';
    return {
      x: `read ${element}`,
      ...(gamma ? { gamma: `read ${parameter}` } : {}),
      ...(beta ? { beta: `read ${parameter}` } : {}),
      out: `write ${element}`,
    };
  },
  params: { count: 'u32', n: 'u32', inner: 'u32', length: 'f32', epsilon: 'f32' },
  source: layerNorm,
});

/** Normalises `x` over `axes` (ascending); gamma and beta have the shape of those axes, or are null. */
export function layerNormKernel(
  x: Tensor,
  gamma: Tensor | null,
  beta: Tensor | null,
  axes: readonly number[],
  epsilon: number,
): Tensor {
  const lines = linesOver(x.shape, axes);
  if (!lines || isFewAndLong(profileOf(x.device), lines)) return composed(x, gamma, beta, axes, epsilon);
  const out = output(x.device, x, 'layerNorm');
  if (out.size === 0) return out;
  // Rows read gamma and beta by the same vectors.
  const parameters = lines.inner === 1 ? [gamma, beta].filter((t) => t !== null) : [];
  const { options, params, workgroups } = lineLaunch([x, out, ...parameters], lines);
  x.device.launch(kernel, {
    options: { gamma: gamma !== null, beta: beta !== null, ...options },
    bindings: {
      x: x.storage,
      ...(gamma ? { gamma: gamma.storage } : {}),
      ...(beta ? { beta: beta.storage } : {}),
      out: out.storage,
    },
    params: { ...params, length: lines.n, epsilon },
    workgroups,
  });
  return out;
}

/** The lines over axes that are neighbours; null for others. */
function linesOver(shape: Shape, axes: readonly number[]): Lines | null {
  const first = axes[0] as number;
  const end = first + axes.length;
  if (axes.at(-1) !== end - 1) return null;
  const inner = sizeOf(shape.slice(end));
  return { count: sizeOf(shape.slice(0, first)) * inner, n: sizeOf(shape.slice(first, end)), inner };
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
