/**
 * @file Keras's rules for dtypes: its ops take booleans and integers where those of this library take only floats, or want all
 * operands to have one dtype. `ops` of `retrograd/keras` are the library's ops behind one of the rules below.
 */
import { type DType, higherDType, isFloating } from '../../core/dtype.ts';
import { maxRank } from '../../core/shape.ts';
import { inputsOf } from '../../ops/define/define.ts';
import type { InputSlot, TensorLike } from '../../ops/define/operands.ts';
import { isSymbolic } from '../../ops/define/recorders.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { type HostValues, tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { withDevice } from '../../webgpu/current.ts';
import { mapNest, type Nest } from '../tensorNest.ts';

/** How an op is computed, by the highest dtype of its operands. */
interface Promotion {
  /** The dtype that all operands get, apart from conditions and indices. */
  readonly computes: (highest: DType) => DType;
  /** The dtype of results. Default: the one that the op gives them. */
  readonly returns?: (highest: DType) => DType;
}

/** An op, or a function of one tensor and options. */
type AnyOp = ((...args: never[]) => unknown) & {
  readonly definition?: { readonly name?: string; readonly inputs: readonly string[] };
};

const asGiven = (highest: DType) => highest;
const asFloat = (highest: DType): DType => (isFloating(highest) ? highest : 'float32');
const asNumber = (highest: DType): DType => (highest === 'bool' ? 'int32' : highest);
const asFlag = (): DType => 'bool';

/** The op on floats: integers and booleans are converted, as by `sin`. */
/* @__NO_SIDE_EFFECTS__ */
export function ofFloats<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asFloat });
}

/** The op on floats, whose results have the dtype of the operands, as those of `prod` on integers. */
/* @__NO_SIDE_EFFECTS__ */
export function throughFloats<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asFloat, returns: asGiven });
}

/** The op, whose result is float16 where its first operand is, also if parameters are float32. */
/* @__NO_SIDE_EFFECTS__ */
export function likeFirst<F extends AnyOp>(op: F): F {
  const run = op as unknown as (...args: unknown[]) => Tensor;
  const call = (...args: unknown[]) => {
    const [x] = args;
    if (!isTensor(x) || x.dtype !== 'float16') return run(...args);
    return tidy(() => asDType(run(...args), x.dtype));
  };
  return Object.assign(call, { definition: op.definition }) as unknown as F;
}

/** The op on numbers: booleans are counted, as by `sum`. */
/* @__NO_SIDE_EFFECTS__ */
export function ofNumbers<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asNumber });
}

/** The op on numbers, or on booleans, of which it gives booleans, such as `max`. */
/* @__NO_SIDE_EFFECTS__ */
export function ofValues<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asNumber, returns: asGiven });
}

/** The op on operands of one dtype, the highest of theirs, such as `concatenate`. */
/* @__NO_SIDE_EFFECTS__ */
export function ofOneDType<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asGiven });
}

/** The op on booleans: whether numbers aren't 0, such as `any`. */
/* @__NO_SIDE_EFFECTS__ */
export function ofFlags<F extends AnyOp>(op: F): F {
  return promoting(op, { computes: asFlag });
}

function promoting<F extends AnyOp>(op: F, promotion: Promotion): F {
  const { slots, variadic } = inputsOf(op.definition ?? { inputs: ['x'] });
  const run = op as unknown as (...args: unknown[]) => Nest<Tensor>;
  const isFormula = op.definition !== undefined && 'compose' in op.definition;
  const call = (...args: unknown[]) => {
    const given: unknown = variadic ? args[0] : args.slice(0, slots.length);
    if (!Array.isArray(given) || isSparse(given)) return run(...args);
    const operands = given as readonly unknown[];
    const counted = operands.filter((operand, i) => isPromoted(operand, slotAt(slots, i)));
    const highest = highestOf(counted, widening.has(op.definition?.name ?? ''));
    if (highest === null) return run(...args);
    const compute = promotion.computes(highest);
    const result = promotion.returns?.(highest) ?? null;
    return tidy(() => {
      const device = operands.find((operand) => operand instanceof Tensor)?.device ?? null;
      // A formula makes a tensor of a number, which would widen float16.
      const keepsNumbers = operands.some(isTensor) && !(compute === 'float16' && isFormula);
      const convert = (operand: unknown, i: number) =>
        converted(operand, slotAt(slots, i), compute, keepsNumbers);
      const convertAll = () => operands.map(convert);
      const promoted = device ? withDevice(device, convertAll) : convertAll();
      const results = run(
        ...(variadic ? [promoted, ...args.slice(1)] : [...promoted, ...args.slice(slots.length)]),
      );
      return result === null ? results : mapNest(results, (y) => asDType(y, result));
    });
  };
  // It takes the same arguments, and more dtypes.
  return Object.assign(call, { definition: op.definition }) as unknown as F;
}

const slotAt = (slots: readonly InputSlot[], i: number) => (slots[i] ?? slots.at(-1)) as InputSlot;

export function isTensor(operand: unknown): operand is Tensor {
  return operand instanceof Tensor || isSymbolic(operand);
}

const isHost = (operand: unknown): operand is HostValues =>
  typeof operand === 'boolean' || Array.isArray(operand) || ArrayBuffer.isView(operand);

/** Whether the dtype of an operand counts: conditions and indices keep theirs. */
function isPromoted(operand: unknown, { hostDType }: InputSlot): boolean {
  return hostDType === undefined && (isTensor(operand) || isHost(operand) || typeof operand === 'number');
}

/** Ops that make a tensor of float32 of a fraction in Keras, next to which float16 is widened. */
const widening: ReadonlySet<string> = new Set(
  'mod fmod hypot heaviside atan2 logAddExp logAddExp2'.split(' '),
);

/**
 * Returns the highest dtype of operands; null if there are none. Numbers take the dtype of tensors, and fractions next to integers
 * are float32: next to float16, too, if `widens`.
 */
function highestOf(operands: readonly unknown[], widens: boolean): DType | null {
  let highest: DType | null = null;
  const numbers: number[] = [];
  for (const operand of operands) {
    if (typeof operand === 'number') numbers.push(operand);
    else highest = highest === null ? dtypeOf(operand) : higherDType(highest, dtypeOf(operand));
  }
  if (numbers.length === 0) return highest;
  if (numbers.every(Number.isInteger)) return highest === null || highest === 'bool' ? 'int32' : highest;
  return highest === 'float16' && !widens ? highest : 'float32';
}

function dtypeOf(operand: unknown): DType {
  return isTensor(operand) ? operand.dtype : (hostDType(operand as HostValues) ?? 'float32');
}

/**
 * Returns the dtype that Keras gives to values: int32 to lists of integers, where this library has floats; undefined for those
 * that have the same in both.
 */
export function hostDType(values: HostValues): DType | undefined {
  if (typeof values === 'number') return isWhole(values) ? 'int32' : undefined;
  if (typeof values === 'boolean') return 'bool';
  if (values instanceof Uint32Array) return 'uint32';
  if (ArrayBuffer.isView(values)) return /^Float/.test(values.constructor.name) ? undefined : 'int32';
  if (holdsOnly(values, (leaf) => typeof leaf === 'boolean')) return 'bool';
  return holdsOnly(values, isWhole) ? 'int32' : undefined;
}

/** Whether nested lists have leaves, and only such. */
function holdsOnly(values: unknown, isOne: (leaf: unknown) => boolean, depth = maxRank): boolean {
  if (!Array.isArray(values)) return isOne(values);
  if (values.length === 0 || depth === 0 || isSparse(values)) return false;
  return values.every((part) => holdsOnly(part, isOne, depth - 1));
}

/** Whether a list begins with a hole: it isn't a value, and may have billions of them. */
const isSparse = (list: readonly unknown[]) => list.length > 0 && !(0 in list);

function isWhole(value: unknown): boolean {
  return typeof value === 'boolean' || (Number.isInteger(value) && Math.abs(value as number) < 2 ** 31);
}

function converted(operand: unknown, slot: InputSlot, dtype: DType, keepsNumbers: boolean): unknown {
  if (slot.hostDType === 'bool' && isTensor(operand)) return asDType(operand, 'bool');
  if (!isPromoted(operand, slot)) return operand;
  if (isTensor(operand)) return asDType(operand, dtype);
  // Numbers among tensors take their dtype.
  if (typeof operand === 'number' && keepsNumbers && dtype !== 'bool') return operand;
  const values = operand as HostValues;
  const own = hostDType(values);
  return asDType(tensor(values, own ? { dtype: own } : undefined), dtype);
}

function asDType(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : cast(x, { dtype });
}

/** Returns values as a tensor, of the dtype that Keras gives to them, or `dtype`. Tensors stay as they are, or are cast. */
export function kerasTensor(values: TensorLike, dtype?: DType | null): Tensor {
  if (isTensor(values)) return dtype ? asDType(values, dtype) : values;
  const own = dtype ?? hostDType(values);
  return tensor(values, own ? { dtype: own } : undefined);
}
