/**
 * @file Launches softmax, logSoftmax and their gradients. A fused kernel computes whole lines; a few long lines use a
 * reduction, which splits them, and an elementwise launch.
 */
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import { softmax, type SoftmaxOptions } from '../../../shaders/softmax.ts';
import { softmaxGradient } from '../../../shaders/softmaxGradient.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { mustSplit, lineLaunch, linesAlong } from '../selection/lanes.ts';
import { kernels } from '../loading/loadKernels.ts';
import * as math from '../elementwise/math.ts';
import { output } from '../launch/output.ts';

export type SoftmaxKind = SoftmaxOptions['kind'];

const element = (width: 1 | 4) => (width === 4 ? 'vec4<f32>' : 'f32');

const params = { count: 'u32', n: 'u32', inner: 'u32' } as const;

const forward = defineKernel({
  name: 'softmax',
  bindings: ({ width }: SoftmaxOptions): Bindings => ({
    x: `read ${element(width)}`,
    out: `write ${element(width)}`,
  }),
  params,
  directives: laneDirectives,
  source: softmax,
});

const gradient = defineKernel({
  name: 'softmax gradient',
  bindings: ({ width }: SoftmaxOptions): Bindings => ({
    dy: `read ${element(width)}`,
    y: `read ${element(width)}`,
    out: `write ${element(width)}`,
  }),
  params,
  directives: laneDirectives,
  source: softmaxGradient,
});

/** softmax or logSoftmax of `x` along `axis`. */
export function softmaxKernel(kind: SoftmaxKind, x: Tensor, axis: number): Tensor {
  const lines = linesAlong(x.shape, axis);
  if (mustSplit(profileOf(x.device), lines)) return splitSoftmax(kind, x, axis);
  const out = output(x.device, x, kind);
  if (out.size > 0) {
    // A logSoftmax that is unrolled also saves a sweep.
    const { options, ...launch } = lineLaunch([x, out], lines, kind === 'logSoftmax' ? 8 : undefined);
    const bindings = { x: x.storage, out: out.storage };
    x.device.launch(forward, { options: { kind, ...options }, bindings, ...launch });
  }
  return out;
}

/** Computes the gradient of softmax or logSoftmax, from the cotangent `dy` and the output `y`. */
export function softmaxGradientKernel(kind: SoftmaxKind, dy: Tensor, y: Tensor, axis: number): Tensor {
  const lines = linesAlong(y.shape, axis);
  if (mustSplit(profileOf(y.device), lines)) return splitGradient(kind, dy, y, axis);
  const out = output(y.device, y, `${kind} gradient`);
  if (out.size > 0) {
    const { options, ...launch } = lineLaunch([y, dy, out], lines);
    const bindings = { dy: dy.storage, y: y.storage, out: out.storage };
    y.device.launch(gradient, { options: { kind, ...options }, bindings, ...launch });
  }
  return out;
}

/** Returns the spec of a tensor with one value per line. */
function lineSpec(x: TensorSpec, axis: number): TensorSpec {
  return { shape: x.shape.map((n, i) => (i === axis ? 1 : n)), dtype: 'float32' };
}

function splitSoftmax(kind: SoftmaxKind, x: Tensor, axis: number): Tensor {
  const spec = lineSpec(x, axis);
  const total = `select(a.y, ${math.nanValue()}, ${math.isInfinite('a.x')} || a.y == 0.0)`;
  const [high, sum] = kernels().reduceKernel(kind, x, [axis], [spec, spec], {
    accumulator: 'vec2<f32>',
    initial: math.noExponentials(),
    prepare: math.exponentialOf('value'),
    combine: math.addExponentials('a', 'b'),
    finish: ['a.x', kind === 'softmax' ? total : `log(${total})`],
  });
  const map = kind === 'softmax' ? 'exp(a - b) / c' : 'a - b - c';
  return kernels().elementwiseKernel(kind, map, [x, high as Tensor, sum as Tensor], x);
}

function splitGradient(kind: SoftmaxKind, dy: Tensor, y: Tensor, axis: number): Tensor {
  const op = `${kind} gradient`;
  const summed = kind === 'softmax' ? kernels().elementwiseKernel(op, 'a * b', [dy, y], y) : dy;
  const [total] = kernels().reduceKernel(op, summed, [axis], [lineSpec(y, axis)], { combine: 'a + b' });
  const map = kind === 'softmax' ? 'b * (a - c)' : 'a - exp(b) * c';
  return kernels().elementwiseKernel(op, map, [dy, y, total as Tensor], y);
}
