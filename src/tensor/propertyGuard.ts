/** @file A hook for tensor classes that may be instantiated before unsupportedProperties.ts is loaded with the device. */

/** Guards the prototype of a tensor class against unsupported properties. Null until the device's part of the library is loaded. */
export const propertyGuard: { guard: ((prototype: object) => void) | null } = { guard: null };
