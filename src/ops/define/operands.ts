/**
 * @file Operands: values that an op accepts instead of tensors. Numbers take the dtype of the tensors that they are combined
 * with; recently used ones are cached on each device.
 */
import { type DType, higherDType, isFloating, isInteger } from '../../core/dtype.ts';
import { DeviceError, DTypeError, ValueError } from '../../core/errors.ts';
import { type IntegerDType, rangeOf } from '../../core/integers.ts';
import { describe, hintFor, maxRank } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { getDevice, withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Storage } from '../../webgpu/storage.ts';
import { fromHost, type HostValues, tensor } from '../../tensor/create.ts';
import { tidy, track } from '../../tensor/scope.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';

/** An operand of an op: a tensor, or values on the host, which it uploads. */
export type TensorLike = Tensor | HostValues;

/** The maximum number of scalars cached per device. */
const maxConstants = 256;
const constants = new WeakMap<Device, Map<string, Tensor>>();
/** The numbers of cached scalars, by their storages. */
const numbers = new WeakMap<Storage, number>();

/** The number that `storage` holds, if it was passed to an op as a number. */
export function numberIn(storage: Storage): number | undefined {
  return numbers.get(storage);
}

/**
 * Returns a scalar with `value`, which is uploaded once. The tensor is a separate handle, freed with the current scope, and stays
 * valid if the cache drops the scalar.
 */
export function constant(device: Device, value: number, dtype: DType): Tensor {
  const known = constants.get(device) ?? new Map<string, Tensor>();
  constants.set(device, known);
  // Buffers read by an app's encoder must not be used for anything else, so encoders have separate scalars.
  const owner = device.executor.mode === 'encoded' ? 'encoder ' : '';
  const key = `${owner}${dtype} ${Object.is(value, -0) ? '-0' : value}`;
  const found = known.get(key);
  if (found && !found.storage.buffer.failure) return handleOf(found);
  found?.dispose();
  if (!found && known.size >= maxConstants) evictOldest(known);
  const made = withDevice(device, () => tidy(() => alias(tensor(value, { dtype }))));
  known.set(key, made);
  numbers.set(made.storage, value);
  return handleOf(made);
}

/** Drops the cache's own handle. Callers, tapes and recordings may still hold the values. */
function evictOldest(known: Map<string, Tensor>): void {
  const [key, oldest] = known.entries().next().value as [string, Tensor];
  known.delete(key);
  oldest.dispose();
}

/** Returns a second handle with the same id, in the current scope. It isn't counted as a tensor made by the app. */
function handleOf(cached: Tensor): Tensor {
  const { device, storage, origin, id } = cached;
  const handle = new Tensor(device, storage.retain(), cached, origin, id);
  track(handle);
  return handle;
}

/** The dtype of a plain number combined with tensors of dtype `tensorDType`. */
export function weakDType(value: number, tensorDType: DType | undefined): DType {
  if (tensorDType === undefined || isFloating(tensorDType)) return 'float32';
  if (!Number.isInteger(value)) return 'float32';
  return tensorDType === 'bool' ? 'int32' : tensorDType;
}

/** Throws if an integer dtype doesn't hold `value`. */
function requireRange(op: string, what: string, value: number, dtype: DType): void {
  if (!isInteger(dtype)) return;
  const [lowest, highest] = rangeOf(dtype as IntegerDType);
  if (value >= lowest && value <= highest) return;
  throw new ValueError({
    op,
    rule: `a number among ${dtype} tensors must be within [${lowest}, ${highest}].`,
    received: `${what}: ${value}`,
    hint: "cast the tensor to 'float32', or pass a number that the dtype holds.",
  });
}

/** An input slot of an op: its name in messages, its dtype for host values, and whether it may be omitted. */
export interface InputSlot {
  name: string;
  hostDType: DType | undefined;
  optional: boolean;
}

/** Parses a slot: `name` or `name:dtype`, with `?` at the end if it is optional. */
export function parseSlot(text: string): InputSlot {
  const optional = text.endsWith('?');
  const [name, dtype] = (optional ? text.slice(0, -1) : text).split(':');
  return { name: name as string, hostDType: dtype as DType | undefined, optional };
}

/** The dtype for plain numbers among operands: the highest of the tensors, except conditions and indices. */
export function commonTensorDType(
  slots: readonly InputSlot[],
  operands: readonly ({ readonly dtype: DType } | null)[],
): DType | undefined {
  const dtypes = operands.flatMap((operand, i) =>
    operand && slots[i]?.hostDType === undefined ? [operand.dtype] : [],
  );
  return dtypes.length === 0 ? undefined : dtypes.reduce(higherDType);
}

/** Converts operands to tensors of one device. Tensors made here are freed with the current scope. */
export function toTensors(
  op: string,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
): (Tensor | null)[] {
  if (areReady(operands)) return operands;
  let device: Device | undefined;
  let tensorDType: DType | undefined;
  for (const [i, operand] of operands.entries()) {
    if (!(operand instanceof Tensor)) continue;
    if (device && operand.device !== device) throwForeignDevice(op, operand);
    device = operand.device;
    // Conditions and indices don't determine the dtype of numbers.
    if (slots[i]?.hostDType === undefined)
      tensorDType = tensorDType ? higherDType(tensorDType, operand.dtype) : operand.dtype;
  }
  return operands.map((operand, i) => {
    const slot = (slots[i] ?? slots.at(-1)) as InputSlot;
    if (operand instanceof Tensor) {
      if (operand.disposed) void operand.storage;
      return operand;
    }
    if (operand === null || operand === undefined) {
      if (slot.optional) return null;
      throw new ValueError({
        op,
        rule: `\`${slot.name}\` must be a tensor, a number or nested arrays.`,
        received: String(operand),
        hint:
          operand === null
            ? `a gradient is null where the target doesn't depend on the source: tape.explain(target, source) says why; unconnectedGradients: 'zero' gives zeros. The weights of a layer are null until it is built: call it by apply(x).`
            : `pass a tensor as \`${slot.name}\`.`,
      });
    }
    if (typeof operand === 'number') {
      const dtype = slot.hostDType ?? weakDType(operand, tensorDType);
      requireRange(op, slot.name, operand, dtype);
      return constant(device ?? getDevice(), operand, dtype);
    }
    if (typeof operand === 'boolean' || Array.isArray(operand) || ArrayBuffer.isView(operand)) {
      if (slot.hostDType === 'int32') rejectBooleans(op, slot.name, operand);
      const upload = () =>
        // Saturate: ops check the indices that the host knows, and report their range.
        slot.hostDType === 'int32'
          ? fromHost('tensor', operand as HostValues, { dtype: 'int32' }, true)
          : tensor(operand as HostValues, slot.hostDType ? { dtype: slot.hostDType } : undefined);
      return withDevice(device ?? getDevice(), upload);
    }
    throw new ValueError({
      op,
      rule: `\`${slot.name}\` must be a tensor, a number or nested arrays.`,
      received: describe(operand),
      hint: isGpuBuffer(operand)
        ? 'make a tensor of it: fromBuffer(buffer, { shape }).'
        : hintFor(operand, `pass a tensor as \`${slot.name}\`; options go last.`),
    });
  });
}

function isGpuBuffer(operand: unknown): boolean {
  const { usage, size, destroy } = (operand ?? {}) as Partial<GPUBuffer>;
  return typeof usage === 'number' && typeof size === 'number' && typeof destroy === 'function';
}

/** Throws for a mask passed as indices: its values would select rows 0 and 1. */
function rejectBooleans(op: string, name: string, operand: unknown): void {
  let first = operand;
  // Limit the depth: a list may contain itself. The upload rejects that later.
  for (let depth = 0; Array.isArray(first) && depth < maxRank; depth++) first = first[0];
  if (typeof first !== 'boolean') return;
  throw new DTypeError({
    op,
    rule: `\`${name}\` must be integers.`,
    received: describe(operand),
    hint: 'pass the positions themselves; booleanMask(x, mask) takes the rows where a mask is true.',
  });
}

/** Whether the operands already are live tensors of one device, as in most calls. */
export function areReady(operands: readonly unknown[]): operands is Tensor[] {
  const [first] = operands;
  if (!(first instanceof Tensor)) return false;
  for (const operand of operands)
    if (!(operand instanceof Tensor) || operand.disposed || operand.device !== first.device) return false;
  return true;
}

function throwForeignDevice(op: string, foreign: Tensor): never {
  throw new DeviceError({
    op,
    rule: 'all tensors of one operation must live on one device.',
    received: `${formatSpec(foreign)} of another device`,
    hint: 'upload it to this device: tensor(await other.data(), …), which starts a new history.',
  });
}
