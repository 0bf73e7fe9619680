/** @file yieldTask: lets a page, or a worker, do what else it has to do. */

interface Scheduling {
  scheduler?: { yield?: () => Promise<void> };
  setImmediate?: (callback: () => void) => unknown;
}

/** Resolves in a task of its own, after other tasks that wait: input, painting, timers. */
export function yieldTask(): Promise<void> {
  const { scheduler, setImmediate } = globalThis as Scheduling;
  if (scheduler?.yield) return scheduler.yield();
  if (setImmediate) return new Promise((resolve) => void setImmediate(resolve));
  if (typeof MessageChannel === 'undefined') return new Promise((resolve) => setTimeout(resolve));
  // A timer would wait 4 ms at the least once it is asked for again and again.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
