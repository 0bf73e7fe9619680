/** @file Masks in the options of a call: whether they fit the inputs. A layer that only hands its mask on never looks at it. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { isBranch, leavesOf, type Nest } from '../../../core/nest.ts';
import { describe } from '../../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../../core/spec.ts';

/**
 * Checks that each mask has the first axes of its input; `isPartial` says that the last inputs may go without.
 * Errors: ValueError for one mask for several inputs, or the reverse; ShapeError.
 */
export function requireFittingMasks(
  name: string,
  inputs: Nest<OpenSpec>,
  masks: Nest<OpenSpec | null>,
  isPartial: boolean,
): void {
  const [wanted, given] = [leavesOf(inputs), leavesOf(masks)];
  const fits = isPartial
    ? given.length <= wanted.length
    : given.length === wanted.length && isBranch(inputs) === isBranch(masks);
  if (!fits) {
    throw new ValueError({
      op: name,
      rule: 'each input has a mask, or null.',
      received: `mask: ${describe(masks)} for ${isBranch(inputs) ? `${wanted.length} inputs` : 'one input'}`,
      hint: isBranch(inputs) ? 'pass them in a list: { mask: [first, null] }.' : 'pass the mask itself.',
    });
  }
  given.forEach((mask, i) => {
    const input = wanted[i];
    if (!mask || !input || isPrefix(mask, input)) return;
    throw new ShapeError({
      op: name,
      rule: 'a mask has the first axes of its input, such as [batch, steps].',
      received: `mask ${formatSpec(mask)} for ${formatSpec(input)}`,
      hint: 'reshape the mask, or leave it out.',
    });
  });
}

function isPrefix({ shape: sizes }: OpenSpec, { shape }: OpenSpec): boolean {
  if (sizes.length > shape.length) return false;
  return sizes.every((size, i) => size === null || shape[i] === null || size === shape[i]);
}
