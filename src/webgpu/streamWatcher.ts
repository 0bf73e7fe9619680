/** @file StreamWatcher: observes a stream for a profile. */
import type { PreparedLaunch } from './command.ts';

/** Observes the launches of a stream. */
export interface StreamWatcher {
  /** 'pass': each launch gets a separate pass; 'submission': also a separate command buffer and submission. */
  readonly isolates: 'pass' | 'submission' | null;
  /** Called when `launch` begins a pass. Returns where the pass writes timestamps. */
  next(launch: PreparedLaunch): GPUComputePassTimestampWrites | undefined;
  /** Adds to the commands that are about to be submitted. */
  resolve?(encoder: GPUCommandEncoder): void;
  /** Submits instead of the stream. */
  submit?: ((queue: GPUQueue, buffers: readonly GPUCommandBuffer[]) => void) | undefined;
}
