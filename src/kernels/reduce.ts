/**
 * @file Launches reductions. Any set of axes is brought to one merged axis: neighbouring axes merge, and what isn't
 * neighbouring is reduced in several passes, innermost first.
 */
import { reduce, type ReduceOptions, reduceWorkgroup } from '../../shaders/reduce.ts';
import { wgslType } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { output, view } from './output.ts';

const kernel = defineKernel({
  name: 'reduce',
  bindings: ({ type, result }: ReduceOptions): Bindings => ({ x: `read ${type}`, out: `write ${result}` }),
  params: { count: 'u32', n: 'u32', inner: 'u32', scale: 'f32' },
  source: reduce,
});

/** How values fold. Expressions are WGSL, of `value` and `accumulator`. */
export interface Reduction {
  initial: string;
  combine: string;
  prepare?: string;
  finish?: string;
  accumulator?: string;
}

/** An axis this long is folded by a whole workgroup where there are too few outputs to fill the device. */
const cooperativeLength = 512;

/** Runs of neighbouring axes, as [first, last + 1], innermost first. */
function runsOf(axes: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const axis of [...axes].sort((a, b) => b - a)) {
    const open = runs.at(-1);
    if (open && open[0] === axis + 1) open[0] = axis;
    else runs.push([axis, axis + 1]);
  }
  return runs;
}

/**
 * Folds `x` over `axes` (ascending) into `spec`, whose shape drops them or keeps them as 1.
 * `prepare` is applied in the first pass, `finish` with `scale` in the last.
 */
export function reduceKernel(
  op: string,
  x: Tensor,
  axes: readonly number[],
  spec: TensorSpec,
  reduction: Reduction,
  scale = 1,
): Tensor {
  const {
    initial,
    combine,
    prepare = 'value',
    finish = 'accumulator',
    accumulator = wgslType(spec.dtype),
  } = reduction;
  const runs = runsOf(axes.filter((axis) => x.shape[axis] !== 1 || x.size === 0));
  if (runs.length === 0) runs.push([x.rank, x.rank]);
  let current = x;
  runs.forEach(([first, end], pass) => {
    const isLast = pass === runs.length - 1;
    const shape = [
      ...current.shape.slice(0, first),
      ...current.shape.slice(first, end).map(() => 1),
      ...current.shape.slice(end),
    ];
    const out = output(x.device, { shape, dtype: spec.dtype }, op);
    const n = sizeOf(current.shape.slice(first, end));
    const inner = sizeOf(current.shape.slice(end));
    if (out.size > 0) {
      const strategy = n >= cooperativeLength && out.size < 65536 ? 'cooperative' : 'serial';
      x.device.launch(kernel, {
        options: {
          type: wgslType(current.dtype),
          result: wgslType(spec.dtype),
          initial,
          combine,
          prepare: pass === 0 ? prepare : 'value',
          finish: isLast ? finish : 'accumulator',
          accumulator,
          strategy,
        },
        bindings: { x: current.storage, out: out.storage },
        params: { count: out.size, n, inner, scale },
        workgroups: strategy === 'serial' ? Math.ceil(out.size / reduceWorkgroup) : out.size,
      });
    }
    current = out;
  });
  return view(current, spec, op);
}
