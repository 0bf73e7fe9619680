/**
 * @file Launches softmax, logSoftmax and their gradients. A fused kernel has whole lines; few lines that are long take a
 * reduction, which splits them, and an elementwise map.
 */
import { softmax, softmaxGradient, type SoftmaxOptions, softmaxWorkgroup } from '../../shaders/softmax.ts';
import type { TensorSpec } from '../core/spec.ts';
import { defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { elementwiseKernel } from './elementwise.ts';
import { isFewAndLong, lanesFor, type Lines, linesAlong, orderOf } from './lanes.ts';
import { output } from './output.ts';
import { reduceKernel } from './reduce.ts';

export type SoftmaxKind = SoftmaxOptions['kind'];

const params = { count: 'u32', n: 'u32', inner: 'u32' } as const;

const forward = defineKernel({
  name: 'softmax',
  bindings: { x: 'read f32', out: 'write f32' },
  params,
  source: softmax,
});

const gradient = defineKernel({
  name: 'softmax gradient',
  bindings: { dy: 'read f32', y: 'read f32', out: 'write f32' },
  params,
  source: softmaxGradient,
});

/** softmax or logSoftmax of `x` along `axis`. */
export function softmaxKernel(kind: SoftmaxKind, x: Tensor, axis: number): Tensor {
  const lines = linesAlong(x.shape, axis);
  if (isFewAndLong(x.device, lines)) return splitSoftmax(kind, x, axis);
  const out = output(x.device, x, kind);
  if (out.size > 0) {
    x.device.launch(forward, { ...launchOf(kind, x, lines), bindings: { x: x.storage, out: out.storage } });
  }
  return out;
}

/** What `dy` becomes on its way back through an output `y`. */
export function softmaxGradientKernel(kind: SoftmaxKind, dy: Tensor, y: Tensor, axis: number): Tensor {
  const lines = linesAlong(y.shape, axis);
  if (isFewAndLong(y.device, lines)) return splitGradient(kind, dy, y, axis);
  const out = output(y.device, y, `${kind} gradient`);
  if (out.size > 0) {
    const bindings = { dy: dy.storage, y: y.storage, out: out.storage };
    y.device.launch(gradient, { ...launchOf(kind, y, lines), bindings });
  }
  return out;
}

function launchOf(kind: SoftmaxKind, x: Tensor, lines: Lines) {
  const lanes = lanesFor(x.device, lines, softmaxWorkgroup);
  return {
    options: { kind, lanes, order: orderOf(lines) },
    params: { ...lines },
    workgroups: Math.ceil((lines.count * lanes) / softmaxWorkgroup),
  };
}

/** The spec of one value a line. */
function lineSpec(x: TensorSpec, axis: number): TensorSpec {
  return { shape: x.shape.map((n, i) => (i === axis ? 1 : n)), dtype: 'float32' };
}

function splitSoftmax(kind: SoftmaxKind, x: Tensor, axis: number): Tensor {
  const spec = lineSpec(x, axis);
  const total = 'select(a.y, nan_value(), is_infinite(a.x))';
  const [high, sum] = reduceKernel(kind, x, [axis], [spec, spec], {
    accumulator: 'vec2<f32>',
    initial: 'vec2<f32>(-infinity(), 0.0)',
    prepare: 'exponential_of(value)',
    combine: 'add_exponentials(a, b)',
    finish: ['a.x', kind === 'softmax' ? total : `log(${total})`],
  });
  const map = kind === 'softmax' ? 'exp(a - b) / c' : 'a - b - c';
  return elementwiseKernel(kind, map, [x, high as Tensor, sum as Tensor], x);
}

function splitGradient(kind: SoftmaxKind, dy: Tensor, y: Tensor, axis: number): Tensor {
  const op = `${kind} gradient`;
  const summed = kind === 'softmax' ? elementwiseKernel(op, 'a * b', [dy, y], y) : dy;
  const [total] = reduceKernel(op, summed, [axis], [lineSpec(y, axis)], { combine: 'a + b' });
  const map = kind === 'softmax' ? 'b * (a - c)' : 'a - exp(b) * c';
  return elementwiseKernel(op, map, [dy, y, total as Tensor], y);
}
