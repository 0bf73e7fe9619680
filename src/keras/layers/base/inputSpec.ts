/** @file What a layer demands of its inputs. */
import { ShapeError } from '../../../core/errors.ts';
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
