/** @file Converts stored values to the dtypes of tensors: float32, int32, uint32 and bool. */
import type { ComputeDType } from '../../core/dtype.ts';
import { float16ToNumber } from '../../core/float16.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import type { HostTensor } from '../hostTensor.ts';
import type { Entry, StoredType } from './header.ts';

interface Reading {
  readonly dtype: ComputeDType;
  /** Bytes of one element. */
  readonly size: number;
  readonly read: (view: DataView, at: number) => number | bigint;
}

const readings: Partial<Record<StoredType, Reading>> = {
  BOOL: { dtype: 'bool', size: 1, read: (view, at) => view.getUint8(at) },
  U8: { dtype: 'int32', size: 1, read: (view, at) => view.getUint8(at) },
  I8: { dtype: 'int32', size: 1, read: (view, at) => view.getInt8(at) },
  U16: { dtype: 'int32', size: 2, read: (view, at) => view.getUint16(at, true) },
  I16: { dtype: 'int32', size: 2, read: (view, at) => view.getInt16(at, true) },
  F16: { dtype: 'float32', size: 2, read: (view, at) => float16ToNumber(view.getUint16(at, true)) },
  BF16: { dtype: 'float32', size: 2, read: readBrain },
  U32: { dtype: 'uint32', size: 4, read: (view, at) => view.getUint32(at, true) },
  I32: { dtype: 'int32', size: 4, read: (view, at) => view.getInt32(at, true) },
  F32: { dtype: 'float32', size: 4, read: (view, at) => view.getFloat32(at, true) },
  U64: { dtype: 'uint32', size: 8, read: (view, at) => view.getBigUint64(at, true) },
  I64: { dtype: 'int32', size: 8, read: (view, at) => view.getBigInt64(at, true) },
  F64: { dtype: 'float32', size: 8, read: (view, at) => view.getFloat64(at, true) },
};

/** The values of a stored tensor. Small floats widen, doubles round, 64-bit integers must fit into 32 bits. */
export function readValues(bytes: Uint8Array, entry: Entry, context: FileContext): HostTensor {
  const { name, type, shape, begin, end } = entry;
  const reading = readings[type];
  if (!reading) {
    throw fault(context, {
      place: `tensor '${name}'`,
      rule: `values are of one of ${Object.keys(readings).join(', ')}.`,
      received: type,
      hint: 'convert the file to F16, BF16 or F32.',
    });
  }
  const { dtype, size, read } = reading;
  const count = (end - begin) / size;
  const data = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array, bool: Uint8Array }[dtype];
  const values = new data(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset + begin, end - begin);
  for (let i = 0; i < count; i++) {
    const value = read(view, i * size);
    values[i] = Number(value);
    if (typeof value === 'bigint' && BigInt(values[i] as number) !== value) {
      throw fault(context, {
        place: `tensor '${name}', element ${i}`,
        rule: `integers fit into ${dtype}.`,
        received: String(value),
        hint: 'store smaller integers.',
      });
    }
  }
  return { shape, dtype, data: values };
}

const word = new DataView(new ArrayBuffer(4));

/** The upper half of a float32. */
function readBrain(view: DataView, at: number): number {
  word.setUint32(0, view.getUint16(at, true) << 16);
  return word.getFloat32(0);
}
