/** @file The weights that a layer makes: by what options, in what order, trained or not. */
import type { DType } from '../../core/dtype.ts';
import { DTypeError, ShapeError } from '../../core/errors.ts';
import { describe, sameShape, type Shape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { withDevice } from '../../webgpu/device.ts';
import type { TensorLike } from '../../ops/operands.ts';
import { withRecorders } from '../../ops/recording.ts';
import { type HostValues, tensor } from '../../tensor/create.ts';
import { assignAll } from '../../tensor/assignAll.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { type ConstraintLike, constraintOf } from '../constraints/index.ts';
import { initializerOf, type InitializerLike } from '../initializers/index.ts';
import { scopedName } from '../nameScope.ts';
import { type RegularizerLike, regularizerOf } from '../regularizers/index.ts';

export interface WeightOptions {
  shape: Shape;
  /** Default 'glorotUniform'. */
  initializer?: InitializerLike;
  /** Default true. */
  trainable?: boolean;
  /** Default: that of the layer. */
  dtype?: DType;
  /** What its values cost; training adds it to the loss. Default null. */
  regularizer?: RegularizerLike | null;
  /** What its values become after each step. Default null. */
  constraint?: ConstraintLike | null;
}

/** A weight, and whether it is trained where its layer is. */
export interface OwnWeight {
  readonly variable: Variable;
  readonly trainable: boolean;
}

/** Makes a weight named by the name scopes around it. */
export function makeWeight(
  name: string,
  options: WeightOptions & { dtype: DType },
  layerTrainable: boolean,
): OwnWeight {
  const { shape, initializer = 'glorotUniform', trainable = true, dtype, regularizer, constraint } = options;
  const initial = initializerOf(initializer).call(shape, dtype);
  const variable = new Variable(initial, { name: scopedName(name), trainable: trainable && layerTrainable });
  initial.dispose();
  variable.regularizer = regularizerOf(regularizer);
  variable.constraint = constraintOf(constraint);
  return { variable, trainable };
}

/** Trained ones first, as Keras orders them. */
export function inKerasOrder(weights: readonly OwnWeight[]): Variable[] {
  const ofKind = (wanted: boolean) => weights.filter(({ trainable }) => trainable === wanted);
  return [...ofKind(true), ...ofKind(false)].map(({ variable }) => variable);
}

/**
 * Gives every weight its value. All are checked before any is changed.
 * Errors: ShapeError, DTypeError.
 */
export function setWeights(layer: string, weights: readonly Variable[], values: readonly TensorLike[]): void {
  if (!Array.isArray(values) || values.length !== weights.length) {
    throw new ShapeError({
      op: layer,
      rule: `it has ${weights.length} weights, and takes a value for each.`,
      received: Array.isArray(values) ? `${values.length} values` : describe(values),
      hint: `pass them in the order of \`weights\`: ${weights.map((w) => w.name).join(', ') || 'none; build the layer first'}.`,
    });
  }
  withRecorders([], () =>
    tidy(() => {
      const given = weights.map((weight, i) => asTensor(weight, values[i] as TensorLike));
      weights.forEach((weight, i) => {
        requireLike(layer, weight, given[i] as Tensor);
      });
      assignAll(weights.map((weight, i) => [weight, given[i] as Tensor]));
    }),
  );
}

/** Host values take the dtype of the weight; a flat typed array its shape. */
function asTensor(weight: Variable, value: TensorLike): Tensor {
  if (value instanceof Tensor) return value;
  const flat = ArrayBuffer.isView(value) && !('shape' in value);
  const { device, dtype, shape } = weight;
  return withDevice(device, () => tensor(value as HostValues, flat ? { dtype, shape } : { dtype }));
}

function requireLike(layer: string, weight: Variable, value: Tensor): void {
  const parts = {
    op: layer,
    rule: `weight '${weight.name}' takes ${formatSpec(weight)}.`,
    received: formatSpec(value),
    hint: 'pass values in the order of `weights`, in their shapes.',
  };
  if (!sameShape(weight.shape, value.shape)) throw new ShapeError(parts);
  if (weight.dtype !== value.dtype) throw new DTypeError(parts);
}
