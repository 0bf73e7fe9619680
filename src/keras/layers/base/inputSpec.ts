/** @file What a layer demands of its inputs. */
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';

/** What a layer demands of an input. */
export interface InputSpec {
  rank?: number;
  minRank?: number;
  /** Sizes of single axes; negative axes count from the last. */
  axes?: Readonly<Record<number, number>>;
}

/** Throws unless `given` is what layer `name` demands. */
export function checkInput(name: string, { rank, minRank, axes = {} }: InputSpec, given: OpenSpec): void {
  const refuse = (rule: string) => {
    throw new ShapeError({
      op: name,
      rule,
      received: formatSpec(given),
      hint: 'reshape the input, or make a layer for inputs of this shape.',
    });
  };
  const actual = given.shape.length;
  if (rank !== undefined && actual !== rank) refuse(`its input must have rank ${rank}, the batch included.`);
  if (minRank !== undefined && actual < minRank)
    refuse(`its input must have rank ${minRank} or more, the batch included.`);
  for (const [axis, size] of Object.entries(axes)) {
    const found = given.shape.at(Number(axis));
    if (found !== null && found !== size) refuse(`axis ${axis} of its input must have size ${size}.`);
  }
}

/** Throws unless every input is what layer `name` demands of it. */
export function checkInputs(name: string, wanted: readonly InputSpec[], given: readonly OpenSpec[]): void {
  wanted.forEach((spec, i) => {
    const input = given[i];
    if (input) checkInput(name, spec, input);
  });
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
