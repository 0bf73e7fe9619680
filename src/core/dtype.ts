/**
 * @file Element types: their storage, their WGSL names, and their promotion.
 *
 * An element takes four bytes on the device, except float16, which is only for storage and takes two. A bool is a u32 that
 * holds 0 or 1, since WGSL's `bool` can't be stored.
 */
import { DTypeError } from './errors.ts';

/** The element type of a tensor. Ops compute in float32, int32, uint32 and bool; float16 is for storage. */
export type DType = 'float32' | 'int32' | 'uint32' | 'bool' | 'float16';

/**
 * The dtype of a tensor whose dtype TypeScript doesn't know. Such a tensor is accepted by every parameter,
 * `Tensor<'float32'>` as well as `Tensor<'int32'>`, so that apps never have to write a dtype. This requires a type that is
 * assignable both ways: `DType` would be rejected wherever one dtype is expected, and `never` would accept no tensor.
 */
// biome-ignore lint/suspicious/noExplicitAny: only `any` is assignable both to and from every dtype, which apps without dtypes need.
export type AnyDType = any;

/** The dtypes that every op computes in. float16 is for storage. */
export type ComputeDType = Exclude<DType, 'float16'>;

/** A host array, as returned by `data()`. */
export type TypedData = Float32Array | Int32Array | Uint32Array | Uint8Array;

/** The type of host array that `data()` returns for each dtype. */
export interface DataOf {
  float32: Float32Array;
  int32: Int32Array;
  uint32: Uint32Array;
  bool: Uint8Array;
  /** Widened to float32, which is exact. */
  float16: Float32Array;
  /** For a `Tensor<AnyDType>`, whose dtype TypeScript doesn't know. */
  [unknown: string]: TypedData;
}

/** The dtype of a `Tensor<D>`: `D`, or for a `Tensor<AnyDType>` any dtype. */
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
  /** Promotion order: the higher of two dtypes wins. */
  order: number;
}

const info: Record<DType, DTypeInfo> = {
  bool: { bytes: 4, wgsl: 'u32', order: 0 },
  uint32: { bytes: 4, wgsl: 'u32', order: 1 },
  int32: { bytes: 4, wgsl: 'i32', order: 2 },
  float16: { bytes: 2, wgsl: 'u32', order: 3 },
  float32: { bytes: 4, wgsl: 'f32', order: 4 },
};

/** All values of `ComputeDType`. */
export const dtypes = (Object.keys(info) as DType[]).filter((dtype) => dtype !== 'float16') as ComputeDType[];

export function bytesPerElement(dtype: DType): number {
  return info[dtype].bytes;
}

export function wgslType(dtype: DType): 'f32' | 'i32' | 'u32' {
  return info[dtype].wgsl;
}

/** Returns the position of a dtype in the order of promotion, from 0. */
export function orderOf(dtype: DType): number {
  return info[dtype].order;
}

export function isFloating(dtype: DType): boolean {
  return dtype === 'float32' || dtype === 'float16';
}

export function isInteger(dtype: DType): boolean {
  return dtype === 'int32' || dtype === 'uint32';
}

/** Returns whether `value` is a dtype that every op computes in. */
export function isDType(value: unknown): value is ComputeDType {
  return dtypes.includes(value as ComputeDType);
}

/** Returns whether `value` is any dtype, float16 included. */
export function isStoredDType(value: unknown): value is DType {
  return value === 'float16' || isDType(value);
}

/**
 * Returns the common dtype of two operands: bool < uint32 < int32 < float16 < float32.
 * uint32 and int32 have none, since neither holds all values of the other.
 */
export function promote(op: string, a: DType, b: DType): DType {
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

/** Returns the higher of two dtypes in the order of promotion. */
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
