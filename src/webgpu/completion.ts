/**
 * @file Waits for submitted work. Firefox looks for finished work when something is submitted, and otherwise every 100 ms
 * (https://bugzilla.mozilla.org/show_bug.cgi?id=1870699). There, empty submissions poll until the wait is over.
 */

/** Milliseconds between two polls: the shortest time that timers keep. */
const pause = 4;

/** Returns `completion`, which settles once work of `device` is done, and polls for it in Firefox. */
export function polled<T>(device: GPUDevice, completion: Promise<T>): Promise<T> {
  if (!globalThis.navigator?.userAgent?.includes('Firefox')) return completion;
  const timer = setInterval(() => device.queue.submit([]), pause);
  return completion.finally(() => clearInterval(timer));
}
