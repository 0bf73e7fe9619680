/**
 * @file Makers of elementwise ops: what unary and binary ops have in common.
 */
import { type ComputeDType, type DType, promote, requireDType } from '../core/dtype.ts';
import { broadcastAxes, broadcastShapes, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Scalars } from '../kernels/elementwise.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { cast } from './cast.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { sum } from './sum.ts';
import { reshape } from './reshape.ts';

export type UnaryOp<O extends object = object> = Op<[x: Tensor], O, Tensor>;
export type BinaryOp = Op<[x: Tensor, y: Tensor], object, Tensor>;

const floats: readonly DType[] = ['float32'];
const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

export interface UnaryDefinition<O extends object> {
  name: string;
  /** WGSL expression of `a`; a function where it depends on the dtype or the options. */
  expression: string | ((dtype: ComputeDType, options: O) => string);
  /** Dtypes it takes. Default: float32 alone. */
  dtypes?: readonly DType[];
  /** Dtype of the result. Default: the input's. */
  result?: (dtype: DType) => DType;
  /** Values of `params.alpha` and `params.beta`. */
  scalars?: (options: O) => Scalars;
  /** Checks the options; throws. */
  check?: (options: O) => void;
  /**
   * The gradient from the cotangent, and from the input or the output, whichever `reads` names; null where there is none.
   * A fused one is made by `defineSlope`.
   */
  gradient: ((dy: Tensor, read: Tensor, options: O) => Tensor) | null;
  /** What `gradient` reads. Default: the input. */
  reads?: 'input' | 'output' | 'neither';
}

/* @__NO_SIDE_EFFECTS__ */
export function defineUnary<O extends object = object>(definition: UnaryDefinition<O>): UnaryOp<O> {
  const { name, expression, dtypes = floats, result, scalars, check, gradient, reads = 'input' } = definition;
  return defineOp<[x: Tensor], O>({
    name,
    inputs: ['x'],
    infer: ([x], options) => {
      const { shape, dtype } = x as TensorSpec;
      requireDType(name, 'x', dtype, dtypes);
      check?.(options);
      return { shape, dtype: result ? result(dtype) : dtype };
    },
    forward: ([x], options, { outputs: [spec] }) => {
      const text =
        typeof expression === 'string'
          ? expression
          : expression((x as Tensor).dtype as ComputeDType, options);
      return core().elementwiseKernel(name, text, [x as Tensor], spec as TensorSpec, scalars?.(options));
    },
    backward:
      gradient &&
      (([dy], { inputs: [x], outputs: [y] }, options) => [
        gradient(dy as Tensor, (reads === 'output' ? y : x) as Tensor, options),
      ]),
    save: { inputs: reads === 'input' ? [0] : [], outputs: reads === 'output' ? [0] : [] },
    cost: perResult,
  });
}

export interface BinaryDefinition {
  name: string;
  /** WGSL expression of `a` and `b`; a function where it depends on the dtype that is computed in. */
  expression: string | ((dtype: ComputeDType) => string);
  /** Common dtypes it takes. Default: float32, int32, uint32. */
  dtypes?: readonly DType[];
  /** The dtype that is computed in, from the common dtype of the operands. Default: the common dtype. */
  computes?: (common: DType) => DType;
  /** Dtype of the result, from the dtype that is computed in. Default: that one. */
  result?: (dtype: DType) => DType;
  /**
   * Gradients for both operands in the output's shape, before the sum over broadcast axes; null where there are none.
   * x and y come in the dtype that was computed in.
   */
  gradient:
    | ((
        dy: Tensor,
        x: Tensor,
        y: Tensor,
        needs: readonly boolean[],
        out: Tensor,
      ) => readonly (Tensor | null)[])
    | null;
  /** What `gradient` reads. Default: both inputs. */
  reads?: { inputs: readonly number[]; outputs?: readonly number[] };
}

const itself = (dtype: DType) => dtype;

/* @__NO_SIDE_EFFECTS__ */
export function defineBinary(definition: BinaryDefinition): BinaryOp {
  const { name, expression, dtypes = numbers, gradient, reads } = definition;
  const { computes = itself, result = itself } = definition;
  return defineOp<[x: Tensor, y: Tensor]>({
    name,
    inputs: ['x', 'y'],
    infer: (specs) => {
      const [x, y] = specs as [TensorSpec, TensorSpec];
      const common = promote(name, x.dtype, y.dtype);
      requireDType(name, 'the operands', common, dtypes);
      return { shape: broadcastShapes(name, x.shape, y.shape), dtype: result(computes(common)) };
    },
    forward: (inputs, _, { outputs: [spec] }) => {
      const [x, y] = inputs as [Tensor, Tensor];
      const dtype = computes(promote(name, x.dtype, y.dtype));
      const text = typeof expression === 'string' ? expression : expression(dtype as ComputeDType);
      return core().elementwiseKernel(
        name,
        text,
        [converted(x, dtype), converted(y, dtype)],
        spec as TensorSpec,
      );
    },
    backward:
      gradient &&
      (([dy], { inputs, outputs: [out], inputSpecs, needs }) => {
        const specs = inputSpecs as readonly [TensorSpec, TensorSpec];
        const dtype = computes(promote(name, specs[0].dtype, specs[1].dtype));
        const [x, y] = inputs.map((input) => input && converted(input, dtype)) as [Tensor, Tensor];
        return gradient(dy as Tensor, x, y, needs, out as Tensor).map((g, i) =>
          g && needs[i] ? sumToShape(g, (specs[i] as TensorSpec).shape) : null,
        );
      }),
    ...(reads ? { save: reads } : {}),
    cost: perResult,
  });
}

/** `x` in `dtype`; x itself where it has it. */
export function converted(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : cast(x, dtype);
}

/** Undoes a broadcast: sums over the axes along which a tensor of `shape` was repeated. */
export function sumToShape(x: Tensor, shape: Shape): Tensor {
  const axes = broadcastAxes(shape, x.shape);
  const summed = axes.length > 0 ? sum(x, { axis: axes }) : x;
  return summed.shape.length === shape.length && summed.shape.every((n, i) => n === shape[i])
    ? summed
    : reshape(summed, { shape });
}
