/**
 * @file How an op's samples are written down. The battery (test/ops/battery.test.ts) runs every sample of every op:
 * forward, gradient and second derivative against finite differences, disposed and foreign tensors, NaN, bad input.
 */
import type { DType } from '../../../src/core/dtype.ts';
import type { RetrogradError } from '../../../src/core/errors.ts';

/** Values of one input: given, or drawn by seed from [low, high). Integers are drawn from the integers of that range. */
export interface InputSample {
  shape: readonly number[];
  dtype?: DType;
  /** Default -1. */
  low?: number;
  /** Default 1. */
  high?: number;
  values?: readonly number[];
  /**
   * Spreads the values so that no two lie closer than this: for ops with kinks where values meet (max, sort, pools), so
   * that a finite difference doesn't step over one.
   */
  apart?: number;
}

export interface OpCase {
  /** An array, or null for an input that is left out. */
  inputs: readonly (InputSample | null)[];
  options?: object;
  /** False where finite differences make no sense (steps, integers). Default true for ops with a gradient. */
  gradient?: boolean;
  /** False where NaN isn't carried through (integer outputs, comparisons, selections). Default: true for float ops. */
  carriesNaN?: boolean;
}

export interface BadCase {
  /** What is wrong, for the test's name. */
  why: string;
  inputs: readonly (InputSample | null)[];
  options?: object;
  error: new (...args: never[]) => RetrogradError;
  /** Must occur in the message. */
  message?: RegExp;
}

export interface OpSamples {
  /** Export name in src/ops/index.ts. */
  op: string;
  cases: readonly OpCase[];
  bad: readonly BadCase[];
}
