/** @file Takes the place of test/support/workgroupMemory.ts, which asks for a device of Dawn in Node. */

export async function withoutClearing<T>(body: () => T | Promise<T>): Promise<T> {
  return await body();
}
