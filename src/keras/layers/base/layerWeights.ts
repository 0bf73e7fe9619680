/** @file Creation, order and assignment of the weights of a layer. */
import type { DType } from '../../../core/dtype.ts';
import { DTypeError, ShapeError, ValueError } from '../../../core/errors.ts';
import { checkShape, describe, hintFor, sameShape, type Shape } from '../../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../../core/spec.ts';
import { withDevice } from '../../../webgpu/current.ts';
import type { TensorLike } from '../../../ops/define/operands.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { type HostValues, tensor } from '../../../tensor/create.ts';
import { assignAll } from '../../../tensor/assignAll.ts';
import { tidy } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { type ConstraintLike, constraintOf } from '../../constraints/index.ts';
import { initializerOf, type InitializerLike } from '../../initializers/index.ts';
import { scopedName } from '../../names.ts';
import { type RegularizerLike, regularizerOf } from '../../regularizers/index.ts';

/** Options of `addWeight`. */
export interface WeightOptions {
  /** Shape of the weight; [] is a scalar. */
  shape: Shape;
  /** Initial values: a name, an initializer, or a function of shape and dtype. Default 'glorotUniform'. */
  initializer?: InitializerLike;
  /** Whether training updates it. Default true. */
  trainable?: boolean;
  /** Dtype of the weight. Default: that of the layer. */
  dtype?: DType;
  /** Penalty on its values, which training adds to the loss. Default null. */
  regularizer?: RegularizerLike | null;
  /** Constraint applied after each training step. Default null. */
  constraint?: ConstraintLike | null;
}

/** A weight, and whether it is trainable if its layer is. */
export interface OwnWeight {
  readonly variable: Variable;
  readonly trainable: boolean;
}

/** Creates the initial value of the weight called `name`; null for that of its initializer, if it isn't in the file. */
export type FirstValue = (name: string, shape: Shape, dtype: DType, isInFile: boolean) => Tensor | null;

let firstValue: FirstValue | null = null;
let isInFile = true;

/** Runs `body`, which creates weights that files don't have. */
export function besidesFile<T>(body: () => T): T {
  isInFile = false;
  try {
    return body();
  } finally {
    isInFile = true;
  }
}

/** Runs `body`, in which weights get their initial values from `first` instead of from their initializers. */
export function withFirstValues<T>(first: FirstValue, body: () => T): T {
  const before = firstValue;
  firstValue = first;
  try {
    return body();
  } finally {
    firstValue = before;
  }
}

/** Creates a weight, named within the current name scopes. */
export function makeWeight(
  name: string,
  options: WeightOptions & { dtype: DType },
  layerTrainable: boolean,
): OwnWeight {
  checkShape(name, options.shape);
  const { shape, initializer = 'glorotUniform', trainable = true, dtype, regularizer, constraint } = options;
  const path = scopedName(name);
  const [initial] = tidy(() => [
    firstValue?.(path, shape, dtype, isInFile) ?? initializerOf(initializer).call(shape, dtype),
  ]) as [Tensor];
  requireInitial(path, initial, { shape, dtype });
  const variable = new Variable(initial, { name: path, trainable: trainable && layerTrainable });
  initial.dispose();
  variable.regularizer = regularizerOf(regularizer);
  variable.constraint = constraintOf(constraint);
  return { variable, trainable };
}

/** A function of an app may return anything. Errors: ValueError, ShapeError, DTypeError. */
function requireInitial(name: string, initial: unknown, wanted: TensorSpec): void {
  if (initial instanceof Tensor && sameShape(initial.shape, wanted.shape) && initial.dtype === wanted.dtype)
    return;
  const parts = {
    op: name,
    rule: `its initializer returns ${formatSpec(wanted)}.`,
    received: initial instanceof Tensor ? formatSpec(initial) : describe(initial),
    hint: hintFor(initial, 'return a tensor of the shape and the dtype that it is given.'),
  };
  if (!(initial instanceof Tensor)) throw new ValueError(parts);
  throw initial.dtype === wanted.dtype ? new ShapeError(parts) : new DTypeError(parts);
}

/** Trainable weights first, as in Keras. */
export function inKerasOrder(weights: readonly OwnWeight[]): Variable[] {
  const ofKind = (wanted: boolean) => weights.filter(({ trainable }) => trainable === wanted);
  return [...ofKind(true), ...ofKind(false)].map(({ variable }) => variable);
}

/**
 * Assigns all weights. All values are checked before any weight changes.
 * Errors: ShapeError, DTypeError.
 */
export function setWeights(layer: string, weights: readonly Variable[], values: readonly TensorLike[]): void {
  if (!Array.isArray(values) || values.length !== weights.length) {
    throw new ShapeError({
      op: layer,
      rule: `it has ${weights.length} weights and takes a value for each.`,
      received: Array.isArray(values) ? `${values.length} values` : describe(values),
      hint: `pass them in the order of \`weights\`: ${weights.map((w) => w.name).join(', ') || 'none; build the layer first'}.`,
    });
  }
  unrecorded(() =>
    tidy(() => {
      const given = weights.map((weight, i) => asTensor(weight, values[i] as TensorLike));
      weights.forEach((weight, i) => {
        requireLike(layer, weight, given[i] as Tensor);
      });
      assignAll(weights.map((weight, i) => [weight, given[i] as Tensor]));
    }),
  );
}

/** Host values are converted to the weight's dtype; a flat typed array also takes its shape. */
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
