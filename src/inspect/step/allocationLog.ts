/** @file AllocationLog: records what a step allocates and frees. Wraps an executor. */
import { ForwardingExecutor } from '../../execution/forwardingExecutor.ts';
import type { Executor } from '../../webgpu/executor.ts';
import type { Storage } from '../../webgpu/storage.ts';

/** A buffer of the step. */
export interface Allocation {
  readonly label: string;
  readonly bytes: number;
  readonly isUpload: boolean;
  readonly from: number;
  to: number | null;
  /** The changes of memory that allocated and freed it. */
  readonly allocatedBy: number;
  freedBy: number | null;
}

export class AllocationLog extends ForwardingExecutor {
  readonly allocations: Allocation[] = [];
  /** Bytes that the step holds after each change. */
  readonly changes: { readonly at: number; readonly bytes: number }[] = [];
  readonly #byStorage = new WeakMap<Storage, Allocation>();
  #retained = 0;
  #isOpen = true;

  constructor(
    base: Executor,
    /** The number of calls of the step so far. */
    private readonly now: () => number,
  ) {
    super(base);
  }

  override allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    const storage = this.base.allocate(bytes, label, (which) => {
      freed?.(which);
      this.#free(which);
    });
    this.#note(storage, label, false);
    return storage;
  }

  override upload(
    data: ArrayBufferView<ArrayBuffer>,
    label: string,
    freed?: (storage: Storage) => void,
  ): Storage {
    const storage = this.base.upload(data, label, (which) => {
      freed?.(which);
      this.#free(which);
    });
    this.#note(storage, label, true);
    return storage;
  }

  of(storage: Storage): Allocation | undefined {
    return this.#byStorage.get(storage);
  }

  /** Marks the end of the step: buffers freed later outlived it. */
  close(): void {
    this.#isOpen = false;
  }

  #note(storage: Storage, label: string, isUpload: boolean): void {
    const allocation: Allocation = {
      label,
      bytes: storage.buffer.size,
      isUpload,
      from: this.now(),
      to: null,
      allocatedBy: this.changes.length,
      freedBy: null,
    };
    this.#byStorage.set(storage, allocation);
    this.allocations.push(allocation);
    this.#change(allocation.bytes);
  }

  #free(storage: Storage): void {
    const allocation = this.#byStorage.get(storage);
    if (!allocation || !this.#isOpen) return;
    allocation.to = this.now();
    allocation.freedBy = this.changes.length;
    this.#change(-allocation.bytes);
  }

  #change(bytes: number): void {
    this.#retained += bytes;
    this.changes.push({ at: this.now(), bytes: this.#retained });
  }
}
