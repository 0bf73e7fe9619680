/** @file Checks the shapes of states that an app passes to `build`. */
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { areShapes } from '../../graph/callResult.ts';
import { mapShapes, type Nest } from '../../tensorNest.ts';

/** Throws a ShapeError unless `given` are the shapes of states whose last axes have these sizes. */
export function requireStateShapes(name: string, sizes: readonly number[], given: unknown): void {
  const shapes: OpenShape[] = [];
  if (areShapes(given)) mapShapes(given as Nest<OpenShape>, (shape) => shapes.push(shape));
  const fits = (size: number, i: number) => shapes[i]?.at(-1) === size || shapes[i]?.at(-1) === null;
  if (shapes.length === sizes.length && sizes.every(fits)) return;
  throw new ShapeError({
    op: name,
    rule: `its states have shapes [batch, …, size], with sizes ${sizes.join(', ')}.`,
    received: describe(given),
    hint: 'give the shape of the input alone, or with those of all states.',
  });
}
