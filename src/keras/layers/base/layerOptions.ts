/** @file Options that layers share, and their checks. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { checkSeed } from '../../../ops/seeds.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';

/** One number for both axes of an image, or one for each. */
export type Pair = number | readonly [number, number];
/** A number, or a list of it alone, as configurations have it. */
export type Single = number | readonly [number];

export interface DataFormatOptions {
  /** Channels are the last axis: 'channelsLast', the only value. */
  dataFormat?: 'channelsLast' | null;
}

export interface KernelOptions {
  /** Default 'glorotUniform'. */
  kernelInitializer?: InitializerLike;
  /** Penalty on the kernel. Default: none. */
  kernelRegularizer?: RegularizerLike | null;
  /** Where the kernel is put back to after each step of training. Default: none. */
  kernelConstraint?: ConstraintLike | null;
}

export interface BiasOptions {
  /** Default true. */
  useBias?: boolean;
  /** Default 'zeros'. */
  biasInitializer?: InitializerLike;
  /** Penalty on the bias. Default: none. */
  biasRegularizer?: RegularizerLike | null;
  /** Where the bias is put back to after each step of training. Default: none. */
  biasConstraint?: ConstraintLike | null;
}

/** What a normalisation multiplies by, and what it adds. */
export interface ScaleOptions {
  /** Whether `beta` is added. Default true. */
  center?: boolean;
  /** Whether `gamma` multiplies. Default true. */
  scale?: boolean;
  /** Default 'zeros'. */
  betaInitializer?: InitializerLike;
  /** Default 'ones'. */
  gammaInitializer?: InitializerLike;
  /** Default: none. */
  betaRegularizer?: RegularizerLike | null;
  /** Default: none. */
  gammaRegularizer?: RegularizerLike | null;
  /** Default: none. */
  betaConstraint?: ConstraintLike | null;
  /** Default: none. */
  gammaConstraint?: ConstraintLike | null;
}

/** Throws unless `dataFormat` is 'channelsLast' or left out. */
export function requireChannelsLast(op: string, dataFormat: unknown): void {
  if (dataFormat === undefined || dataFormat === null || dataFormat === 'channelsLast') return;
  throw new ValueError({
    op,
    rule: "`dataFormat` is 'channelsLast': channels are the last axis.",
    received: `dataFormat: ${describe(dataFormat)}`,
    hint: 'leave it out, and transpose data whose channels come first: permute({ dims: [2, 3, 1] }).',
  });
}

/** Throws unless `value` is a number from 0 to 1. */
export function requireFraction(op: string, what: string, value: unknown): asserts value is number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number from 0 to 1.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass a fraction such as 0.5.',
  });
}

/** A seed, null where there is none. Errors: ValueError for what is no whole number in [0, 2^53). */
export function seedOf(op: string, seed: unknown): number | null {
  if (seed === undefined || seed === null) return null;
  checkSeed(op, seed);
  return seed as number;
}

/** Numbers before and after each of two axes: from one for all, one for each axis, or [before, after] for each. */
export function sidesOfImage(
  op: string,
  what: string,
  value: unknown,
): readonly [readonly [number, number], readonly [number, number]] {
  const axes = Array.isArray(value) ? value : [value, value];
  const sides = axes.map((axis) => (Array.isArray(axis) ? axis : [axis, axis]));
  if (sides.length === 2 && sides.every(isCountPair)) return sides as never;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a whole number, one for height and one for width, or [[top, bottom], [left, right]].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, [1, 2], or [[0, 1], [0, 1]].',
  });
}

/** Numbers before and after a sequence: from one for both, or [before, after]. */
export function sidesOfSequence(op: string, what: string, value: unknown): readonly [number, number] {
  const sides = Array.isArray(value) ? value : [value, value];
  if (isCountPair(sides)) return sides;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a whole number, or [before, after].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, or [1, 0].',
  });
}

function isCountPair(sides: readonly unknown[]): sides is readonly [number, number] {
  return sides.length === 2 && sides.every((n) => Number.isInteger(n) && (n as number) >= 0);
}

/** The size of the last axis, which weights are made for. Errors: ShapeError where it is open. */
export function requireChannels(op: string, inputShape: OpenShape): number {
  return requireSize(op, inputShape, -1);
}

/** The size of `axis`, which weights are made for. Errors: ShapeError where it is open, or there is no such axis. */
export function requireSize(op: string, inputShape: OpenShape, axis: number): number {
  const size = inputShape.at(axis);
  if (size !== null && size !== undefined && axis < inputShape.length) return size;
  throw new ShapeError({
    op,
    rule: `axis ${axis} of the input must exist, and its size be known: weights are made for it.`,
    received: describe(inputShape),
    hint: 'give the size, as in input({ shape: [null, null, 3] }).',
  });
}
