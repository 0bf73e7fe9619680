/** @file gatedActivation: SwiGLU and GeGLU. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireOneOf, sameShape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { type GatedActivation, gatedGradientKernel, gatedKernel } from '../../kernels/elementwise/gated.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { gelu, geluDerivative, silu, siluDerivative } from './activations.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { concat } from '../arrangement/concat.ts';
import { split } from '../arrangement/split.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';

export interface GatedActivationOptions {
  /** The function of the gate: 'silu' (SwiGLU, the default), 'gelu' (GeGLU), or 'geluTanh', its tanh approximation. */
  activation?: GatedActivation;
}

const op = 'gatedActivation';
const names: readonly GatedActivation[] = ['silu', 'gelu', 'geluTanh'];

type Optional = Tensor | null;

/** The activation of a gate. */
function activated(gate: Tensor, activation: GatedActivation): Tensor {
  return activation === 'silu' ? silu(gate) : gelu(gate, { approximate: activation === 'geluTanh' });
}

/** dy · f'(gate). */
function sloped(dy: Tensor, gate: Tensor, activation: GatedActivation): Tensor {
  return activation === 'silu'
    ? siluDerivative(dy, gate)
    : geluDerivative(dy, gate, { approximate: activation === 'geluTanh' });
}

/** Gate and up, which may be parts of one tensor. */
function partsOf(gate: Tensor, up: Optional): readonly [gate: Tensor, up: Tensor] {
  return up ? [gate, up] : (split(gate, { numOrSizeSplits: 2, axis: -1 }) as [Tensor, Tensor]);
}

type Inputs = [dy: Tensor, gate: Tensor, up: Optional];

/** The gradients of gate and up, or that of the tensor of both. */
const gradient: Op<Inputs, Required<GatedActivationOptions>, readonly Tensor[]> = /* @__PURE__ */ defineOp({
  name: 'gatedActivationGradient',
  inputs: ['dy', 'gate', 'up?'],
  takesNull: true,
  infer: ([, gate, up]) => [gate, up].filter((spec) => spec !== null).map(specOf),
  forward: ([dy, gate, up], _, { options: { activation } }) =>
    gatedGradientKernel(op, dy, { gate, up }, activation).filter((result) => result !== null),
  formula: ([dy, gate, up], _, { activation }) => {
    const [a, b] = partsOf(gate, up);
    const both = [sloped(mul(dy, b), a, activation), mul(dy, activated(a, activation))];
    return up ? both : [concat(both, { axis: -1 })];
  },
  backward: (cotangents, { inputs: [dy, gate, up], options: { activation } }) => {
    const [a, b] = partsOf(gate, up);
    const [first, second = null] = cotangents;
    const [u, v] = up || !first ? [first ?? null, second] : partsOf(first, null);
    const forDy = total(u && sloped(mul(u, b), a, activation), v && mul(v, activated(a, activation)));
    const forGate = total(u && bent(u, mul(dy, b), a, activation), v && sloped(mul(v, dy), a, activation));
    const forUp = u && sloped(mul(u, dy), a, activation);
    if (up) return [forDy, forGate, forUp];
    const zeros = mul(a, 0);
    return [forDy, concat([forGate ?? zeros, forUp ?? zeros], { axis: -1 }), null];
  },
});

const specOf = ({ shape, dtype }: TensorSpec): TensorSpec => ({ shape, dtype });

const total = (a: Optional, b: Optional) => (a && b ? add(a, b) : (a ?? b));

/** u · dy · f''(gate): the gradient of `sloped` for the gate. */
function bent(u: Tensor, dy: Tensor, gate: Tensor, activation: GatedActivation): Tensor {
  const options = { approximate: activation === 'geluTanh' };
  const { backward } = (activation === 'silu' ? siluDerivative : geluDerivative).definition;
  const saved = { inputs: [dy, gate], needs: [false, true], options };
  return (backward as (...args: unknown[]) => readonly Tensor[])([u], saved)[1] as Tensor;
}

/**
 * f(gate) · up, the gated linear units of transformers: SwiGLU with f = silu, GeGLU with gelu. float32. Shapes: gate and up of one
 * shape → the same. Without `up`, gate holds both along its last axis, gate first: [..., 2 n] → [..., n]. One launch, and one for the
 * gradients. Shazeer, "GLU variants improve transformer", 2020.
 * Errors: ShapeError for different shapes or an odd last axis, DTypeError, ValueError for an unknown activation.
 */
export const gatedActivation: Op<
  [gate: Tensor, up: Tensor | null],
  GatedActivationOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['gate', 'up?'],
  options: { activation: false },
  infer: ([gate, up], { activation = 'silu' }) => {
    requireOneOf(op, 'activation', activation, names);
    requireDType(op, 'gate', gate.dtype, ['float32']);
    if (up) requireDType(op, 'up', up.dtype, ['float32']);
    const size = gate.shape.at(-1) ?? 1;
    const fits = up ? sameShape(gate.shape, up.shape) : gate.shape.length > 0 && size % 2 === 0;
    if (!fits) {
      throw new ShapeError({
        op,
        rule: up
          ? '`gate` and `up` have the same shape.'
          : 'without `up`, the last axis of `gate` has an even number of elements.',
        received: [gate, up].flatMap((spec) => (spec ? [formatSpec(spec)] : [])).join(' and '),
        hint: 'pass both as tensors of one shape, or one tensor of [..., 2 n].',
      });
    }
    return { shape: up ? gate.shape : [...gate.shape.slice(0, -1), size / 2], dtype: gate.dtype, activation };
  },
  forward: ([gate, up], { activation }) => gatedKernel(op, { gate, up }, activation),
  formula: ([gate, up], { activation }) => {
    const [a, b] = partsOf(gate, up);
    return mul(activated(a, activation), b);
  },
  backward: ([dy], { inputs: [gate, up], plan: { activation } }) => {
    const [dGate, dUp = null] = gradient(dy, gate, up, { activation });
    return [dGate as Tensor, dUp];
  },
  cost: (_, [{ shape }]): Cost => ({ flops: 6 * sizeOf(shape) }),
});
