/** @file Detached ArrayBuffers. */

/** Returns whether `buffer` is detached. Tested by making a view, until `ArrayBuffer.detached` is supported everywhere. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
