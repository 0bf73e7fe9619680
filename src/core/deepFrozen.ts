/** @file Freezes plain data at any depth. */

/** Returns `value` itself, with everything in it frozen. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) deepFrozen(item);
  return Object.freeze(value);
}
