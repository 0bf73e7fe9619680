/** @file Lists of tensors, which loops of TensorFlow read and write. */
import { ValueError } from '../core/errors.ts';
import { identity } from '../ops/index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { keep } from '../tensor/scope.ts';

/** A tensor of one list or several. */
interface Item {
  readonly tensor: Tensor;
  lists: number;
}

/** The longest list: far more turns than a loop of a model makes. */
const maxLength = 2 ** 20;

export class TensorList {
  #items: (Item | null)[];

  constructor(length: number) {
    if (!(Number.isInteger(length) && length >= 0 && length <= maxLength)) throw outside(length, maxLength);
    this.#items = new Array(length).fill(null);
  }

  static of(tensors: readonly Tensor[]): TensorList {
    const list = new TensorList(tensors.length);
    for (const [i, tensor] of tensors.entries()) list.set(i, tensor);
    return list;
  }

  get length(): number {
    return this.#items.length;
  }

  /** The tensor, which is the caller's; null for one that wasn't written. Errors: ValueError for an index that the list lacks. */
  get(index: number): Tensor | null {
    const item = this.#items[index];
    if (item === undefined) throw outside(index, this.length);
    return item && identity(item.tensor);
  }

  /** Writes a tensor, or appends it. */
  set(index: number, tensor: Tensor): void {
    if (!(Number.isInteger(index) && index >= 0 && index <= this.length && index < maxLength))
      throw outside(index, this.length);
    release(this.#items[index] ?? null);
    this.#items[index] = { tensor: keep(identity(tensor)), lists: 1 };
  }

  /** A list of the first `length` tensors, with places for more if it is longer. Both hold them. */
  copy(length = this.length): TensorList {
    const copied = new TensorList(length);
    copied.#items = copied.#items.map((_, i) => this.#items[i] ?? null);
    for (const item of copied.#items) if (item) item.lists++;
    return copied;
  }

  /** A copy in which a tensor is written or appended. */
  with(index: number, tensor: Tensor): TensorList {
    const copied = this.copy();
    try {
      copied.set(index, tensor);
      return copied;
    } catch (error) {
      copied.dispose();
      throw error;
    }
  }

  dispose(): void {
    for (const item of this.#items.splice(0)) release(item);
  }
}

function release(item: Item | null): void {
  if (item && --item.lists === 0) item.tensor.dispose();
}

function outside(index: number, length: number): ValueError {
  return new ValueError({
    op: 'list of tensors',
    rule: `an index is in a list, which may have ${maxLength} tensors.`,
    received: `${index}, for ${length}`,
    hint: 'the graph may be for inputs of another size.',
  });
}
