/**
 * @file Parts of TF.js that Retrograd doesn't offer: complex and string tensors, synchronous readback, ops
 * outside of the library. A spec that meets one is listed as skipped with the reason, regardless of its other results.
 */

/** Thrown when a spec uses something that isn't offered. */
export class NotOffered extends Error {}

/** Reasons recorded since the last call of `takeNotOffered`. */
const met = new Set<string>();

export function notOffered(what: string): never {
  met.add(`${what}: not offered`);
  throw new NotOffered(`${what}: not offered`);
}

/** Returns the reasons that the running spec has met. */
export function takeNotOffered(): string[] {
  const reasons = [...met];
  met.clear();
  return reasons;
}

/** Returns a placeholder for a name of TF.js's that the shim doesn't have. */
export function outside(name: string): unknown {
  const reject = () => notOffered(`tf.${name}`);
  return new Proxy(reject, {
    construct: reject,
    get: (target, key) =>
      typeof key === 'symbol' || key in target ? Reflect.get(target, key) : outside(`${name}.${key}`),
  });
}
