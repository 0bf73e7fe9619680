/** @file How Dawn for Node waits for the GPU in tests. */

/** Milliseconds between two questions whether the GPU is done. */
const interval = 0.1;

/**
 * As long as a promise waits for the GPU, Dawn asks in every turn of the event loop whether it is done. On a software adapter
 * that takes the processor from the threads that it waits for: a seventh of the time of the unit tests. From now on the
 * process sleeps before each question.
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

/** Dawn's own question is native code; nothing else in the tests passes such a function to `setImmediate`. */
const isNative = (callback: unknown) => String(callback).includes('[native code]');
