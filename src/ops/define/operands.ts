/**
 * @file Operands: values that an op accepts instead of tensors. Numbers take the dtype of the tensors that they are combined
 * with.
 */
import { type DType, higherDType, isFloating, isInteger } from '../../core/dtype.ts';
import { DeviceError, DTypeError, ValueError } from '../../core/errors.ts';
import { type IntegerDType, rangeOf } from '../../core/integers.ts';
import { describe, hintFor, maxRank } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { getDevice, withDevice } from '../../webgpu/current.ts';
import { fromHost, type HostValues, tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { constant } from './scalars.ts';

/** An operand of an op: a tensor, or values on the host, which it uploads. */
export type TensorLike = Tensor | HostValues;

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
  let common: DType | undefined;
  for (const [i, operand] of operands.entries())
    if (operand && slots[i]?.hostDType === undefined)
      common = common ? higherDType(common, operand.dtype) : operand.dtype;
  return common;
}

/** Converts operands to tensors of one device. Tensors made here are freed with the current scope. */
export function toTensors(
  op: string,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
): (Tensor | null)[] {
  const tensors = operands.map((operand) => (operand instanceof Tensor ? operand : null));
  const device = tensors.find((tensor) => tensor)?.device;
  for (const tensor of tensors) if (tensor && tensor.device !== device) throwForeignDevice(op, tensor);
  const numberDType = commonTensorDType(slots, tensors);
  return operands.map((operand, i) => {
    const slot = (slots[i] ?? slots.at(-1)) as InputSlot;
    if (operand instanceof Tensor) {
      if (operand.disposed) void operand.storage;
      return operand;
    }
    if (slot.optional && (operand ?? null) === null) return null;
    if (typeof operand === 'number') {
      const dtype = slot.hostDType ?? weakDType(operand, numberDType);
      requireRange(op, slot.name, operand, dtype);
      return constant(device ?? getDevice(), operand, dtype);
    }
    if (!isHostValue(operand)) throw notATensor(op, slot, operand);
    if (slot.hostDType === 'int32') rejectBooleans(op, slot.name, operand);
    return withDevice(device ?? getDevice(), () => upload(operand, slot.hostDType));
  });
}

function isHostValue(operand: unknown): operand is HostValues {
  return typeof operand === 'boolean' || Array.isArray(operand) || ArrayBuffer.isView(operand);
}

function upload(values: HostValues, dtype: DType | undefined): Tensor {
  // Saturate: ops check the indices that the host knows, and report their range.
  if (dtype === 'int32') return fromHost('tensor', values, { dtype }, true);
  return tensor(values, dtype ? { dtype } : undefined);
}

function notATensor(op: string, { name }: InputSlot, operand: unknown): ValueError {
  return new ValueError({
    op,
    rule: `\`${name}\` must be a tensor, a number or nested arrays.`,
    received: describe(operand),
    hint:
      operand === null
        ? `a gradient is null where the target doesn't depend on the source: tape.explain(target, source) says why; unconnectedGradients: 'zero' gives zeros. The weights of a layer are null until it is built: call it by apply(x).`
        : isGpuBuffer(operand)
          ? 'make a tensor of it: fromBuffer(buffer, { shape }).'
          : hintFor(operand, `pass a tensor as \`${name}\`; options go last.`),
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
    hint: 'pass positions; booleanMask(x, mask) takes the rows where a mask is true.',
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
    rule: 'all tensors of an op live on one device.',
    received: `${formatSpec(foreign)} of another device`,
    hint: 'upload it: tensor(await other.data(), …).',
  });
}
