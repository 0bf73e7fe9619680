/**
 * @file What TF.js takes of Node's `util` when it runs in Node or Deno. Its package leaves the module out of bundles, since they are
 * usually for pages.
 */
export const { TextDecoder, TextEncoder } = globalThis;

export const types = {
  isFloat32Array: (value: unknown) => value instanceof Float32Array,
  isInt32Array: (value: unknown) => value instanceof Int32Array,
  isUint8Array: (value: unknown) => value instanceof Uint8Array,
  isUint8ClampedArray: (value: unknown) => value instanceof Uint8ClampedArray,
};
