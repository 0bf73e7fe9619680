/** @file Casts in a document to dtypes that are others here: float64 is float32, and int64 is int32. */
import { dtypeHere } from './constants.ts';
import { type Formula, ofDType } from './formulaParts.ts';

const stored = new WeakMap<object, string>();

/** Returns how a cast to `dtype` is computed here; null for a dtype that there is here, or that is unknown. */
export function castFormula(dtype: unknown): Formula | null {
  const here = typeof dtype === 'string' ? dtypeHere(dtype) : undefined;
  return here === undefined || here === dtype ? null : ([x]) => ofDType(x as never, here);
}

/** Keeps the dtype of a cast in its file. */
export function rememberCast(operation: object, dtype: unknown): void {
  if (typeof dtype === 'string') stored.set(operation, dtype);
}

/** Returns the dtype that a cast has in its file, if it is another one here. */
export function storedCast(operation: object): string | undefined {
  return stored.get(operation);
}
