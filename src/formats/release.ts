/** @file Frees memory of the host before a collector would: it waits until there is much to free. */

/** Frees the memory that `view` is in, where the platform can. Nothing may read it afterwards. */
export function release({ buffer }: ArrayBufferView<ArrayBuffer>): void {
  (buffer as ArrayBuffer & { transfer?(newByteLength: number): ArrayBuffer }).transfer?.(0);
}
