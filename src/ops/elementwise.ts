/**
 * @file Makers of elementwise ops: what unary, binary and ternary ops have in common.
 */
import { type DType, promote, requireDType } from '../core/dtype.ts';
import { broadcastAxes, broadcastShapes, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { elementwiseKernel, type Scalars } from '../kernels/elementwise.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { cast } from './cast.ts';
import { defineOp, type Op } from './define.ts';
import { sum } from './sum.ts';
import { reshape } from './reshape.ts';

const floats: readonly DType[] = ['float32'];
const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

export interface UnaryDefinition<O extends object> {
  name: string;
  /** WGSL expression of `a`; a function where it depends on the dtype or the options. */
  expression: string | ((dtype: DType, options: O) => string);
  /** Dtypes it takes. Default: float32 alone. */
  dtypes?: readonly DType[];
  /** Dtype of the result. Default: the input's. */
  result?: (dtype: DType) => DType;
  /** Values of `params.alpha` and `params.beta`. */
  scalars?: (options: O) => Scalars;
  /** Checks the options; throws. */
  check?: (options: O) => void;
  /** The gradient from the cotangent, the input and the output; null where there is none. */
  gradient: ((dy: Tensor, x: Tensor, y: Tensor, options: O) => Tensor) | null;
  /** What `gradient` reads. Default: the input. */
  reads?: 'input' | 'output' | 'both' | 'neither';
}

/* @__NO_SIDE_EFFECTS__ */
export function defineUnary<O extends object = object>(
  definition: UnaryDefinition<O>,
): Op<[x: Tensor], O, Tensor> {
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
      const text = typeof expression === 'string' ? expression : expression((x as Tensor).dtype, options);
      return elementwiseKernel(name, text, [x as Tensor], spec as TensorSpec, scalars?.(options));
    },
    backward:
      gradient &&
      (([dy], { inputs: [x], outputs: [y] }, options) => [
        gradient(dy as Tensor, x as Tensor, y as Tensor, options),
      ]),
    save: {
      inputs: reads === 'input' || reads === 'both' ? [0] : [],
      outputs: reads === 'output' || reads === 'both' ? [0] : [],
    },
  });
}

export interface BinaryDefinition {
  name: string;
  /** WGSL expression of `a` and `b`; a function where it depends on the common dtype. */
  expression: string | ((dtype: DType) => string);
  /** Common dtypes it takes. Default: float32, int32, uint32. */
  dtypes?: readonly DType[];
  /** Dtype of the result. Default: the common dtype. */
  result?: (dtype: DType) => DType;
  /** Gradients for both operands in the output's shape, before the sum over broadcast axes; null where there are none. */
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

/* @__NO_SIDE_EFFECTS__ */
export function defineBinary(definition: BinaryDefinition): Op<[x: Tensor, y: Tensor], object, Tensor> {
  const { name, expression, dtypes = numbers, result, gradient, reads } = definition;
  return defineOp<[x: Tensor, y: Tensor]>({
    name,
    inputs: ['x', 'y'],
    infer: (specs) => {
      const [x, y] = specs as [TensorSpec, TensorSpec];
      const common = promote(name, x.dtype, y.dtype);
      requireDType(name, 'the operands', common, dtypes);
      return { shape: broadcastShapes(name, x.shape, y.shape), dtype: result ? result(common) : common };
    },
    forward: (inputs, _, { outputs: [spec] }) => {
      const [x, y] = inputs as [Tensor, Tensor];
      const common = promote(name, x.dtype, y.dtype);
      const text = typeof expression === 'string' ? expression : expression(common);
      return elementwiseKernel(name, text, [cast(x, common), cast(y, common)], spec as TensorSpec);
    },
    backward:
      gradient &&
      (([dy], { inputs: [x, y], outputs: [out], inputSpecs, needs }) =>
        gradient(dy as Tensor, x as Tensor, y as Tensor, needs, out as Tensor).map((g, i) =>
          g && needs[i] ? sumToShape(g, (inputSpecs[i] as TensorSpec).shape) : null,
        )),
    ...(reads ? { save: reads } : {}),
  });
}

/** Undoes a broadcast: sums over the axes along which a tensor of `shape` was repeated. */
export function sumToShape(x: Tensor, shape: Shape): Tensor {
  const axes = broadcastAxes(shape, x.shape);
  const summed = axes.length > 0 ? sum(x, { axis: axes }) : x;
  return summed.shape.length === shape.length && summed.shape.every((n, i) => n === shape[i])
    ? summed
    : reshape(summed, { shape });
}
