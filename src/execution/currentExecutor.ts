/** @file Sets the executors of devices for the duration of a piece of work. */
import { requireFunction } from '../core/arguments.ts';
import { openedDevice } from '../webgpu/current.ts';
import { type Executor, type ExecutorHolder, openHolders } from '../webgpu/executor.ts';

/** Runs `body` while each open device has the executor that `make` returns for it. */
export function withExecutors<T>(make: (holder: ExecutorHolder) => Executor, body: () => T): T {
  const before = [...openHolders].map((holder) => [holder, holder.executor] as const);
  for (const [holder] of before) holder.executor = make(holder);
  try {
    return body();
  } finally {
    for (const [holder, executor] of before) holder.executor = executor;
  }
}

/** Returns the executor of the current device; null if none is open. */
export function currentExecutor(): Executor | null {
  return openedDevice()?.executor ?? null;
}

/**
 * Executes `body` untraced: it creates permanent objects, such as the weights of a layer. If `body` makes variables, a
 * capture around it can't be replayed.
 */
export function untraced<T>(body: () => T): T {
  const executor = currentExecutor();
  return executor ? executor.untraced(body) : body();
}

/**
 * Runs `effect` now and, if work is being captured, before each of its replays: counting a step, drawing a seed, setting
 * a rate. It reads and writes host state and DynamicScalars, and launches nothing. In a dry run it doesn't run.
 */
export function onReplay(effect: () => void): void {
  requireFunction('onReplay', 'effect', effect);
  const executor = currentExecutor();
  if (executor) executor.onReplay(effect);
  else effect();
}
