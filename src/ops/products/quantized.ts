/**
 * @file Ops with a frozen matrix in few bits (tensor/quantizedTensor.ts): quantizedMatMul, quantizedGather and dequantize. Sums are
 * float32. Kernels widen weights as they read them; software adapters multiply a float32 copy, which lives during the call.
 */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../core/options.ts';
import { describe, sizeOf } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import {
  dequantizeKernel,
  multipliesPacked,
  type PackedWeights,
  quantizedMatMulKernel,
} from '../../kernels/quantized.ts';
import { QuantizedTensor, type QuantizedLayout } from '../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { gather } from '../indexing/gather.ts';
import { checkIndices, checkingOf, type IndexOptions, readsAsZeros } from '../define/indices.ts';
import { matMul } from './matMul.ts';
import type { TensorLike } from '../define/operands.ts';
import type { SymbolicTensor } from '../define/recorders.ts';

type Optional = Tensor | null;
type Packed = readonly [packed: Tensor, scales: Optional, zeros: Optional];

/** Which axis of the weights is summed over. */
interface MatMulOptions extends QuantizedLayout {
  over: 'length' | 'channels';
}

const layoutOf = ({ format, channels, length, groupSize, scaling }: QuantizedLayout): QuantizedLayout => ({
  format,
  channels,
  length,
  groupSize,
  scaling,
});

const weightsOf = (layout: QuantizedLayout, [packed, scales, zeros]: Packed): PackedWeights => ({
  ...layoutOf(layout),
  packed,
  scales,
  zeros,
});

const unchecked = { check: 'none' } as const;

const multiplied: Op<[x: Tensor, packed: Tensor, scales: Optional, zeros: Optional], MatMulOptions> =
  /* @__PURE__ */ defineOp({
    name: 'quantizedMatMul',
    inputs: ['x', 'packed', 'scales?', 'zeros?'],
    save: { inputs: [1, 2, 3] },
    infer: ([x], options) => {
      const { channels, length, over } = options;
      const [terms, columns] = over === 'length' ? [length, channels] : [channels, length];
      requireDType('quantizedMatMul', 'x', x.dtype, ['float32']);
      if (x.shape.at(-1) !== terms) {
        throw new ShapeError({
          op: 'quantizedMatMul',
          rule: `the last axis of \`x\` has ${terms} elements, the ${over} of the weights.`,
          received: `x ${formatSpec(x)}, weights [${channels}, ${length}]`,
          hint:
            over === 'length'
              ? "weights are [channels, length]; over: 'channels' sums over the other axis."
              : "weights are [channels, length]; over: 'length' sums over the other axis.",
        });
      }
      return { ...options, shape: [...x.shape.slice(0, -1), columns], dtype: 'float32' };
    },
    forward: ([x, ...packed], plan) => {
      const weights = weightsOf(plan, packed);
      const { over, shape, channels, length } = plan;
      if (multipliesPacked(x)) return quantizedMatMulKernel('quantizedMatMul', x, weights, over, shape);
      const wide = dequantizeKernel('quantizedMatMul', weights, null, [channels, length], unchecked);
      return matMul(x, wide, { transposeB: over === 'length' });
    },
    formula: ([x, ...packed], plan) =>
      matMul(x, widened(...packed, layoutOf(plan)), { transposeB: plan.over === 'length' }),
    backward: ([dy], { inputs: [, ...packed], plan }) => {
      const over = plan.over === 'length' ? ('channels' as const) : ('length' as const);
      return [multiplied(dy, ...packed, { ...layoutOf(plan), over }), null, null, null];
    },
    cost: ([x], _, { channels, length, over }): Cost => ({
      flops: 2 * sizeOf(x.shape) * (over === 'length' ? channels : length),
    }),
  });

const widened: Op<[packed: Tensor, scales: Optional, zeros: Optional], QuantizedLayout> =
  /* @__PURE__ */ defineOp({
    name: 'dequantize',
    inputs: ['packed', 'scales?', 'zeros?'],
    infer: (_, { channels, length }) => ({ shape: [channels, length], dtype: 'float32' }),
    forward: (packed, { shape }, { options }) =>
      dequantizeKernel('dequantize', weightsOf(options, packed), null, shape, unchecked),
    backward: null,
  });

interface GatherOptions extends QuantizedLayout, IndexOptions {}

const gathered: Op<[indices: Tensor, packed: Tensor, scales: Optional, zeros: Optional], GatherOptions> =
  /* @__PURE__ */ defineOp({
    name: 'quantizedGather',
    inputs: ['indices:int32', 'packed', 'scales?', 'zeros?'],
    infer: ([indices], options) => {
      checkIndices('quantizedGather', 'indices', indices, options);
      return { shape: [...indices.shape, options.length], dtype: 'float32' };
    },
    forward: ([indices, ...packed], { shape }, call) => {
      const { options } = call;
      const { channels, length } = options;
      const checking = checkingOf(call, indices, options, {
        input: 0,
        name: 'indices',
        of: `the weights [${channels}, ${length}]`,
        axes: [0],
        limits: [channels],
        hint: readsAsZeros,
      });
      return dequantizeKernel('quantizedGather', weightsOf(options, packed), indices, shape, checking);
    },
    formula: ([indices, ...packed], _, options) => gather(widened(...packed, layoutOf(options)), indices),
    backward: null,
  });

export interface QuantizedMatMulOptions {
  /**
   * Which axis of the weights [channels, length] is summed over: 'length' (default), so that the result has the channels as last
   * axis, or 'channels', as in the gradient.
   */
  over?: 'length' | 'channels';
}

const matMulNames: OptionNames<QuantizedMatMulOptions> = { over: false };

/** Errors: ValueError unless it is a QuantizedTensor. */
function requireWeights(op: string, weights: unknown): asserts weights is QuantizedTensor {
  if (weights instanceof QuantizedTensor) return;
  throw new ValueError({
    op,
    rule: '`weights` is a QuantizedTensor.',
    received: describe(weights),
    hint: 'make it by quantizedTensor({ format, shape, values, scales }).',
  });
}

/**
 * x wᵀ for frozen weights w [channels, length] in few bits. Shapes: x [..., length] → [..., channels]; with `over: 'channels'`
 * x w, [..., channels] → [..., length]. float32, also sums. x has gradients of every order, the weights none.
 *
 * On GPUs each weight of up to eight rows is read once; more rows take tiles. Errors: ShapeError, DTypeError for an x that
 * doesn't fit; ValueError for other weights and options.
 */
export function quantizedMatMul(
  x: TensorLike,
  weights: QuantizedTensor,
  options?: QuantizedMatMulOptions,
): Tensor<'float32'>;
export function quantizedMatMul(
  x: TensorLike | SymbolicTensor,
  weights: QuantizedTensor,
  options?: QuantizedMatMulOptions,
): SymbolicTensor;
export function quantizedMatMul(
  x: TensorLike | SymbolicTensor,
  weights: QuantizedTensor,
  options: QuantizedMatMulOptions = {},
  ...extra: unknown[]
): Tensor | SymbolicTensor {
  rejectExtraArguments('quantizedMatMul', extra, ['x', 'weights', 'options']);
  checkOptions('quantizedMatMul', options, matMulNames);
  requireWeights('quantizedMatMul', weights);
  const { over = 'length' } = options;
  if (over !== 'length' && over !== 'channels') {
    throw new ValueError({
      op: 'quantizedMatMul',
      rule: "`over` is 'length' or 'channels'.",
      received: `over: ${describe(over)}`,
      hint: 'name the axis of the weights that is summed over.',
    });
  }
  const { packed, scales, zeros } = weights;
  return multiplied(x as TensorLike, packed, scales, zeros, { ...layoutOf(weights), over });
}

/**
 * The channels of frozen weights [channels, length] at integer `indices` (int32 or uint32, any rank), as float32: an embedding whose
 * table has few bits. Shapes: indices [...] → [..., length]. No gradient: the weights are frozen.
 * Errors: IndexOutOfRangeError as for `gather`, unless `validateIndices` is false, where such rows are zeros; ValueError for other weights.
 */
export function quantizedGather(
  weights: QuantizedTensor,
  indices: TensorLike,
  options?: { validateIndices?: boolean },
): Tensor<'float32'>;
export function quantizedGather(
  weights: QuantizedTensor,
  indices: TensorLike | SymbolicTensor,
  options?: { validateIndices?: boolean },
): SymbolicTensor;
export function quantizedGather(
  weights: QuantizedTensor,
  indices: TensorLike | SymbolicTensor,
  options: { validateIndices?: boolean } = {},
  ...extra: unknown[]
): Tensor | SymbolicTensor {
  rejectExtraArguments('quantizedGather', extra, ['weights', 'indices', 'options']);
  checkOptions('quantizedGather', options, { validateIndices: false });
  requireWeights('quantizedGather', weights);
  const { packed, scales, zeros } = weights;
  return gathered(indices as TensorLike, packed, scales, zeros, { ...layoutOf(weights), ...options });
}

/** Frozen weights as a float32 tensor [channels, length]. It has no gradient. Errors: ValueError for other weights. */
export function dequantize(weights: QuantizedTensor): Tensor<'float32'>;
export function dequantize(weights: QuantizedTensor, ...extra: unknown[]): Tensor<'float32'> {
  rejectExtraArguments('dequantize', extra, ['weights']);
  requireWeights('dequantize', weights);
  const { packed, scales, zeros } = weights;
  return widened(packed, scales, zeros, layoutOf(weights)) as Tensor<'float32'>;
}
