/**
 * @file Common code of conv2d and depthwiseConv2d. A convolution has three directions: forward, the gradient for the
 * image, and the gradient for the kernel. The gradients of each are the other two, so that derivatives of any order exist.
 */
import { type ConvolutionOptions, requireCotangent } from '../../core/convolution.ts';
import type { OptionNames } from '../../core/options.ts';
import { checkShape, type Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { readsOther } from '../define/definition.ts';

export interface InputGradOptions extends ConvolutionOptions {
  /** Shape of the image whose gradient is computed. */
  inputShape: Shape;
}

export interface FilterGradOptions extends ConvolutionOptions {
  /** Shape of the kernel whose gradient is computed. */
  kernelShape: Shape;
}

/** The options that may be passed by position. */
export type ConvolutionPositions = ['strides', 'padding'];

/** For the `options` of definitions. */
export const convolutionOptionNames: OptionNames<ConvolutionOptions, ConvolutionPositions[number]> = {
  strides: true,
  padding: true,
  dilationRate: false,
  groups: false,
};

type Forward = Op<
  [x: Tensor, kernel: Tensor],
  ConvolutionOptions,
  Tensor<'float32'>,
  'unknown',
  ConvolutionPositions
>;
type InputGrad = Op<
  [dy: Tensor, kernel: Tensor],
  InputGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['inputShape', ...ConvolutionPositions]
>;
type FilterGrad = Op<
  [x: Tensor, dy: Tensor],
  FilterGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['kernelShape', ...ConvolutionPositions]
>;

/** Launches one direction, from its two operands into `spec`. */
type Launch<G> = (op: string, geometry: G, first: Tensor, second: Tensor, spec: TensorSpec) => Tensor;

/** A kind of convolution, with geometry `G`. */
export interface ConvolutionFamily<G> {
  name: 'conv2d' | 'depthwiseConv2d';
  /** The names of the options that describe the convolution. */
  options: OptionNames<ConvolutionOptions, ConvolutionPositions[number]>;
  acceptsFloat16: boolean;
  /** The geometry, and the shape of the result. Errors: ShapeError, DTypeError, ValueError. */
  plan(
    op: string,
    x: TensorSpec,
    kernel: TensorSpec,
    options: ConvolutionOptions,
  ): { geometry: G; result: number[] };
  launch: { forward: Launch<G>; inputGrad: Launch<G>; filterGrad: Launch<G> };
  /** The cost of each direction, from the specs of the forward result and of the kernel. */
  cost(result: TensorSpec, kernel: TensorSpec): Cost;
  /** The ops of this family. A function, since they refer to each other. */
  ops(): { forward: Forward; inputGrad: InputGrad; filterGrad: FilterGrad };
}

const spec = (shape: Shape): TensorSpec => ({ shape: [...shape], dtype: 'float32' });

/** Returns the options that describe the convolution itself, for another direction. */
function shared({ strides, padding, dilationRate, groups }: ConvolutionOptions): ConvolutionOptions {
  const own = { strides, padding, dilationRate };
  // A depthwise convolution has no groups.
  return groups === undefined ? own : { groups, ...own };
}

/** The operands of a convolution; null if neither it nor its gradient is needed. */
interface Operands {
  inputs: readonly [x: Tensor, kernel: Tensor];
  inputSpecs: readonly [x: TensorSpec, kernel: TensorSpec, ...unknown[]];
  needs: readonly [x: boolean, kernel: boolean, ...boolean[]];
  options: ConvolutionOptions;
}

/** The gradients of a convolution for its image and its kernel; null where one isn't needed. */
export function convolutionGradients<G>(
  family: ConvolutionFamily<G>,
  dy: Tensor,
  { inputs: [x, kernel], inputSpecs, needs, options }: Operands,
): [Tensor | null, Tensor | null] {
  const { inputGrad, filterGrad } = family.ops();
  const own = shared(options);
  return [
    needs[0] ? inputGrad(dy, kernel, { inputShape: inputSpecs[0].shape, ...own }) : null,
    needs[1] ? filterGrad(x, dy, { kernelShape: inputSpecs[1].shape, ...own }) : null,
  ];
}

/* @__NO_SIDE_EFFECTS__ */
export function defineForward<G>(family: ConvolutionFamily<G>): Forward {
  const { name, options, acceptsFloat16, plan, launch, cost } = family;
  return defineOp({
    name,
    inputs: ['x', 'kernel'],
    options,
    acceptsFloat16: acceptsFloat16 && [0, 1],
    infer: ([x, kernel], options) => {
      const { geometry, result } = plan(name, x, kernel, options);
      return { geometry, ...spec(result) };
    },
    remembersPlans: true,
    readsInputs: readsOther,
    forward: ([x, kernel], plan) => launch.forward(name, plan.geometry, x, kernel, plan),
    backward: ([dy], saved) => convolutionGradients(family, dy, saved),
    cost: ([, kernel], [result]) => cost(result, kernel),
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function defineInputGrad<G>(family: ConvolutionFamily<G>): InputGrad {
  const { options, acceptsFloat16, plan, launch, cost } = family;
  const name = `${family.name}InputGrad` as const;
  return defineOp({
    name,
    inputs: ['dy', 'kernel'],
    options: { inputShape: true, ...options },
    acceptsFloat16: acceptsFloat16 && [1],
    infer: ([dy, kernel], options) => {
      checkShape(name, options.inputShape);
      const x = spec(options.inputShape);
      const { geometry, result } = plan(name, x, kernel, options);
      requireCotangent(name, dy, result);
      return { geometry, ...x };
    },
    remembersPlans: true,
    readsInputs: readsOther,
    forward: ([dy, kernel], plan) => launch.inputGrad(name, plan.geometry, dy, kernel, plan),
    backward: ([dx], { inputs: [dy, kernel], inputSpecs, needs, options }) => {
      const { forward, filterGrad } = family.ops();
      const own = shared(options);
      return [
        needs[0] ? forward(dx, kernel, own) : null,
        needs[1] ? filterGrad(dx, dy, { kernelShape: inputSpecs[1].shape, ...own }) : null,
      ];
    },
    cost: ([dy, kernel]) => cost(dy, kernel),
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function defineFilterGrad<G>(family: ConvolutionFamily<G>): FilterGrad {
  const { options, acceptsFloat16, plan, launch, cost } = family;
  const name = `${family.name}FilterGrad` as const;
  return defineOp({
    name,
    inputs: ['x', 'dy'],
    options: { kernelShape: true, ...options },
    acceptsFloat16: acceptsFloat16 && [0],
    infer: ([x, dy], options) => {
      checkShape(name, options.kernelShape);
      const kernel = spec(options.kernelShape);
      const { geometry, result } = plan(name, x, kernel, options);
      requireCotangent(name, dy, result);
      return { geometry, ...kernel };
    },
    remembersPlans: true,
    readsInputs: readsOther,
    forward: ([x, dy], plan) => launch.filterGrad(name, plan.geometry, x, dy, plan),
    backward: ([dk], { inputs: [x, dy], inputSpecs, needs, options }) => {
      const { forward, inputGrad } = family.ops();
      const own = shared(options);
      return [
        needs[0] ? inputGrad(dy, dk, { inputShape: inputSpecs[0].shape, ...own }) : null,
        needs[1] ? forward(x, dk, own) : null,
      ];
    },
    cost: ([, dy], [kernel]) => cost(dy, kernel),
  });
}
