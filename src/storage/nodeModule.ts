/** @file Modules of Node, without imports that would break bundles for pages. */

/** Null outside of Node. */
export function nodeModule<T>(name: string): T | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return (process?.getBuiltinModule?.(`node:${name}`) ?? null) as T | null;
}
