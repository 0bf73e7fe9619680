/** @file StreamWatcher: what a profile sees of a stream. */
import type { PreparedLaunch } from './command.ts';

/** Watches what a stream does. */
export interface StreamWatcher {
  /** 'pass': each launch has a pass of its own; 'submission': a command buffer, too, which is submitted on its own. */
  readonly apart: 'pass' | 'submission' | null;
  /** `launch` begins a pass, or is the next one where launches stand apart. Where its pass writes timestamps. */
  next(launch: PreparedLaunch): GPUComputePassTimestampWrites | undefined;
  /** Adds to the commands that are about to be submitted. */
  resolve?(encoder: GPUCommandEncoder): void;
  /** Submits in place of the stream. */
  submit?: ((queue: GPUQueue, buffers: readonly GPUCommandBuffer[]) => void) | undefined;
}
