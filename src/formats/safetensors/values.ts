/** @file Converts stored values to the dtypes of tensors: float32, int32, uint32 and bool. */
import { isNarrowFloat } from '../../core/packedWeights.ts';
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import type { HostTensor } from '../hostTensor.ts';
import { dtypeOf, type HostArray, type NumberType, storedBytes, toBits, toHostArray } from '../numbers.ts';
import type { ReadMemory } from '../readMemory.ts';
import type { StoredTensor } from '../storedTensor.ts';
import type { Entry, StoredType } from './header.ts';

/** The format's names of types that can be read. */
const numberTypes: Partial<Record<StoredType, NumberType>> = {
  BOOL: 'bool',
  U8: 'uint8',
  I8: 'int8',
  U16: 'uint16',
  I16: 'int16',
  F16: 'float16',
  BF16: 'bfloat16',
  U32: 'uint32',
  I32: 'int32',
  F32: 'float32',
  U64: 'uint64',
  I64: 'int64',
  F64: 'float64',
};

/**
 * Returns the values of a stored tensor. Small floats are widened, doubles are rounded, 64-bit integers must fit into 32 bits.
 */
export function readValues(bytes: Uint8Array, entry: Entry, context: FileContext): HostTensor {
  const type = numberType(entry, context);
  // A copy, because the app may write to the file's bytes later.
  const data = convert(type, entry, bytes.slice(entry.begin, entry.end), 0, context);
  return { shape: entry.shape, dtype: dtypeOf(type), data };
}

/** Returns a tensor of a file, whose values are read on demand. Errors: FormatError for types that can't be read. */
export function storedTensor(source: ByteSource, entry: Entry, context: FileContext): StoredTensor {
  const type = numberType(entry, context);
  const size = storedBytes(type);
  const bytesOf = (begin: number, end: number, memory?: ReadMemory) =>
    source.read(entry.begin + begin * size, entry.begin + end * size, memory);
  return {
    place: placeOf(entry),
    shape: entry.shape,
    dtype: dtypeOf(type),
    read: async (begin, end, memory) =>
      convert(type, entry, await bytesOf(begin, end, memory), begin, context),
    ...(isNarrowFloat(type) && {
      bits: { format: type, read: async (...range) => toBits(await bytesOf(...range)) },
    }),
  };
}

function placeOf({ name }: Entry): string {
  return `tensor '${name}'`;
}

function numberType(entry: Entry, context: FileContext): NumberType {
  const type = numberTypes[entry.type];
  if (type) return type;
  throw fault(context, {
    place: placeOf(entry),
    rule: `values are of one of ${Object.keys(numberTypes).join(', ')}.`,
    received: entry.type,
    hint: 'convert the file to F16, BF16 or F32.',
  });
}

function convert(
  type: NumberType,
  entry: Entry,
  bytes: Uint8Array<ArrayBuffer>,
  first: number,
  context: FileContext,
): HostArray {
  return toHostArray(type, bytes, true, ({ index, value }) =>
    fault(context, {
      place: `${placeOf(entry)}, element ${first + index}`,
      rule: `integers fit into ${dtypeOf(type)}.`,
      received: String(value),
      hint: 'store smaller integers.',
    }),
  );
}
