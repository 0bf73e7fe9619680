/**
 * @file Variable: a tensor whose values can be replaced. A leaf of every history.
 */
import type { AnyDType, DType } from '../core/dtype.ts';
import { DeviceError, DTypeError, ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../core/options.ts';
import { describe, hintFor, requireBoolean, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { noteTrainableRead, noteTrainableSet } from '../core/trainableReads.ts';
import type { StorageHolder } from '../webgpu/executor.ts';
import { type Storage, wholeWords } from '../webgpu/storage.ts';
import type { Origin } from '../history/origin.ts';
import { sourceOf, Tensor } from './tensor.ts';
import { noteUse } from './variableObservers.ts';

export interface VariableOptions {
  /** A name for histories, error messages and files. Default: `variable`, numbered. */
  name?: string;
  /** Whether tapes watch it automatically. Default true. */
  trainable?: boolean;
}

const optionNames: OptionNames<VariableOptions> = { name: false, trainable: false };

/** A serializable function of a weight: a regularizer or a constraint. */
export interface WeightFunction {
  readonly className: string;
  call(weight: Tensor): Tensor;
  getConfig(): Record<string, unknown>;
}

let unnamed = 0;
let made = { count: 0, bytes: 0 };

/** Returns how many variables were made so far, and their bytes. Never decreases. */
export function variablesMade(): { readonly count: number; readonly bytes: number } {
  return made;
}

/**
 * A tensor whose values can be replaced, by `assign` and by optimizer steps. Tapes watch it if it is trainable. `D` is its
 * dtype, as for `Tensor`.
 */
export class Variable<D extends DType = AnyDType> extends Tensor<D> implements StorageHolder {
  #trainable: boolean;
  /** Computes a penalty: a scalar that training adds to the loss. */
  regularizer: WeightFunction | null = null;
  /** Maps its values to new ones after each optimizer step. */
  constraint: WeightFunction | null = null;

  /** Errors: DTypeError for trainable float16. */
  constructor(initial: Tensor<D>, options: VariableOptions = {}) {
    if (!(initial instanceof Tensor)) throw noInitial(initial);
    checkOptions('variable', options, optionNames);
    const { name, trainable = true } = options;
    requireBoolean('variable', 'trainable', trainable);
    if (name !== undefined && typeof name !== 'string') throw notAName(name);
    if (trainable && initial.dtype === 'float16') throw tooCoarse(initial, name);
    super(initial.device, valuesOf(initial), initial, leaf(initial));
    this.device.journal.held(this.current.buffer);
    this.watchDrop();
    this.name = name ?? `variable_${unnamed++}`;
    this.#trainable = trainable;
    made = { count: made.count + 1, bytes: made.bytes + this.bytes };
    try {
      this.device.executor.creating(this.name);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Whether tapes watch it automatically, and training updates it. */
  get trainable(): boolean {
    noteTrainableRead(this, this.#trainable);
    return this.#trainable;
  }

  /** Errors: ValueError unless it is a boolean. */
  set trainable(value: boolean) {
    requireBoolean('variable', 'trainable', value);
    noteTrainableSet(this);
    this.#trainable = value;
  }

  /** Errors: DisposedError. */
  override get storage(): Storage {
    this.device.executor.touch(this);
    noteUse(this);
    return super.storage;
  }

  /**
   * For recordings.
   * @internal
   */
  get current(): Storage {
    return super.storage;
  }

  /**
   * For recordings.
   * @internal
   */
  get label(): string {
    return this.name ?? 'variable';
  }

  /**
   * For recordings: moves to another storage with the same values.
   * @internal
   */
  adopt(storage: Storage): void {
    this.replaceStorage(storage);
  }

  /**
   * For dry runs.
   * @internal
   */
  snapshot(): () => void {
    const { current, origin } = this;
    // Pinned rather than retained: a shared storage would change what is launched.
    current.pin();
    return () => {
      if (!this.disposed) {
        if (this.current !== current) super.replaceStorage(current.retain());
        this.origin = origin;
      }
      current.unpin();
    };
  }

  protected override replaceStorage(storage: Storage): void {
    this.device.executor.replacing(this);
    super.replaceStorage(storage);
    this.device.journal.held(storage.buffer);
  }

  /** Its name as a path, as Keras writes it, such as `encoder/dense/kernel`. */
  get path(): string {
    return this.name ?? 'variable';
  }

  /**
   * Replaces the values by those of `value`. Nothing is copied, except from a buffer that the app owns. Old values saved by a
   * tape are unchanged.
   * Errors: ShapeError, DTypeError if `value` has another spec; DisposedError; DeviceError.
   */
  assign(value: Tensor, ...extra: never[]): this {
    rejectExtraArguments('assign', extra, ['value']);
    // A layer that keeps a state infers the shapes of its outputs: there are no values.
    if ((value as { isTraced?: boolean } | null)?.isTraced) return this;
    this.requireAssignable(value);
    // Touch the storage first, so that a recording takes the current one as the variable's slot.
    void this.storage;
    this.replaceStorage(valuesOf(value));
    this.origin = leaf(value);
    return this;
  }

  /**
   * Throws what `assign(value)` would throw.
   * @internal
   */
  requireAssignable(value: Tensor): void {
    if (!(value instanceof Tensor)) throw notATensor(this, value);
    const parts = {
      op: 'assign',
      rule: 'a variable keeps its shape and dtype.',
      received: `${formatSpec(value)} for variable '${this.name}' ${formatSpec(this)}`,
      hint: 'reshape or cast it.',
    };
    if (!sameShape(value.shape, this.shape)) throw new ShapeError(parts);
    if (value.dtype !== this.dtype) throw new DTypeError(parts);
    if (value.device !== this.device) {
      throw new DeviceError({
        ...parts,
        rule: 'a variable and its new value live on one device.',
        hint: 'upload the value there.',
      });
    }
    requireStorage(this);
    requireStorage(value);
  }

  /**
   * Returns a storage with the current values that may be written in place. Values that are shared (by a tape, by the tensor
   * last assigned) are copied first. For optimizer kernels.
   * @internal
   */
  writableStorage(): Storage {
    const { storage, device } = this;
    if (storage.exclusive) return storage;
    const copy = device.allocate(this.bytes, this.name ?? 'variable');
    device.copy(storage, copy, wholeWords(this.bytes));
    this.replaceStorage(copy);
    return copy;
  }
}

/** Returns a reference to the values of `tensor`, or to a copy if the app may write to its buffer. */
function valuesOf({ storage, device, bytes }: Tensor): Storage {
  if (!storage.exposed || bytes === 0) return storage.retain();
  const copy = device.allocate(bytes, 'variable');
  device.copy(storage, copy, wholeWords(bytes));
  return copy;
}

/** Throws if `tensor` is disposed of; otherwise doesn't touch the storage, which a recording would notice. */
function requireStorage(tensor: Tensor): void {
  if (tensor.disposed) void tensor.storage;
}

function noInitial(initial: unknown): ValueError {
  return new ValueError({
    op: 'variable',
    rule: 'a variable starts as a tensor.',
    received: describe(initial),
    hint: hintFor(initial, 'make one of it: variable(tensor(values)).'),
  });
}

function notAName(name: unknown): ValueError {
  return new ValueError({
    op: 'variable',
    rule: '`name` is a string.',
    received: `name: ${describe(name)}`,
    hint: 'leave it out for a numbered name.',
  });
}

function notATensor(variable: Variable, value: unknown): ValueError {
  return new ValueError({
    op: 'assign',
    rule: 'it assigns a tensor.',
    received: `${describe(value)} for variable '${variable.name}' ${formatSpec(variable)}`,
    hint: hintFor(value, 'make one of it: v.assign(tensor(values)).'),
  });
}

function tooCoarse(initial: Tensor, name: string | undefined): DTypeError {
  return new DTypeError({
    op: 'variable',
    rule: 'trainable variables are float32: float16 loses small steps.',
    received: `${formatSpec(initial)}${name ? ` for '${name}'` : ''}`,
    hint: 'train a float32 variable and cast it, or pass { trainable: false }.',
  });
}

/** Values loaded from a file stay marked as loaded, so that the variable can explain why it has no training history. */
function leaf(value: Tensor): Origin {
  const { origin } = value;
  if (origin.kind === 'loaded') return origin;
  return { kind: 'variable', from: origin.kind === 'fresh' ? undefined : sourceOf(value) };
}

/** Creates a variable that starts with the values of `initial`, which remains a separate tensor. */
export function variable<D extends DType>(initial: Tensor<D>, options?: VariableOptions): Variable<D> {
  return new Variable(initial, options);
}
