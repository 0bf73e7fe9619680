/**
 * @file Operands: what an op accepts where it wants a tensor. Numbers take the dtype of the tensor beside them, and
 * each number is uploaded once a device.
 */
import { type DType, isFloating } from '../core/dtype.ts';
import { DeviceError, ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { type Device, getDevice } from '../gpu/device.ts';
import { type HostValues, tensor } from '../tensor/create.ts';
import { keep } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';

export type TensorLike = Tensor | HostValues;

/** Constants kept for each device, at most. */
const maxConstants = 256;
const constants = new WeakMap<Device, Map<string, Tensor>>();

/** A scalar that is made once and kept. */
export function constant(device: Device, value: number, dtype: DType): Tensor {
  const known = constants.get(device) ?? new Map<string, Tensor>();
  constants.set(device, known);
  const key = `${dtype} ${Object.is(value, -0) ? '-0' : value}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= maxConstants) {
    const [oldest, tensor] = known.entries().next().value as [string, Tensor];
    known.delete(oldest);
    tensor.dispose();
  }
  const made = keep(tensor(value, { dtype }));
  known.set(key, made);
  return made;
}

/** The dtype a bare number takes beside tensors of dtype `beside`. */
export function weakDType(value: number, beside: DType | undefined): DType {
  if (beside === undefined || isFloating(beside)) return 'float32';
  if (!Number.isInteger(value)) return 'float32';
  return beside === 'bool' ? 'int32' : beside;
}

/** An input slot of an op: its name in messages, its dtype for host values, and whether it may be left out. */
export interface InputSlot {
  name: string;
  hostDType: DType | undefined;
  optional: boolean;
}

/** Reads a slot: `name`, `name:dtype`, with `?` at the end where it is optional. */
export function parseSlot(text: string): InputSlot {
  const optional = text.endsWith('?');
  const [name, dtype] = (optional ? text.slice(0, -1) : text).split(':');
  return { name: name as string, hostDType: dtype as DType | undefined, optional };
}

/** Turns operands into tensors of one device. */
export function toTensors(
  op: string,
  slots: readonly InputSlot[],
  operands: readonly unknown[],
): (Tensor | null)[] {
  let device: Device | undefined;
  let beside: DType | undefined;
  for (const operand of operands) {
    if (!(operand instanceof Tensor)) continue;
    if (device && operand.device !== device) throwForeignDevice(op, operand);
    device = operand.device;
    beside ??= operand.dtype;
  }
  return operands.map((operand, i) => {
    const slot = (slots[i] ?? slots.at(-1)) as InputSlot;
    if (operand instanceof Tensor) {
      void operand.storage;
      return operand;
    }
    if (operand === null || operand === undefined) {
      if (slot.optional) return null;
      throw new ValueError({
        op,
        rule: `\`${slot.name}\` must be a tensor, a number or nested arrays.`,
        received: String(operand),
        mend: `pass a tensor as \`${slot.name}\`.`,
      });
    }
    if (typeof operand === 'number') {
      return constant(device ?? getDevice(), operand, slot.hostDType ?? weakDType(operand, beside));
    }
    if (typeof operand === 'boolean' || Array.isArray(operand) || ArrayBuffer.isView(operand)) {
      return tensor(operand as HostValues, slot.hostDType ? { dtype: slot.hostDType } : undefined);
    }
    throw new ValueError({
      op,
      rule: `\`${slot.name}\` must be a tensor, a number or nested arrays.`,
      received: describe(operand),
      mend: `pass a tensor as \`${slot.name}\`; options go last.`,
    });
  });
}

function throwForeignDevice(op: string, foreign: Tensor): never {
  throw new DeviceError({
    op,
    rule: 'all tensors of one operation must live on one device.',
    received: `${formatSpec(foreign)} of another device`,
    mend: 'upload it to this device: tensor(await other.data(), …), which starts a new history.',
  });
}
