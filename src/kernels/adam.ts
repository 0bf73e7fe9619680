/** @file Launches a step of Adam. */
import { adam, type AdamOptions, adamWorkgroup } from '../../shaders/adam.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Variable } from '../tensor/variable.ts';
import { bindsAsVectors } from './output.ts';

const kernel = defineKernel({
  name: 'adam',
  bindings: ({ element }: AdamOptions): Bindings => ({
    gradient: `read ${element}`,
    momentum: `read_write ${element}`,
    velocity: `read_write ${element}`,
    values: `read_write ${element}`,
  }),
  params: { count: 'u32', rate: 'f32', momentum_share: 'f32', velocity_share: 'f32', epsilon: 'f32' },
  source: adam,
});

export interface AdamStep {
  /** The learning rate with both bias corrections. */
  rate: number;
  /** Share of the gradient in its running mean: 1 - beta1. */
  momentumShare: number;
  /** Share of the squared gradient in its running mean: 1 - beta2. */
  velocityShare: number;
  epsilon: number;
}

/** Moves `values` by one step, and its moments with it. All four have one shape, and are float32. */
export function adamKernel(
  values: Variable,
  gradient: Tensor,
  momentum: Variable,
  velocity: Variable,
  { rate, momentumShare, velocityShare, epsilon }: AdamStep,
): void {
  if (values.size === 0) return;
  const written = { momentum, velocity, values };
  const bindings = Object.fromEntries(
    Object.entries(written).map(([name, variable]) => [name, variable.writableStorage()]),
  );
  const vectors = [gradient, momentum, velocity, values].every(bindsAsVectors);
  const count = vectors ? Math.ceil(values.size / 4) : values.size;
  values.device.launch(kernel, {
    options: { element: vectors ? 'vec4<f32>' : 'f32' },
    bindings: { gradient: gradient.storage, ...bindings },
    params: {
      count,
      rate,
      momentum_share: momentumShare,
      velocity_share: velocityShare,
      epsilon,
    },
    workgroups: Math.ceil(count / adamWorkgroup),
  });
}
