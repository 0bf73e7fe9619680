/** @file A safetensors file in pieces: the values of a tensor are asked for when it is its turn, so that one is in memory at a time. */
import { numberToBfloat16 } from '../../core/bfloat16.ts';
import { numberToFloat16 } from '../../core/float16.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';

/** Floats that a file may hold. */
export type FloatType = 'float32' | 'float16' | 'bfloat16';

/** A tensor to be written. */
export interface WrittenTensor {
  readonly name: string;
  readonly shape: Shape;
  /** Its values, row-major. */
  read(): Promise<Float32Array>;
}

const types: Readonly<Record<FloatType, { readonly name: string; readonly bytes: number }>> = {
  float32: { name: 'F32', bytes: 4 },
  float16: { name: 'F16', bytes: 2 },
  bfloat16: { name: 'BF16', bytes: 2 },
};

/** The maximum number of elements of a piece. */
const pieceElements = 1 << 21;

/** The bytes of a file of `tensors`, in their order, rounded to `type`. */
export async function* safetensorsPieces(
  tensors: readonly WrittenTensor[],
  type: FloatType,
  metadata: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { name: dtype, bytes } = types[type];
  const entries: [string, unknown][] = [['__metadata__', metadata]];
  let end = 0;
  for (const { name, shape } of tensors) {
    const begin = end;
    end += sizeOf(shape) * bytes;
    entries.push([name, { dtype, shape, data_offsets: [begin, end] }]);
  }
  yield headerOf(entries);
  for (const tensor of tensors) {
    const values = await tensor.read();
    for (let begin = 0; begin < values.length; begin += pieceElements)
      yield encode(values.subarray(begin, begin + pieceElements), type);
  }
}

/** The length of the header, and the header, with spaces at its end that align the data. */
function headerOf(entries: readonly [string, unknown][]): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + length).fill(0x20, 8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, 8);
  return bytes;
}

/** The bytes of values, little-endian as every machine with WebGPU is. */
function encode(values: Float32Array, type: FloatType): Uint8Array<ArrayBuffer> {
  if (type === 'float32') return new Uint8Array(Float32Array.from(values).buffer);
  const round = type === 'float16' ? numberToFloat16 : numberToBfloat16;
  return new Uint8Array(Uint16Array.from(values, round).buffer);
}
