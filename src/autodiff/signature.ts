/**
 * @file The signature of a call: everything about its arguments that decides which launches it makes. Calls with one
 * signature may replay one recording, so two calls that could differ must never have the same.
 */
import { itemsOf } from '../core/nest.ts';
import { formatSpec } from '../core/spec.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { isSymbolic } from '../ops/define/recorders.ts';
import type { Device } from '../webgpu/device.ts';

export interface CallSignature {
  /** Equal for two calls if and only if the same recording can replay both (on the same device). */
  readonly text: string;
  /**
   * The tensors to rebind at each replay, without duplicates: those in the arguments in order of appearance, each followed
   * by its attachment (a mask), if it has one.
   */
  readonly inputs: readonly Tensor[];
  /** All tensors in the arguments, variables included. */
  readonly tensors: readonly Tensor[];
  /** Objects of classes in the arguments, including `this`: compared by identity, regardless of their fields. */
  readonly objects: readonly object[];
  /** Why such calls can't be captured; null if they can. */
  readonly obstacle: string | null;
}

/** Returns the signature of `fn.apply(self, args)`. */
export function signatureOf(self: unknown, args: readonly unknown[]): CallSignature {
  const writer = new SignatureWriter();
  const parts = args.map((arg, i) => writer.encode(arg, `argument ${i}`));
  // `this` comes first if there is one, as for methods.
  if (self !== undefined) parts.unshift(`this ${writer.encode(self, 'this')}`);
  return {
    text: parts.join(', '),
    inputs: writer.inputs,
    tensors: writer.tensors,
    objects: writer.objects,
    obstacle: writer.obstacle,
  };
}

/** Identifies a device in keys. */
export function deviceKey(device: Device): string {
  return `device ${identityOf(device)}`;
}

class SignatureWriter {
  readonly inputs: Tensor[] = [];
  readonly tensors: Tensor[] = [];
  readonly objects: object[] = [];
  obstacle: string | null = null;

  /** Returns `value` as text. Containers are bracketed and strings quoted, so that different values have different texts. */
  encode(value: unknown, path: string, depth = 0): string {
    if (typeof value !== 'object' || value === null) return encodePrimitive(value);
    const nest = itemsOf(value, path, depth);
    if (nest?.kind === 'list') {
      const { items, holes } = nest;
      const itemAt = (i: number) => this.encode(items[i], `${path}[${i}]`, depth + 1);
      return `[${items.map((_, i) => (holes.has(i) ? 'hole' : itemAt(i))).join(', ')}]`;
    }
    if (nest) {
      const entries = nest.entries.map(
        ([key, item]) =>
          `${encodePropertyKey(key)}: ${this.encode(item, `${path}.${String(key)}`, depth + 1)}`,
      );
      return `{${entries.join(', ')}}`;
    }
    if (value instanceof Tensor) return this.#encodeTensor(value);
    if (isSymbolic(value)) this.obstacle ??= 'an argument is a symbolic tensor, which has no values';
    const container = mutableContainer(value);
    if (container) {
      this.obstacle ??= `an argument is a ${container}, whose contents may change between calls: pass tensors, arrays or plain objects`;
      return container;
    }
    this.objects.push(value);
    return `object ${identityOf(value)}`;
  }

  #encodeTensor(tensor: Tensor): string {
    this.tensors.push(tensor);
    if (tensor instanceof Variable) return `variable ${tensor.id}`;
    const { attachment } = tensor;
    const own = this.#encodeInput(tensor);
    return attachment ? `${own} with ${this.#encodeInput(attachment)}` : own;
  }

  /** Encodes a tensor. One that is passed twice is one input, since gradients and comparisons depend on it. */
  #encodeInput(tensor: Tensor): string {
    const known = this.inputs.indexOf(tensor);
    if (known >= 0) return `${known}`;
    return `${this.inputs.push(tensor) - 1}: ${formatSpec(tensor)}`;
  }
}

/** Strings are quoted: symbols aren't. */
function encodePropertyKey(key: string | symbol): string {
  return typeof key === 'string' ? JSON.stringify(key) : encodePrimitive(key);
}

export function encodePrimitive(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return `number ${Object.is(value, -0) ? '-0' : String(value)}`;
    case 'symbol':
      return `symbol ${symbolIdentity(value)}`;
    case 'function':
      return `function ${identityOf(value)}`;
    default:
      return value === null ? 'null' : `${typeof value} ${String(value)}`;
  }
}

/** Returns the visible fields of `objects` that hold primitive values or tensors, as text that changes if any of them does. */
export function fieldsOf(objects: readonly object[]): string {
  const show = (value: unknown) => (value instanceof Tensor ? `tensor ${value.id}` : encodePrimitive(value));
  const isShown = (value: unknown) =>
    value instanceof Tensor || (typeof value !== 'function' && (typeof value !== 'object' || value === null));
  const fieldsIn = (object: object) => {
    try {
      return Object.entries(object)
        .filter(([, value]) => isShown(value))
        .map(([key, value]) => `${key} ${show(value)}`)
        .join();
    } catch {
      // A Proxy or a getter that throws shows nothing.
      return '';
    }
  };
  return objects.map(fieldsIn).join(';');
}

/** Returns the class of a built-in container that keeps its identity while its contents change; null for other objects. */
function mutableContainer(value: object): string | null {
  if (ArrayBuffer.isView(value)) return value.constructor.name;
  const isContainer = [Map, Set, Date, ArrayBuffer].some((type) => value instanceof type);
  return isContainer || Object.prototype.toString.call(value) === '[object SharedArrayBuffer]'
    ? value.constructor.name
    : null;
}

/** Objects of classes and functions are compared by identity. */
const identities = new WeakMap<object, number>();
const symbolIdentities = new Map<symbol, number>();
let nextIdentity = 1;

export function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  identities.set(value, nextIdentity);
  return nextIdentity++;
}

function symbolIdentity(value: symbol): number {
  const known = symbolIdentities.get(value);
  if (known !== undefined) return known;
  symbolIdentities.set(value, nextIdentity);
  return nextIdentity++;
}
