/**
 * @file BatchedTensor: the argument of a mapped function, which represents one example. It has the shape of one example; the
 * values of all examples are in `physical`, whose first axis is the batch.
 */
import { TapeError } from '../../core/errors.ts';
import type { Shape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Origin } from '../../history/origin.ts';
import { symbolicGraph } from '../../ops/define/recorders.ts';
import type { FunctionTarget } from '../recordFunction.ts';
import { track } from '../../tensor/scope.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';

/** A running vmap, as its tensors and the batching rules see it. */
export interface Level extends FunctionTarget {
  /** The number of examples. */
  readonly size: number;
  /** Larger for levels that began later. */
  readonly order: number;
  isMapped(tensor: Tensor | null): tensor is BatchedTensor;
  /** The values of all examples: [batch, ...shape]. A tensor that isn't mapped is repeated. */
  spread(tensor: Tensor): Tensor;
  /** Throws once the map is over. */
  requireOpen(tensor: Tensor): void;
}

export class BatchedTensor extends Tensor {
  /** This tensor's own handle on the values of all examples: [batch, ...shape]. */
  readonly #physical: Tensor;
  readonly #level: Level;

  constructor(level: Level, physical: Tensor, shape: Shape, origin: Origin, aliasOf?: number) {
    const spec = { shape, dtype: physical.dtype };
    super(physical.device, physical.physicalStorage.retain(), spec, origin, aliasOf);
    this.#physical = alias(physical);
    this.#level = level;
  }

  get level(): Level {
    return this.#level;
  }

  /** Errors: TapeError once the map is over. */
  get physical(): Tensor {
    this.#level.requireOpen(this);
    return this.#physical;
  }

  /** The level that runs ops on it. */
  get [symbolicGraph](): Level {
    return this.#level;
  }

  /** Errors: TapeError. There is no storage with the values of a single example. */
  override get storage(): Storage {
    this.#level.requireOpen(this);
    throw new TapeError({
      op: 'vmap',
      rule: 'inside vmap, a mapped tensor stands for one example: ops take it, but its values cannot be read, assigned or used outside.',
      received: `a mapped ${formatSpec(this)}`,
      hint: 'return it from the function, and use the result of vmap.',
    });
  }

  override data(): never {
    return this.storage as never;
  }

  override item(): never {
    return this.storage as never;
  }

  override duplicate(): Tensor {
    return new BatchedTensor(this.#level, this.#physical, this.shape, this.origin, this.id);
  }

  override revive(from: Tensor): void {
    super.revive(from);
    this.#physical.revive((from as BatchedTensor).#physical);
  }

  override get physicalStorage(): Storage {
    return this.#physical.physicalStorage;
  }

  override dispose(): void {
    super.dispose();
    this.#physical.dispose();
  }
}

/** Returns `physical`, which `op` made, as a mapped tensor of `shape`, in the current scope. */
export function batched(level: Level, physical: Tensor, shape: Shape, op: string): BatchedTensor {
  const made = new BatchedTensor(level, physical, shape, { kind: 'unrecorded', op });
  track(made);
  return made;
}
