/** @file Frees memory of the host before a collector would: it waits until there is much to free. */

let closed: MessagePort | null = null;

/**
 * Frees the memory that `view` is in. Nothing may read it afterwards. A port that is closed takes it, and drops it:
 * `ArrayBuffer.prototype.transfer(0)` would leave it to Chromium's wrapper of the buffer, and make its collector think that it is
 * free already.
 */
export function release({ buffer }: ArrayBufferView<ArrayBuffer>): void {
  closed ??= closedPort();
  closed.postMessage(null, [buffer]);
}

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
