/** @file copyWith: a copy between any two ranges, by an executor. */
import type { BoundRange } from './boundRange.ts';
import type { Executor } from './executor.ts';

/**
 * Copies by `executor`. WebGPU only copies between different buffers, so a copy within one goes through a third
 * range.
 */
export function copyWith(executor: Executor, source: BoundRange, target: BoundRange, bytes: number): void {
  if (source.buffer !== target.buffer) {
    executor.copy(source, target, bytes);
    return;
  }
  const between = executor.allocate(bytes, 'copy');
  executor.copy(source, between, bytes);
  executor.copy(between, target, bytes);
  between.release();
}
