/** @file Masks in a call of a layer: which its `call` gets, and which its outputs carry. */
import { isSymbolic } from '../../../ops/define/recorders.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { KerasTensor } from '../../graph/kerasTensor.ts';
import { maskOf, setMask } from '../../masks.ts';
import { leavesOf, mapNest, type Nest } from '../../tensorNest.ts';

type Masks = Nest<Tensor | null>;

interface GivenMask {
  readonly mask?: Masks | undefined;
}

/** Returns the masks of a call: those in its options, or else those that the inputs carry. */
export function masksOf(inputs: Nest<Tensor>, { mask }: GivenMask): Masks {
  return mask === undefined ? mapNest(inputs, (input) => maskOf(input)) : mask;
}

/**
 * Returns the options for `call`: with the masks that the inputs carry, unless it is called with other tensors, too. That is
 * Keras's rule; layers in which each input has its own mask are exempt.
 */
export function withMasks<O extends GivenMask>(
  layer: { masksEachInput: boolean },
  given: O,
  masks: Masks,
): O {
  const isGiven = given.mask !== undefined;
  const isUsed = !isGiven && isMasked(masks) && (layer.masksEachInput || !hasOtherTensors(given));
  return isUsed ? { ...given, mask: masks } : given;
}

/** Whether a call with these options has tensors besides its inputs, such as initial states. Masks don't count. */
export function hasOtherTensors(options: object): boolean {
  return Object.entries(options).some(
    ([name, value]) =>
      name !== 'mask' &&
      typeof value === 'object' &&
      leavesOf(value as Nest<unknown>, `options.${name}`).some(
        (leaf) => leaf instanceof Tensor || isSymbolic(leaf),
      ),
  );
}

/** Whether any of `masks` is not null. */
function isMasked(masks: Nest<unknown>): boolean {
  return leavesOf(masks).some((mask) => mask !== null);
}

/** Attaches masks to the outputs, except those that got one from a layer inside. */
export function attachMasks(outputs: Nest<Tensor | KerasTensor>, compute: () => Masks): void {
  const leaves = leavesOf(outputs);
  if (leaves.every((output) => maskOf(output))) return;
  const computed = leavesOf(compute());
  leaves.forEach((output, i) => {
    const mask = computed[i] ?? null;
    if (mask && !maskOf(output)) setMask(output, mask as never);
  });
}
