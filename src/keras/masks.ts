/**
 * @file Masks: which steps of a tensor count. A mask rides on its tensor: layers hand it on, and it is freed with it.
 */
import { isSymbolic, type SymbolicTensor } from '../ops/recorders.ts';
import { alias, Tensor } from '../tensor/tensor.ts';

/** Masks of symbolic tensors are symbolic. */
const symbolicMasks = new WeakMap<SymbolicTensor, SymbolicTensor>();

/** The mask that `tensor` carries, bool [batch, steps] as a rule; null where it has none. It is freed with the tensor. */
export function maskOf(tensor: Tensor): Tensor | null;
export function maskOf(tensor: SymbolicTensor): SymbolicTensor | null;
export function maskOf(tensor: unknown): Tensor | SymbolicTensor | null;
export function maskOf(tensor: unknown): Tensor | SymbolicTensor | null {
  if (tensor instanceof Tensor) return tensor.companion;
  return (isSymbolic(tensor) && symbolicMasks.get(tensor)) || null;
}

/** Lets `tensor` carry `mask` from here on, or none. The caller's handle on the mask stays the caller's. */
export function setMask<T extends Tensor>(tensor: T, mask: Tensor | null): T;
export function setMask<T extends SymbolicTensor>(tensor: T, mask: SymbolicTensor | null): T;
export function setMask<T extends Tensor | SymbolicTensor>(
  tensor: T,
  mask: Tensor | SymbolicTensor | null,
): T;
export function setMask<T extends Tensor | SymbolicTensor>(
  tensor: T,
  mask: Tensor | SymbolicTensor | null,
): T {
  if (tensor instanceof Tensor) {
    const before = tensor.companion;
    tensor.companion = mask instanceof Tensor ? alias(mask) : null;
    before?.dispose();
  } else if (isSymbolic(mask)) symbolicMasks.set(tensor as SymbolicTensor, mask);
  else symbolicMasks.delete(tensor as SymbolicTensor);
  return tensor;
}
