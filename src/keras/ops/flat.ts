/** @file The elements of a tensor as a vector. */
import { reshape } from '../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export const flat = (x: Tensor) => reshape(x, { shape: [-1] });
