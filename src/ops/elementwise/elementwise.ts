/**
 * @file Common code of unary and binary elementwise ops.
 */
import { type ComputeDType, type DType, promote, requireDType } from '../../core/dtype.ts';
import type { OptionNames } from '../../core/options.ts';
import { broadcastShapes } from '../../core/shape.ts';
import type { Scalars } from '../../kernels/elementwise/elementwise.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { cast } from './cast.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import type { Save } from '../define/definition.ts';
import { sumToShape } from '../reductions/sum.ts';

/** Elementwise, in the dtype of x. */
export type UnaryOp<O extends object = object, P extends readonly string[] = []> = Op<
  [x: Tensor],
  O,
  Tensor,
  'first',
  P
>;
/** Elementwise, of floats. */
export type FloatOp<O extends object = object, P extends readonly string[] = []> = Op<
  [x: Tensor],
  O,
  Tensor<'float32'>,
  'unknown',
  P
>;
/** An elementwise predicate of x. */
export type PredicateOp = Op<[x: Tensor], object, Tensor<'bool'>>;
/** Elementwise, in the common dtype of both operands. */
export type BinaryOp = Op<[x: Tensor, y: Tensor], object, Tensor, 'promoted'>;
/** Elementwise, of two operands that are converted to floats. */
export type FloatBinaryOp = Op<[x: Tensor, y: Tensor], object, Tensor<'float32'>>;
/** An elementwise predicate of two operands. */
export type ComparisonOp = Op<[x: Tensor, y: Tensor], object, Tensor<'bool'>>;

const floats: readonly DType[] = ['float32'];
const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

export interface UnaryDefinition<O extends object, P extends readonly string[]> {
  name: string;
  /** WGSL expression of `a`; a function if it depends on the dtype or the options. */
  expression: string | ((dtype: ComputeDType, options: O) => string);
  /** Accepted dtypes. Default: only float32. */
  dtypes?: readonly DType[];
  /** Dtype of the result. Default: the input's. */
  result?: (dtype: DType) => DType;
  /** Values of `params.alpha` and `params.beta`. */
  scalars?: (options: O) => Scalars;
  /** Names of the options, if there are any: see `OpDefinition`. */
  options?: OptionNames<NoInfer<O>, NoInfer<P>[number]>;
  /** Throws if the options are invalid. */
  check?: (options: O) => void;
  /**
   * The gradient from the cotangent and the input or output, whichever `reads` names; null if there is none.
   * `defineDerivative` makes a fused one.
   */
  gradient: ((dy: Tensor, read: Tensor, options: O) => Tensor) | null;
  /** The values that `gradient` reads. Default: the input. One that reads neither ignores its second argument. */
  reads?: 'input' | 'output' | 'neither';
}

/* @__NO_SIDE_EFFECTS__ */
export function defineUnary<O extends object = object, const P extends readonly string[] = []>(
  definition: UnaryDefinition<O, P>,
): Op<[x: Tensor], O, Tensor, 'unknown', P> {
  const { name, expression, dtypes = floats, result, scalars, check, gradient, reads = 'input' } = definition;
  // A definition without names has no options.
  const { options = {} as OptionNames<O, P[number]> } = definition;
  return defineOp({
    name,
    inputs: ['x'],
    options,
    save: { inputs: reads === 'input' ? [0] : [], outputs: reads === 'output' ? [0] : [] },
    infer: ([{ shape, dtype }], options) => {
      requireDType(name, 'x', dtype, dtypes);
      check?.(options);
      return { shape, dtype: result ? result(dtype) : dtype };
    },
    forward: ([x], plan, { options }) => {
      const text = typeof expression === 'string' ? expression : expression(x.dtype as ComputeDType, options);
      return kernels().elementwiseKernel(name, text, [x], plan, scalars?.(options));
    },
    backward:
      gradient && (([dy], { inputs: [x], outputs: [y], options }) => [gradient(dy, y ?? x ?? dy, options)]),
    elementwise: true,
    cost: perResult,
  });
}

export interface BinaryDefinition {
  name: string;
  /** WGSL expression of `a` and `b`; a function if it depends on the dtype of the computation, or on what y is. */
  expression: string | ((dtype: ComputeDType, y: Tensor) => string);
  /** Accepted common dtypes. Default: float32, int32, uint32. */
  dtypes?: readonly DType[];
  /** The dtype of the computation, from the common dtype of the operands. Default: the common dtype. */
  computes?: (common: DType) => DType;
  /** Dtype of the result, from the dtype of the computation. Default: the same. */
  result?: (dtype: DType) => DType;
  /**
   * Gradients for both operands in the output's shape, before the sum over broadcast axes; null if there are none.
   * x and y have the dtype of the computation.
   */
  gradient:
    | ((
        dy: Tensor,
        x: Tensor,
        y: Tensor,
        needs: readonly [boolean, boolean],
        out: Tensor,
      ) => readonly [Tensor | null, Tensor | null])
    | null;
  /** The values that `gradient` reads. Default: both inputs. */
  reads?: Save;
  /** Which of these it reads if at most the inputs in `needs` get a gradient: see `OpDefinition`. Default: all. */
  readsInputs?: (needs: readonly [boolean, boolean]) => readonly [boolean, boolean];
  readsOutputs?: (needs: readonly [boolean, boolean]) => readonly [boolean];
}

const itself = (dtype: DType) => dtype;

/* @__NO_SIDE_EFFECTS__ */
export function defineBinary(definition: BinaryDefinition): Op<[x: Tensor, y: Tensor]> {
  const { name, expression, dtypes = numbers, gradient, reads = { inputs: [0, 1] } } = definition;
  const { computes = itself, result = itself, readsInputs, readsOutputs } = definition;
  return defineOp({
    name,
    inputs: ['x', 'y'],
    options: {},
    save: reads,
    ...(readsInputs && { readsInputs }),
    ...(readsOutputs && { readsOutputs }),
    infer: ([x, y]) => {
      const common = promote(name, x.dtype, y.dtype);
      requireDType(name, 'the operands', common, dtypes);
      const computed = computes(common);
      return { shape: broadcastShapes(name, x.shape, y.shape), dtype: result(computed), computed };
    },
    forward: ([x, y], plan) => {
      const { computed } = plan;
      const text = typeof expression === 'string' ? expression : expression(computed as ComputeDType, y);
      return kernels().elementwiseKernel(name, text, [converted(x, computed), converted(y, computed)], plan);
    },
    backward:
      gradient &&
      (([dOut], { inputs: [x, y], outputs: [out], inputSpecs, needs, plan }) => {
        const operand = (input: Tensor | undefined) => (input ? converted(input, plan.computed) : dOut);
        const [dx, dy] = gradient(dOut, operand(x), operand(y), needs, out ?? dOut);
        return [
          needs[0] && dx ? sumToShape(dx, inputSpecs[0].shape) : null,
          needs[1] && dy ? sumToShape(dy, inputSpecs[1].shape) : null,
        ];
      }),
    elementwise: true,
    cost: perResult,
  });
}

/** `x` converted to `dtype`; x itself if it already has it. */
export function converted(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : cast(x, dtype);
}
