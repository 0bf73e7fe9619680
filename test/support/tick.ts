/** @file A clock for tests of long work, by which every piece of it is followed by a yield to other tasks. */
import { vi } from 'vitest';

/**
 * From now on until `stopTicking`, each look at the clock finds that 20 ms have passed. Returns the yields, at each of which `then` is
 * called.
 */
export function tick(then: (yields: number) => void = () => {}): { yields: number } {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 20;
    return now;
  });
  const counted = { yields: 0 };
  // Readbacks are polled by `setImmediate`, so that its calls aren't all yields.
  vi.stubGlobal('scheduler', {
    yield: async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      then(++counted.yields);
    },
  });
  return counted;
}

export function stopTicking(): void {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
}
