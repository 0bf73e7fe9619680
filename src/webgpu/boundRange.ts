/** @file BoundRange: what a launch binds. */
import type { DeviceBuffer } from './deviceBuffer.ts';

/** A range of a buffer as a launch binds it. */
export interface BoundRange {
  readonly buffer: DeviceBuffer;
  readonly offset: number;
  readonly bytes: number;
}
