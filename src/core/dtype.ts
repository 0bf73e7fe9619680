/**
 * @file Element types: their storage, their WGSL names, and how two of them meet.
 *
 * An element takes four bytes on the device; a float16, which is for storage alone, two of a word. A bool is a u32 that
 * holds 0 or 1: WGSL's `bool` can't be stored.
 */
import { DTypeError } from './errors.ts';

/** What a tensor's elements are. Ops compute in float32, int32, uint32 and bool; float16 is for storage. */
export type DType = 'float32' | 'int32' | 'uint32' | 'bool' | 'float16';

/**
 * The dtype of a tensor of which TypeScript knows none. Such a tensor suits every parameter, `Tensor<'float32'>` as well as
 * `Tensor<'int32'>`, so that apps that never write a dtype never have to. That takes a type which is assignable both ways:
 * with `DType` it would be refused wherever one dtype is expected, with `never` it would accept no tensor.
 */
// biome-ignore lint/suspicious/noExplicitAny: only `any` is assignable both to and from every dtype, which apps without dtypes need.
export type AnyDType = any;

/** The dtypes that every op computes in. float16 is for storage. */
export type ComputeDType = Exclude<DType, 'float16'>;

/** A host array that `data()` gives. */
export type TypedData = Float32Array | Int32Array | Uint32Array | Uint8Array;

/** The host array that `data()` gives for each dtype. */
export interface DataOf {
  float32: Float32Array;
  int32: Int32Array;
  uint32: Uint32Array;
  bool: Uint8Array;
  /** Widened, which is exact. */
  float16: Float32Array;
  /** Of a tensor whose dtype TypeScript doesn't know, `Tensor<AnyDType>`. */
  [unknown: string]: TypedData;
}

/** The dtype of a `Tensor<D>`: `D`, and for `Tensor<AnyDType>` any of them. */
export interface KnownDType {
  float32: 'float32';
  int32: 'int32';
  uint32: 'uint32';
  bool: 'bool';
  float16: 'float16';
  [unknown: string]: DType;
}

interface DTypeInfo {
  /** Bytes an element takes on the device. */
  bytes: number;
  /** The WGSL type an element is stored as. */
  wgsl: 'f32' | 'i32' | 'u32';
  /** Promotion order: the higher of two wins. */
  order: number;
}

const info: Record<DType, DTypeInfo> = {
  bool: { bytes: 4, wgsl: 'u32', order: 0 },
  uint32: { bytes: 4, wgsl: 'u32', order: 1 },
  int32: { bytes: 4, wgsl: 'i32', order: 2 },
  float16: { bytes: 2, wgsl: 'u32', order: 3 },
  float32: { bytes: 4, wgsl: 'f32', order: 4 },
};

/** As `ComputeDType`. */
export const dtypes = (Object.keys(info) as DType[]).filter((dtype) => dtype !== 'float16') as ComputeDType[];

export function bytesPerElement(dtype: DType): number {
  return info[dtype].bytes;
}

export function wgslType(dtype: DType): 'f32' | 'i32' | 'u32' {
  return info[dtype].wgsl;
}

/** The place of a dtype in the order of promotion, from 0 on. */
export function orderOf(dtype: DType): number {
  return info[dtype].order;
}

export function isFloating(dtype: DType): boolean {
  return dtype === 'float32' || dtype === 'float16';
}

export function isInteger(dtype: DType): boolean {
  return dtype === 'int32' || dtype === 'uint32';
}

/** Whether `value` is a dtype that every op computes in. */
export function isDType(value: unknown): value is ComputeDType {
  return dtypes.includes(value as ComputeDType);
}

/** The same, or float16. */
export function isStoredDType(value: unknown): value is DType {
  return value === 'float16' || isDType(value);
}

/**
 * The dtype in which two operands meet: bool < uint32 < int32 < float16 < float32.
 * uint32 and int32 don't meet, since neither holds the other's values.
 */
export function promote(op: string, a: DType, b: DType): DType {
  if (a === b) return a;
  if ((a === 'uint32' && b === 'int32') || (a === 'int32' && b === 'uint32')) {
    throw new DTypeError({
      op,
      rule: 'int32 and uint32 operands have no common dtype.',
      received: `${a} and ${b}`,
      hint: "cast one of them: cast(x, 'int32').",
    });
  }
  return higherDType(a, b);
}

/** The higher of two dtypes in the order of promotion. */
export function higherDType(a: DType, b: DType): DType {
  return info[a].order > info[b].order ? a : b;
}

/** Throws unless `dtype` is one of `allowed`. */
export function requireDType(op: string, what: string, dtype: DType, allowed: readonly DType[]): void {
  if (allowed.includes(dtype)) return;
  throw new DTypeError({
    op,
    rule: `${what} must be ${allowed.join(' or ')}.`,
    received: `${what} of dtype ${dtype}`,
    hint: `cast it first: cast(${what}, '${allowed[0]}').`,
  });
}
