/** @file Masks: which steps of a tensor are valid. A mask is attached to its tensor; layers pass it on. */
import { isSymbolic, type SymbolicTensor } from '../ops/define/recorders.ts';
import { alias, Tensor } from '../tensor/tensor.ts';

/** Masks of symbolic tensors are symbolic, too. */
const symbolicMasks = new WeakMap<SymbolicTensor, SymbolicTensor>();

/** Returns the mask of `tensor`, usually bool [batch, steps]; null if it has none. It is freed with the tensor. */
export function maskOf(tensor: Tensor): Tensor | null;
export function maskOf(tensor: SymbolicTensor): SymbolicTensor | null;
export function maskOf(tensor: unknown): Tensor | SymbolicTensor | null;
export function maskOf(tensor: unknown): Tensor | SymbolicTensor | null {
  if (tensor instanceof Tensor) return tensor.attachment;
  return (isSymbolic(tensor) && symbolicMasks.get(tensor)) || null;
}

/** Attaches `mask` to `tensor`, or removes its mask. The caller keeps ownership of its handle on the mask. */
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
    const before = tensor.attachment;
    tensor.attachment = mask instanceof Tensor ? alias(mask) : null;
    before?.dispose();
  } else if (isSymbolic(mask)) symbolicMasks.set(tensor as SymbolicTensor, mask);
  else symbolicMasks.delete(tensor as SymbolicTensor);
  return tensor;
}
