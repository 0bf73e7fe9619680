/**
 * @file Tensor: an immutable n-dimensional array on the device, with a record of where it came from.
 *
 * A tensor's `id` is its identity on tapes. Aliases (a tape's saved inputs) share id and storage with the tensor, and
 * stay valid when it is disposed of.
 */
import { float16ToNumber } from '../core/float16.ts';
import {
  type AnyDType,
  bytesPerElement,
  type DataOf,
  type DType,
  type KnownDType,
  type TypedData,
} from '../core/dtype.ts';
import { DropRegistry, type Holding } from '../core/dropRegistry.ts';
import { DisposedError, ShapeError, ValueError } from '../core/errors.ts';
import { frozenShape } from '../core/frozenShape.ts';
import { rejectExtraArguments } from '../core/options.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import type { Device } from '../webgpu/device.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { KerasHistory } from '../history/node.ts';
import { historyOf, type SourceTensor, type Origin } from '../history/origin.ts';
import { type Scoped, track, untrack } from './scope.ts';

/** Values in nested arrays, as returned by `array()`. */
export type NestedArray = number | NestedArray[];

/** Which tensor a host array was read back from, so that an upload of it can report the lost history. */
const readBackFrom = new WeakMap<TypedData, SourceTensor>();

/** Notes that host `data` hold values of `origin`. */
export function rememberSource(data: TypedData, origin: SourceTensor): void {
  readBackFrom.set(data, origin);
}

export function sourceOfData(data: unknown): SourceTensor | undefined {
  return typeof data === 'object' && data !== null ? readBackFrom.get(data as TypedData) : undefined;
}

/** What a tensor leaves to be freed. */
interface Holder extends Holding {
  storage: Storage | null;
  /** False for aliases, which `tensorCount` leaves out. */
  counted: boolean;
}

/**
 * Releases the storage of tensors that were dropped without `dispose`. Only tensors in no scope are watched: scopes free
 * theirs anyway, and watching each one would be a large part of the cost of an op.
 */
const dropped = new DropRegistry<Holder>((holder) => {
  holder.storage?.release();
  if (holder.counted) liveTensors--;
});

let nextTensorId = 1;
let liveTensors = 0;

/** Returns a new tensor id; symbolic tensors share the numbering. */
export function newTensorId(): number {
  return nextTensorId++;
}

/** Tensors not yet disposed of, variables included. */
export function tensorCount(): number {
  return liveTensors;
}

/** A symbol, since neither structuredClone nor postMessage takes one: they would copy a tensor as an object without values. */
const contents = Symbol('on the device: `await x.data()` gives values, which can be posted');

/**
 * Values of one dtype and shape on a device. Immutable, except for variables.
 *
 * `D` is the dtype, as far as TypeScript knows it: ops propagate it, so that `data()` of a comparison is a Uint8Array. A
 * plain `Tensor` may have any dtype and is accepted by every parameter.
 */
export class Tensor<D extends DType = AnyDType> implements TensorSpec {
  /** The identity that tapes know this tensor by. The one property that test matchers compare. */
  readonly id: number;
  /** Type-level only: lets TypeScript infer `D` for a subclass, such as Variable. */
  declare protected readonly elementType: D;
  readonly #shape: Shape;
  readonly #dtype: KnownDType[D];
  readonly #size: number;
  readonly #device: Device;
  name: string | undefined;
  /** Shown by consoles instead of the values; structured clones reject it. */
  protected readonly contents = contents;
  #origin: Origin;
  #attachment: Tensor | null = null;
  /** Shared with the finalizer, which must not hold the tensor itself. */
  readonly #holder: Holder;
  #members: Scoped['members'] = null;

  /** Takes over one reference of `storage`. Internal: make tensors with `tensor()` and ops. Errors: ValueError in apps. */
  constructor(device: Device, storage: Storage, spec: TensorSpec, origin: Origin, aliasOf?: number) {
    // An app may take the class for the function.
    if (!(spec as unknown)) throw notConstructed();
    this.id = aliasOf ?? newTensorId();
    this.#shape = frozenShape(spec.shape);
    this.#dtype = spec.dtype as KnownDType[D];
    this.#size = sizeOf(spec.shape);
    this.#device = device;
    this.#origin = origin;
    this.#holder = { storage, counted: aliasOf === undefined, isFree: false };
    if (this.#holder.counted) liveTensors++;
  }

  /**
   * Removes this tensor from its scope. If it is then dropped, the finalizer frees it.
   * @internal
   */
  watchDrop(): void {
    dropped.watch(this, this.#holder);
  }

  // Accessors of private fields: assignments throw (unsupportedProperties.ts says with which hint).

  /** Sizes of the axes. Frozen. */
  get shape(): Shape {
    return this.#shape;
  }

  get dtype(): KnownDType[D] {
    return this.#dtype;
  }

  /** Number of elements. */
  get size(): number {
    return this.#size;
  }

  get device(): Device {
    return this.#device;
  }

  get origin(): Origin {
    return this.#origin;
  }

  set origin(origin: Origin) {
    this.#origin = origin;
  }

  /**
   * A tensor that is disposed of together with this one, in any scope, such as the mask of a sequence. It must not
   * belong to a scope, so make it with `alias`.
   * @internal
   */
  get attachment(): Tensor | null {
    return this.#attachment;
  }

  /** @internal */
  set attachment(attachment: Tensor | null) {
    this.#attachment = attachment;
  }

  /**
   * For scopes.
   * @internal
   */
  get members(): Scoped['members'] {
    return this.#members;
  }

  /** @internal */
  set members(members: Scoped['members']) {
    this.#members = members;
  }

  get rank(): number {
    return this.shape.length;
  }

  get disposed(): boolean {
    return this.#holder.storage === null;
  }

  /** The call that made this tensor; null if none was recorded: `explainHistory(t)` says why. */
  get kerasHistory(): KerasHistory | null {
    return historyOf(this.origin);
  }

  /** Errors: DisposedError. */
  get storage(): Storage {
    const { storage } = this.#holder;
    if (storage) return storage;
    throw new DisposedError({
      rule: 'a tensor that was disposed of can no longer be used.',
      received: `disposed ${formatSpec(this)}${this.name ? ` '${this.name}'` : ''}`,
      hint: 'dispose of it after its last use; in tidy() or a scope, return it or keep(t) it.',
    });
  }

  /**
   * The storage of its values: that of all examples, for a tensor inside vmap. Errors: DisposedError.
   * @internal
   */
  get physicalStorage(): Storage {
    return this.storage;
  }

  /** Replaces the values; for variables. Takes over one reference. */
  protected replaceStorage(storage: Storage): void {
    this.#holder.storage?.release();
    this.#holder.storage = storage;
  }

  /**
   * The buffer that holds the values, row-major from `bufferOffset` on, without a copy. Pending launches are submitted
   * first, so that work which the app submits afterwards sees the values. The buffer may be longer than the tensor.
   */
  get buffer(): GPUBuffer {
    this.device.expose();
    const { storage } = this;
    storage.exposed = true;
    return storage.buffer.gpu;
  }

  /** Byte offset of the first element in `buffer`. */
  get bufferOffset(): number {
    return this.storage.offset;
  }

  get bytes(): number {
    return this.size * bytesPerElement(this.dtype);
  }

  /**
   * Reads the values back, row-major. The only operation of the library that waits.
   * Errors: IndexOutOfRangeError for a fault of the work that the values depend on; DisposedError; DeviceLostError. Thrown
   * at the call: TapeError inside a compiled function.
   */
  data(...extra: never[]): Promise<DataOf[D]> {
    rejectExtraArguments('data', extra, []);
    this.#requireUncaptured();
    return this.#read();
  }

  /** Throws synchronously: in a compiled function, a rejected promise could go unnoticed. */
  #requireUncaptured(): void {
    const { executor } = this.device;
    if (executor.mode === 'captured') executor.requireReadable();
  }

  async #read(): Promise<DataOf[D]> {
    const held = this.storage.retain();
    const { buffer, offset } = held;
    const origin = sourceOf(this);
    try {
      const bytes = await this.device.read({ buffer, offset, bytes: this.bytes }, held.exposed);
      const data = viewOf(bytes, this.dtype, this.size) as DataOf[D];
      rememberSource(data as TypedData, origin);
      return data;
    } finally {
      held.release();
    }
  }

  /** Returns a second handle with the same id, for `alias`. */
  duplicate(): Tensor {
    return new Tensor(this.device, this.storage.retain(), this, this.origin, this.id);
  }

  /** Returns the values as nested arrays; a number for a scalar. Bools are 0 and 1. */
  array(...extra: never[]): Promise<NestedArray> {
    rejectExtraArguments('array', extra, []);
    return this.data().then((data) => nest(data, this.shape));
  }

  /** Returns the value of a tensor with one element. Errors: ShapeError if there are none or several; those of `data`. */
  item(...extra: never[]): Promise<number> {
    rejectExtraArguments('item', extra, []);
    this.#requireUncaptured();
    return this.#readItem();
  }

  async #readItem(): Promise<number> {
    if (this.size !== 1) {
      throw new ShapeError({
        op: 'item',
        rule: 'item() reads a tensor that has exactly one element.',
        received: formatSpec(this),
        hint: 'reduce it first, or use data() or array().',
      });
    }
    return (await this.#read())[0] as number;
  }

  /**
   * Gives a tensor that was disposed of its values again, which `from` has, until it is disposed of again. For functions that
   * run a second time.
   * @internal
   */
  revive(from: Tensor): void {
    this.#holder.storage = from.physicalStorage.retain();
    if (this.#holder.counted) liveTensors++;
  }

  /** Frees the values, unless a tape or another tensor still shares them. Doing it twice is harmless. */
  dispose(): void {
    const { storage } = this.#holder;
    if (!storage) return;
    this.#holder.storage = null;
    dropped.forget(this.#holder);
    if (this.#holder.counted) liveTensors--;
    untrack(this);
    this.attachment?.dispose();
    this.attachment = null;
    storage.release();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** A short form for Node's `console.log`, without internals. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  /** Returns the short form for `JSON.stringify`, since the values are on the device. `array()` reads them. */
  toJSON(): string {
    return this.toString();
  }

  /** Converts to a string, but throws in arithmetic and comparisons: values are on the device. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.toString();
    throw new ValueError({
      rule: 'a tensor has no value in JavaScript: arithmetic and comparisons cannot use it.',
      received: `${this} in an expression`,
      hint: 'use ops: add(x, 1), greater(x, 0), where(condition, a, b). Read a number by `await x.item()`.',
    });
  }

  toString(): string {
    const history = this.kerasHistory;
    const maker = history ? `, made by ${history.operation.name}` : '';
    return `Tensor ${formatSpec(this)}${this.name ? ` '${this.name}'` : ''}${maker}`;
  }
}

/** Returns what is recorded about a tensor at which a history ends. */
export function sourceOf(tensor: Tensor): SourceTensor {
  const node = tensor.kerasHistory?.node;
  return {
    id: tensor.id,
    spec: formatSpec(tensor),
    name: tensor.name,
    operation: node?.operation.name,
    node: node ? new WeakRef(node) : undefined,
  };
}

/** Creates a tensor on `storage`, freed with the current scope. Takes over one reference. */
export function makeTensor(device: Device, storage: Storage, spec: TensorSpec, origin: Origin): Tensor {
  const made = new Tensor(device, storage, spec, origin);
  track(made);
  return made;
}

/** Returns a second handle on `tensor` with the same id, outside all scopes; tapes save these. */
export function alias(tensor: Tensor): Tensor {
  const second = tensor.duplicate();
  second.name = tensor.name;
  second.watchDrop();
  return second;
}

function notConstructed(): ValueError {
  return new ValueError({
    op: 'Tensor',
    rule: 'tensors are made by functions.',
    received: 'new Tensor()',
    hint: 'call tensor(values).',
  });
}

function viewOf(bytes: ArrayBuffer, dtype: DType, size: number): TypedData {
  if (dtype === 'float32') return new Float32Array(bytes, 0, size);
  if (dtype === 'int32') return new Int32Array(bytes, 0, size);
  if (dtype === 'float16') return Float32Array.from(new Uint16Array(bytes, 0, size), float16ToNumber);
  const words = new Uint32Array(bytes, 0, size);
  return dtype === 'uint32' ? words : Uint8Array.from(words);
}

function nest(data: TypedData, shape: Shape): NestedArray {
  let next = 0;
  const build = (axis: number): NestedArray => {
    if (axis === shape.length) return data[next++] as number;
    return Array.from({ length: shape[axis] as number }, () => build(axis + 1));
  };
  return build(0);
}
