/**
 * @file Variable: a tensor whose values can be replaced. A leaf of every history.
 */
import type { AnyDType, DType } from '../core/dtype.ts';
import { DeviceError, DTypeError, ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames, refuseSurplus } from '../core/options.ts';
import { describe, hintFor, requireBoolean, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import type { StorageHolder } from '../webgpu/executor.ts';
import { type Storage, wholeWords } from '../webgpu/storage.ts';
import type { Origin } from '../history/origin.ts';
import { sourceOf, Tensor } from './tensor.ts';

/** Options of `variable`. */
export interface VariableOptions {
  /** A name for histories, error messages and files. Default: `variable`, numbered. */
  name?: string;
  /** Whether tapes watch it of their own accord. Default true. */
  trainable?: boolean;
}

const optionNames: OptionNames<VariableOptions> = { name: false, trainable: false };

/** A function of a weight, with what is needed to write it down: a regularizer, a constraint. */
export interface WeightFunction {
  readonly className: string;
  call(weight: Tensor): Tensor;
  getConfig(): Record<string, unknown>;
}

let unnamed = 0;
let made = { count: 0, bytes: 0 };

/** How many variables were made so far, and their bytes. Grows only. */
export function variablesMade(): { readonly count: number; readonly bytes: number } {
  return made;
}

/**
 * A tensor whose values can be replaced: `assign`, and steps of optimizers. Tapes watch it if it is trainable. `D` is its
 * dtype, as of `Tensor`.
 */
export class Variable<D extends DType = AnyDType> extends Tensor<D> implements StorageHolder {
  #trainable: boolean;
  /** What its values cost: a scalar that training adds to the loss. */
  regularizer: WeightFunction | null = null;
  /** What its values become after each step of an optimizer. */
  constraint: WeightFunction | null = null;

  /** Errors: DTypeError for float16 that would be trained. */
  constructor(initial: Tensor<D>, options: VariableOptions = {}) {
    if (!(initial instanceof Tensor)) throw noInitial(initial);
    checkOptions('variable', options, optionNames);
    const { name, trainable = true } = options;
    requireBoolean('variable', 'trainable', trainable);
    if (name !== undefined && typeof name !== 'string') throw notAName(name);
    if (trainable && initial.dtype === 'float16') throw tooCoarse(initial, name);
    super(initial.device, valuesOf(initial), initial, leaf(initial));
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

  /** Whether tapes watch it of their own accord, and training updates it. */
  get trainable(): boolean {
    return this.#trainable;
  }

  /** Errors: ValueError for what is no boolean. */
  set trainable(value: boolean) {
    requireBoolean('variable', 'trainable', value);
    this.#trainable = value;
  }

  /** Errors: DisposedError. */
  override get storage(): Storage {
    this.device.executor.touch(this);
    return super.storage;
  }

  /** For recordings. */
  get current(): Storage {
    return super.storage;
  }

  /** For recordings. */
  get label(): string {
    return this.name ?? 'variable';
  }

  /** For recordings: moves to another storage with the same values. */
  adopt(storage: Storage): void {
    this.replaceStorage(storage);
  }

  /** For dry runs. */
  snapshot(): () => void {
    const { current, origin } = this;
    // Held, but not shared: whether values are shared decides what launches do.
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
  }

  /** Where it belongs, such as `encoder/dense/kernel`: its name, as Keras writes paths. */
  get path(): string {
    return this.name ?? 'variable';
  }

  /**
   * Takes the values of `value`. Nothing is copied, except from a buffer that the app holds, and what a tape saved of the
   * old values stays as it was.
   * Errors: ShapeError, DTypeError where `value` has another spec; DisposedError; DeviceError.
   */
  assign(value: Tensor, ...surplus: never[]): this {
    refuseSurplus('assign', surplus, ['value']);
    this.requireAssignable(value);
    // A recording hears of the variable before it moves: what it had so far is its home.
    void this.storage;
    this.replaceStorage(valuesOf(value));
    this.origin = leaf(value);
    return this;
  }

  /** Throws what `assign(value)` would throw. */
  requireAssignable(value: Tensor): void {
    if (!(value instanceof Tensor)) throw notATensor(this, value);
    const parts = {
      op: 'assign',
      rule: 'a variable keeps its shape and dtype.',
      received: `${formatSpec(value)} for variable '${this.name}' ${formatSpec(this)}`,
      hint: 'reshape or cast the value, or make a new variable.',
    };
    if (!sameShape(value.shape, this.shape)) throw new ShapeError(parts);
    if (value.dtype !== this.dtype) throw new DTypeError(parts);
    if (value.device !== this.device) {
      throw new DeviceError({
        ...parts,
        rule: 'a variable and its new value live on one device.',
        hint: 'upload the value to the device of the variable.',
      });
    }
    requireStorage(this);
    requireStorage(value);
  }

  /**
   * A storage with the current values that may be written in place. Values that are shared (by a tape, by the tensor
   * last assigned) are copied first. For optimizer kernels.
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

/** A reference to the values of `tensor`; to a copy where the app may write to its buffer, since a variable's values are its own. */
function valuesOf({ storage, device, bytes }: Tensor): Storage {
  if (!storage.exposed || bytes === 0) return storage.retain();
  const copy = device.allocate(bytes, 'variable');
  device.copy(storage, copy, wholeWords(bytes));
  return copy;
}

/** Throws where `tensor` is disposed. A recording doesn't hear of it. */
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
    rule: 'the new value of a variable is a tensor.',
    received: `${describe(value)} for variable '${variable.name}' ${formatSpec(variable)}`,
    hint: hintFor(value, 'make one of it: v.assign(tensor(values)).'),
  });
}

function tooCoarse(initial: Tensor, name: string | undefined): DTypeError {
  return new DTypeError({
    op: 'variable',
    rule: 'what is trained is float32: steps are lost in the rounding of float16.',
    received: `${formatSpec(initial)}${name ? ` for '${name}'` : ''}`,
    hint: 'train a float32 variable and cast it where it is used, or pass { trainable: false }.',
  });
}

/** Values that a file brought stay marked as such: their variable has no training history, and can say why. */
function leaf(value: Tensor): Origin {
  const { origin } = value;
  if (origin.kind === 'loaded') return origin;
  return { kind: 'variable', from: origin.kind === 'fresh' ? undefined : sourceOf(value) };
}

/** A variable that starts with the values of `initial`, which stays usable on its own. */
export function variable<D extends DType>(initial: Tensor<D>, options?: VariableOptions): Variable<D> {
  return new Variable(initial, options);
}
