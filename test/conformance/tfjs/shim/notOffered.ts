/**
 * @file What TF.js has and Retrograd does not offer, by rule: complex and string tensors, synchronous readback, ops
 * outside of the library. A spec that meets one is listed as skipped with the reason, whatever else happens in it.
 */

/** Thrown where a spec leaves what is offered. */
export class NotOffered extends Error {}

/** Reasons met since the last look. */
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

/** Stands for a name of TF.js's that the shim doesn't have. */
export function outside(name: string): unknown {
  const reject = () => notOffered(`tf.${name}`);
  return new Proxy(reject, {
    construct: reject,
    get: (target, key) =>
      typeof key === 'symbol' || key in target ? Reflect.get(target, key) : outside(`${name}.${key}`),
  });
}
