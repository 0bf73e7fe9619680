/** @file The option `memory` of `compile`, and what it has led to. */
import { requireFinite } from '../../core/shape.ts';

/** What `compile({ memory })` has chosen, in bytes. */
export interface MemoryPlan {
  /** The option. */
  readonly budget: number;
  /** What a step takes: weights, gradients, the optimizer, and what is kept for gradients. */
  readonly estimate: number;
  /** The same if nothing ran again. */
  readonly estimateWithout: number;
  /** The layers that run again, and what each keeps less. */
  readonly recomputed: readonly { readonly layer: string; readonly saved: number }[];
  /** The whole choice as readable text. */
  readonly text: string;
}

/** Errors: ValueError unless it is a positive number or null. */
export function requireMemory(memory: unknown): void {
  if (memory !== null) requireFinite('compile', 'memory', memory, 1);
}
