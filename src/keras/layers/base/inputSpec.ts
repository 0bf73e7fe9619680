/** @file The shapes of inputs that a layer accepts. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { isBranch, leavesOf, type Nest } from '../../../core/nest.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';
import { mapShapes } from '../../tensorNest.ts';

/** The shapes that a layer accepts for one input. */
export interface InputSpec {
  rank?: number;
  minRank?: number;
  /** Required sizes by axis; negative axes count from the end. */
  axes?: Readonly<Record<number, number>>;
}

/** Throws unless `shape` matches the spec. `received` describes it. */
function checkInput(
  name: string,
  { rank, minRank, axes = {} }: InputSpec,
  shape: OpenShape,
  received: () => string,
): void {
  const reject = (rule: string) => {
    throw new ShapeError({
      op: name,
      rule,
      received: received(),
      hint: 'reshape the input, or create a layer for inputs of this shape.',
    });
  };
  const actual = shape.length;
  if (rank !== undefined && actual !== rank) reject(`its input must have rank ${rank}, the batch included.`);
  if (minRank !== undefined && actual < minRank)
    reject(`its input must have rank ${minRank} or more, the batch included.`);
  for (const [axis, size] of Object.entries(axes)) {
    const found = shape.at(Number(axis));
    if (found !== null && found !== size) reject(`axis ${axis} of its input must have size ${size}.`);
  }
}

/**
 * Throws unless every input matches its spec. A layer with one spec takes one tensor, not a list of one.
 * Errors: ValueError for a nest instead of one tensor; ShapeError.
 */
export function checkInputs(name: string, wanted: readonly InputSpec[], inputs: Nest<OpenSpec>): void {
  if (wanted.length === 1 && isBranch(inputs)) {
    throw new ValueError({
      op: name,
      rule: 'it takes one tensor.',
      received: describe(inputs),
      hint: 'pass the tensor itself; layers.concatenate() makes one of several.',
    });
  }
  const given = leavesOf(inputs);
  wanted.forEach((spec, i) => {
    const input = given[i];
    if (input) checkInput(name, spec, input.shape, () => formatSpec(input));
  });
}

/** `checkInputs` for the shapes alone. Errors: ShapeError. */
export function checkShapes(name: string, wanted: readonly InputSpec[], shapes: Nest<OpenShape>): void {
  const given: OpenShape[] = [];
  mapShapes(shapes, (shape) => given.push(shape));
  wanted.forEach((spec, i) => {
    const shape = given[i];
    if (shape) checkInput(name, spec, shape, () => describe(shape));
  });
}

/** The size of the last axis, which determines the shapes of weights. Errors: ShapeError if it is unknown. */
export function requireChannels(op: string, inputShape: OpenShape): number {
  return requireSize(op, inputShape, -1);
}

/** The size of `axis`, which determines the shapes of weights. Errors: ShapeError if it is unknown or missing. */
export function requireSize(op: string, inputShape: OpenShape, axis: number): number {
  const size = inputShape.at(axis);
  if (size !== null && size !== undefined && axis < inputShape.length) return size;
  throw new ShapeError({
    op,
    rule: `axis ${axis} of the input exists and has a known size: weights depend on it.`,
    received: describe(inputShape),
    hint: 'specify the size, as in input({ shape: [null, null, 3] }).',
  });
}
