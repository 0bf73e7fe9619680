/** @file How Dawn for Node waits for the GPU in tests. */

/** Milliseconds between two polls of whether the GPU is done. */
const interval = 0.1;

/**
 * While a promise waits for the GPU, Dawn polls in every iteration of the event loop. On a software adapter, that takes the
 * processor from the threads that it waits for: a seventh of the time of the unit tests. After this call, the process sleeps
 * before each poll.
 */
export function sleepBetweenPolls(): void {
  const { setImmediate } = globalThis;
  const clock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  function setImmediateAfterSleep(callback: (...values: unknown[]) => void, ...values: unknown[]) {
    if (isNative(callback)) Atomics.wait(clock, 0, 0, interval);
    return setImmediate(callback, ...values);
  }
  Object.assign(globalThis, { setImmediate: setImmediateAfterSleep });
}

/** Dawn's poll is native code, but so is a promise's `resolve`, which the sleep delays by the same short time. */
const isNative = (callback: unknown) => String(callback).includes('[native code]');
