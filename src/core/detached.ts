/** @file Memory that was transferred away. */

/** Whether `buffer` is detached. Only making a view tells, until `ArrayBuffer.detached` is everywhere. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
