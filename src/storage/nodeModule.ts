/** @file Node modules, loaded without imports that would break bundles for browsers. */

/** Null outside of Node. */
export function nodeModule<T>(name: string): T | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return (process?.getBuiltinModule?.(`node:${name}`) ?? null) as T | null;
}
