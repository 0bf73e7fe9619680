/**
 * @file Launches rmsNorm and its gradient, also of a sum with a residual: one kernel if the axes are adjacent, otherwise a
 * reduction and elementwise launches.
 */
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import { rmsNorm, type RmsNormOptions } from '../../../shaders/rmsNorm.ts';
import { rmsNormGradient, type RmsNormGradientOptions } from '../../../shaders/rmsNormGradient.ts';
import { rmsNormRows, type RmsNormRowsOptions } from '../../../shaders/rmsNormRows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { lineLaunch, type Lines, mustSplit } from '../selection/lanes.ts';
import { kernels } from '../loading/loadKernels.ts';
import { elementsOf, linesOver } from './normalizedLines.ts';
import { output, view } from '../launch/output.ts';

const params = { count: 'u32', n: 'u32', inner: 'u32', length: 'f32', epsilon: 'f32' } as const;

const kernel = defineKernel({
  name: 'rmsNorm',
  bindings: ({ gamma, residual, ...lines }: RmsNormOptions): Bindings => {
    const { element, parameter } = elementsOf(lines);
    return {
      x: `read ${element}`,
      ...(residual ? { residual: `read ${element}` } : {}),
      ...(gamma ? { gamma: `read ${parameter}` } : {}),
      out: `write ${element}`,
      ...(residual ? { total: `write ${element}` } : {}),
    };
  },
  params,
  directives: laneDirectives,
  source: rmsNorm,
});

const gradient = defineKernel({
  name: 'rmsNorm gradient',
  bindings: ({ gamma, residual, scales, ...lines }: RmsNormGradientOptions): Bindings => {
    const { element, parameter, moment } = elementsOf(lines);
    return {
      x: `read ${element}`,
      dy: `read ${element}`,
      ...(residual ? { d_total: `read ${element}` } : {}),
      ...(gamma ? { gamma: `read ${parameter}` } : {}),
      out: `write ${element}`,
      ...(scales ? { scales: `write ${moment}` } : {}),
    };
  },
  params,
  directives: laneDirectives,
  source: rmsNormGradient,
});

const rowsGradient = defineKernel({
  name: 'rmsNorm gradients',
  bindings: ({ residual, width }: RmsNormRowsOptions): Bindings => {
    const element = width === 4 ? 'vec4<f32>' : 'f32';
    return {
      x: `read ${element}`,
      dy: `read ${element}`,
      ...(residual ? { d_total: `read ${element}` } : {}),
      gamma: `read ${element}`,
      out: `write ${element}`,
      shares: `write ${element}`,
    };
  },
  params,
  directives: laneDirectives,
  source: rmsNormRows,
});

/** The maximum number of workgroups of `rowsGradient`: enough to fill a large GPU, few enough that one pass adds their sums. */
const maxRowGroups = 256;

/** What is normalized, and how. */
export interface RmsNormCall {
  x: Tensor;
  /** Added to x. */
  residual: Tensor | null;
  /** In the shape of `axes`. */
  gamma: Tensor | null;
  /** The axes over which the mean of squares is taken, ascending. */
  axes: readonly number[];
  epsilon: number;
}

/** Returns the normalized values, and with a residual also the sum that was normalized. */
export function rmsNormKernel(op: string, call: RmsNormCall): [normalized: Tensor, total: Tensor | null] {
  const { x, residual, gamma, axes, epsilon } = call;
  const lines = linesOver(x.shape, axes);
  if (!lines || mustSplit(profileOf(x.device), lines)) return composed(op, call);
  const out = output(x.device, x, op);
  const total = residual && output(x.device, x, op);
  if (out.size === 0) return [out, total];
  // Rows read gamma in the same vectors.
  const parameters = gamma && lines.inner === 1 ? [gamma] : [];
  const whole = [x, out, residual, total].filter((t) => t !== null);
  const { options, params, workgroups } = lineLaunch([...whole, ...parameters], lines);
  x.device.launch(kernel, {
    options: { gamma: gamma !== null, residual: residual !== null, ...options },
    bindings: {
      x: x.storage,
      ...(residual ? { residual: residual.storage } : {}),
      ...(gamma ? { gamma: gamma.storage } : {}),
      out: out.storage,
      ...(total ? { total: total.storage } : {}),
    },
    params: { length: lines.n, epsilon, ...params },
    workgroups,
  });
  return [out, total];
}

/** Returns whether one kernel computes the gradient over `axes` of `x` in whole lines. */
export function hasRmsLineGradient(x: Tensor, axes: readonly number[]): boolean {
  const lines = linesOver(x.shape, axes);
  return x.size > 0 && lines !== null && lines.inner === 1 && !mustSplit(profileOf(x.device), lines);
}

/** The cotangents and inputs of a call with `hasRmsLineGradient`. */
export interface RmsNormGradient {
  dy: Tensor;
  x: Tensor;
  gamma: Tensor | null;
  /** The cotangent of x itself, which is added. */
  dTotal: Tensor | null;
  axes: readonly number[];
  epsilon: number;
}

/** Returns dx, and dGamma if `parameters`: the launch for dx then also writes r of each line, and a reduction follows. */
export function rmsNormGradKernel(
  op: string,
  { dy, x, gamma, dTotal, axes, epsilon }: RmsNormGradient,
  parameters: boolean,
): [dx: Tensor, dGamma: Tensor | null] {
  const lines = linesOver(x.shape, axes) as Lines;
  const dx = output(x.device, x, op);
  const spec = { shape: axes.map((axis) => x.shape[axis] as number), dtype: x.dtype };
  const whole = [x, dy, dx, dTotal, gamma].filter((t) => t !== null);
  const { options, params, workgroups } = lineLaunch(whole, lines);
  const values = { length: lines.n, epsilon, ...params };
  const { lanes, workgroup, kept } = options;
  if (parameters && gamma && kept > 0 && lanes > 1 && lanes === workgroup) {
    const groups = Math.ceil(lines.count / Math.ceil(lines.count / maxRowGroups));
    const shares = output(x.device, { shape: [groups, lines.n], dtype: x.dtype }, op);
    x.device.launch(rowsGradient, {
      options: { residual: dTotal !== null, ...options },
      bindings: {
        x: x.storage,
        dy: dy.storage,
        ...(dTotal ? { d_total: dTotal.storage } : {}),
        gamma: gamma.storage,
        out: dx.storage,
        shares: shares.storage,
      },
      params: values,
      workgroups: groups,
    });
    return [dx, ...kernels().reduceKernel(op, shares, [0], [spec], { combine: 'a + b' })];
  }
  const scales = parameters ? output(x.device, { shape: [lines.count], dtype: x.dtype }, op) : null;
  x.device.launch(gradient, {
    options: { gamma: gamma !== null, residual: dTotal !== null, scales: parameters, ...options },
    bindings: {
      x: x.storage,
      dy: dy.storage,
      ...(dTotal ? { d_total: dTotal.storage } : {}),
      ...(gamma ? { gamma: gamma.storage } : {}),
      out: dx.storage,
      ...(scales ? { scales: scales.storage } : {}),
    },
    params: values,
    workgroups,
  });
  if (!scales) return [dx, null];
  const rows = (t: Tensor) => view(t, { shape: [lines.count, lines.n], dtype: t.dtype }, op);
  const [dGamma] = kernels().reduceKernel(
    op,
    rows(dy),
    [0],
    [spec],
    { prepare: 'value * (b * c)', combine: 'a + b' },
    [
      { values: rows(x), along: 'elements' },
      { values: scales, along: 'positions' },
    ],
  );
  return [dx, dGamma];
}

function composed(op: string, { x, residual, gamma, axes, epsilon }: RmsNormCall): [Tensor, Tensor | null] {
  const { elementwiseKernel, reduceKernel } = kernels();
  const total = residual && elementwiseKernel(op, 'a + b', [x, residual], x);
  const values = total ?? x;
  const one = { shape: x.shape.map((n, i) => (axes.includes(i) ? 1 : n)), dtype: x.dtype };
  const [square] = reduceKernel(op, values, axes, [one], {
    prepare: 'value * value',
    combine: 'a + b',
    finish: ['a / params.length'],
    empty: [Number.NaN],
  });
  const scale = 'inverseSqrt(b + params.alpha)';
  const scalars = { alpha: epsilon };
  if (!gamma) return [elementwiseKernel(op, `a * ${scale}`, [values, square], x, scalars), total];
  const shape = x.shape.map((n, i) => (axes.includes(i) ? n : 1));
  const spread = view(gamma, { shape, dtype: gamma.dtype }, op);
  return [elementwiseKernel(op, `a * (${scale} * c)`, [values, square, spread], x, scalars), total];
}
