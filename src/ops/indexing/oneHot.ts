/** @file oneHot */
import { type DType, requireDType } from '../../core/dtype.ts';
import type { Settings } from '../../core/options.ts';
import { requireNumber } from '../../core/integers.ts';
import { checkShape, normalizeAxis, requireInteger } from '../../core/shape.ts';
import { oneHotKernel } from '../../kernels/indexing/oneHot.ts';
import { checkDType } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op, type OpDefinition } from '../define/define.ts';
import { requireInt32 } from '../define/indices.ts';
import type { TensorLike } from '../define/operands.ts';
import type { SymbolicTensor } from '../define/recorders.ts';

export interface OneHotOptions<D extends DType = DType> {
  /** Size of the new axis. */
  depth: number;
  /** Where the new axis goes; negative axes count from the last of the result. Default -1. */
  axis?: number;
  /** The value at the index. Default 1. */
  onValue?: number;
  /** The value everywhere else. Default 0. */
  offValue?: number;
  /** Dtype of the result. Default float32. */
  dtype?: D;
}

type OneHotPositions = ['depth', 'onValue', 'offValue', 'dtype'];

/** The public signature: the option `dtype` determines the dtype of the result. */
export interface OneHot {
  <D extends DType = 'float32'>(
    indices: TensorLike,
    ...settings: Settings<OneHotOptions<D>, OneHotPositions>
  ): Tensor<D>;
  (
    indices: TensorLike | SymbolicTensor,
    ...settings: Settings<OneHotOptions, OneHotPositions>
  ): SymbolicTensor;
  readonly definition: OpDefinition<[indices: Tensor], OneHotOptions, Tensor>;
}

const oneHotOp: Op<[indices: Tensor], OneHotOptions, Tensor, 'unknown', OneHotPositions> =
  /* @__PURE__ */ defineOp({
    name: 'oneHot',
    inputs: ['indices:int32'],
    options: { depth: true, onValue: true, offValue: true, dtype: true, axis: false },
    infer: ([{ shape, dtype }], options) => {
      const { depth, axis = -1, onValue = 1, offValue = 0, dtype: result = 'float32' } = options;
      requireDType('oneHot', 'indices', dtype, ['int32', 'uint32']);
      requireInteger('oneHot', 'depth', depth, 0);
      checkDType('oneHot', result);
      requireNumber('oneHot', 'onValue', onValue, result);
      requireNumber('oneHot', 'offValue', offValue, result);
      const at = normalizeAxis('oneHot', axis, shape.length + 1);
      const out = [...shape.slice(0, at), depth, ...shape.slice(at)];
      checkShape('oneHot', out);
      return { shape: out, dtype: result, axis: at, onValue, offValue };
    },
    forward: ([indices], plan, { operands }) => {
      requireInt32('oneHot', 'indices', operands[0]);
      return oneHotKernel(indices, plan, plan.axis, plan.onValue, plan.offValue);
    },
    backward: null,
  });

/**
 * Indices (int32 or uint32) as rows along a new axis: `onValue` at the index, `offValue` elsewhere. An index outside
 * [0, depth) isn't a fault: its row holds only `offValue`.
 * Shape: that of the indices, with `depth` inserted at `axis`. It has no gradient.
 * Errors: DTypeError for other indices; ValueError for an invalid `depth`, axis or values.
 */
export const oneHot: OneHot = oneHotOp as OneHot;
