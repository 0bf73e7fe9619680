/**
 * @file Tracing: running a layer's `call` on symbolic tensors to infer the shapes of its outputs. Calls made while tracing
 * are not added to the graph and use no names.
 */
import type { OpenShape } from '../../core/shape.ts';
import { mapShapes, type Nest } from '../tensorNest.ts';

let depth = 0;

export function isTracing(): boolean {
  return depth > 0;
}

export function trace<T>(body: () => T): T {
  depth++;
  try {
    return body();
  } finally {
    depth--;
  }
}

/** Whether a traced `call` has read the shape of a tensor with an open size. */
export interface ShapeReads {
  open: boolean;
}

/** The reads of the traced call; null if they aren't needed, or while the library itself reads shapes. */
let reads: ShapeReads | null = null;

/** Called when a shape with an open size is read. */
export function noteOpenShape(): void {
  if (reads) reads.open = true;
}

/** Runs `body` while reads of open shapes are noted in `into`; with null, they are not noted. */
export function notingReads<T>(into: ShapeReads | null, body: () => T): T {
  const before = reads;
  reads = into;
  try {
    return body();
  } finally {
    reads = before;
  }
}

/** Descriptions of the traced calls of ops; null if they aren't needed. */
let calls: unknown[] | null = null;

/** Called for a call of an op while tracing, with a function that describes it. */
export function noteCall(description: () => unknown): void {
  calls?.push(description());
}

/** Runs `body` while the calls of ops are noted in `into`. */
export function notingCalls<T>(into: unknown[], body: () => T): T {
  const before = calls;
  calls = into;
  try {
    return body();
  } finally {
    calls = before;
  }
}

/** The number that traced calls see instead of an open size; null if they see null. */
let probe: number | null = null;

export function withProbe<T>(size: number | null, body: () => T): T {
  const before = probe;
  probe = size;
  try {
    return body();
  } finally {
    probe = before;
  }
}

/** Returns `shapes` with null instead of the probe. */
export function withoutProbe<S extends Nest<OpenShape>>(shapes: S): S {
  if (probe === null) return shapes;
  return mapShapes(shapes, (shape) => shape.map((size) => (size === probe ? null : size))) as unknown as S;
}
