/**
 * @file Inputs with dtypes that tensors don't have here: 64-bit integers, bytes, float16. They become int32 or float32, and
 * keep their dtype in files.
 */
import type { Json } from './document.ts';

const substitutes: Readonly<Record<string, string>> = {
  int8: 'int32',
  int16: 'int32',
  int64: 'int32',
  uint8: 'int32',
  uint16: 'int32',
  float16: 'float32',
  bfloat16: 'float32',
  float64: 'float32',
};

/** The dtypes of input layers in their files. */
const stored = new WeakMap<object, string>();

/** Returns the dtype that an input has here; other values are returned unchanged. */
export function inputDtype(dtype: unknown): unknown {
  return typeof dtype === 'string' && Object.hasOwn(substitutes, dtype) ? substitutes[dtype] : dtype;
}

export function rememberInputDtype(layer: object, dtype: Json | undefined): void {
  if (typeof dtype === 'string' && inputDtype(dtype) !== dtype) stored.set(layer, dtype);
}

/** Returns the dtype of an input layer in its file, if it differs from the dtype here. */
export function storedInputDtype(layer: object): string | undefined {
  return stored.get(layer);
}
