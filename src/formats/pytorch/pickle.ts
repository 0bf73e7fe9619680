/**
 * @file Reads a pickle as data. The virtual machine of pickles can import and call anything; this one has the opcodes that
 * state dictionaries need, and a list of names (globals.ts). Everything else is rejected.
 * Opcodes: https://github.com/python/cpython/blob/main/Lib/pickletools.py.
 */
import { ByteFields } from '../byteFields.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { UnsafeModelError } from '../../core/errors.ts';
import { findGlobal } from './globals.ts';
import { Global, type PickleMap, type PickleValue, Storage, TensorView } from './values.ts';

interface Place {
  readonly context: FileContext;
  readonly place: string;
}

/** Limit of the bytes of an integer; the longest that is needed, the magic number, has ten. */
const maxIntegerBytes = 16;
const maxNameBytes = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a pickle, read one argument after the other. */
class PickleBytes extends ByteFields {
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    begin: number,
    private readonly from: Place,
  ) {
    super(bytes, begin);
  }

  i32(): number {
    return this.view.getInt32(this.advance(4), true);
  }

  u64(): number {
    return Number(this.view.getBigUint64(this.advance(8), true));
  }

  f64(): number {
    return this.view.getFloat64(this.advance(8), false);
  }

  /** Reads a two's complement integer, little-endian. */
  integer(length: number): number | bigint {
    if (length > maxIntegerBytes)
      throw this.#invalid(`integers have at most ${maxIntegerBytes} bytes.`, `${length}`);
    const begin = this.advance(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = value * 256n + BigInt(this.bytes[begin + i] as number);
    const signed = BigInt.asIntN(8 * length, value);
    const number = Number(signed);
    return Number.isSafeInteger(number) ? number : signed;
  }

  text(length: number): string {
    const begin = this.advance(length);
    try {
      return utf8.decode(this.bytes.subarray(begin, begin + length));
    } catch {
      throw this.#invalid('strings are UTF-8.', 'other bytes');
    }
  }

  latin1(length: number): string {
    const begin = this.advance(length);
    return String.fromCharCode(...this.bytes.subarray(begin, begin + length));
  }

  /** Text to the end of the line. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.position);
    if (end < 0 || end - this.position > maxNameBytes)
      throw this.#invalid(`a name ends after at most ${maxNameBytes} bytes.`, 'no end');
    const line = this.text(end - this.position);
    this.position = end + 1;
    return line;
  }

  protected override missing(): Error {
    return this.#invalid('a pickle ends with its last operation.', 'the end of the bytes');
  }

  #invalid(rule: string, received: string): Error {
    const { context, place } = this.from;
    return fault(context, { place: `${place}, byte ${this.position}`, rule, received });
  }
}

export interface PickleOptions {
  readonly context: FileContext;
  /** Where the pickle is, for errors. */
  readonly place: string;
  /** The largest number of opcodes. Default 4 million. */
  readonly operations?: number | undefined;
  /** Resolves a reference to something outside of the pickle to a storage; undefined if there is none. */
  readonly storage?: (id: readonly PickleValue[]) => Storage | undefined;
}

/** Enough opcodes for a dictionary of 100,000 tensors. */
const maxOperations = 4_000_000;

/** Returns the value of the pickle in `bytes` from `begin` on, and where it ends. Errors: FormatError, UnsafeModelError. */
export function readPickle(
  bytes: Uint8Array<ArrayBuffer>,
  options: PickleOptions,
  begin = 0,
): { value: PickleValue; end: number } {
  return new Machine(new PickleBytes(bytes, begin, options), options).run();
}

class Machine {
  readonly #stack: PickleValue[] = [];
  /** Lengths of the stack at marks. */
  readonly #marks: number[] = [];
  readonly #memo = new Map<number, PickleValue>();

  constructor(
    private readonly bytes: PickleBytes,
    private readonly options: PickleOptions,
  ) {}

  run(): { value: PickleValue; end: number } {
    const limit = this.options.operations ?? maxOperations;
    for (let count = 0; count < limit; count++) {
      const opcode = this.bytes.u8();
      if (opcode === stop) return { value: this.#pop(), end: this.bytes.position };
      const operation = operations.get(opcode);
      if (!operation) throw this.unsafe(`opcode 0x${opcode.toString(16).padStart(2, '0')}`);
      operation(this, this.bytes);
    }
    throw this.invalid(`a pickle has at most ${limit} operations.`, 'more of them');
  }

  push(value: PickleValue): void {
    this.#stack.push(value);
  }

  #pop(): PickleValue {
    const value = this.#stack.pop();
    if (value === undefined || this.#stack.length < (this.#marks.at(-1) ?? 0))
      throw this.invalid('operations find what they need on the stack.', 'an empty stack');
    return value;
  }

  drop(): void {
    if (this.#marks.at(-1) === this.#stack.length) this.#marks.pop();
    else this.#pop();
  }

  mark(): void {
    this.#marks.push(this.#stack.length);
  }

  /** Pops the values since the last mark. */
  sinceMark(): PickleValue[] {
    const mark = this.#marks.pop();
    if (mark === undefined) throw this.invalid('a group of values starts with a mark.', 'none');
    return this.#stack.splice(mark);
  }

  /** Replaces the last `count` values by a tuple. */
  tuple(count: number): void {
    const items: PickleValue[] = [];
    for (let i = 0; i < count; i++) items.unshift(this.#pop());
    this.push(items);
  }

  remember(index: number): void {
    const value = this.#pop();
    this.#memo.set(index, value);
    this.push(value);
  }

  rememberNext(): void {
    this.remember(this.#memo.size);
  }

  recall(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined)
      throw this.invalid('a value is kept before it is used again.', `number ${index}`);
    this.push(value);
  }

  append(items: readonly PickleValue[]): void {
    const list = this.#pop();
    if (!Array.isArray(list)) throw this.invalid('items are added to a list.', typeName(list));
    for (const item of items) list.push(item);
    this.push(list);
  }

  appendOne(): void {
    this.append([this.#pop()]);
  }

  /** `items` are alternating keys and values. */
  setItems(items: readonly PickleValue[]): void {
    const map = this.#popMap('items are set in a dictionary.');
    if (items.length % 2 !== 0) throw this.invalid('each key has a value.', 'a key without one');
    for (let i = 0; i < items.length; i += 2) map.set(items[i] as PickleValue, items[i + 1] as PickleValue);
    this.push(map);
  }

  setItem(): void {
    const value = this.#pop();
    this.setItems([this.#pop(), value]);
  }

  /** Drops the attributes of an ordered dictionary, which hold the versions of the modules that it comes from. */
  ignoreState(): void {
    this.#pop();
    const object = this.#pop();
    if (!(object instanceof Map)) throw this.unsafe(`the state of ${typeName(object)}`);
    this.push(object);
  }

  #popMap(rule: string): PickleMap {
    const map = this.#pop();
    if (map instanceof Map) return map;
    throw this.invalid(rule, typeName(map));
  }

  /** Errors: UnsafeModelError for names that are not on the list. */
  global(module: string, name: string): void {
    const full = `${module}.${name}`;
    const found = findGlobal(full);
    if (!found) throw this.unsafe(`'${printable(full)}'`);
    this.push(found);
  }

  globalOnStack(): void {
    const name = this.#pop();
    const module = this.#pop();
    if (typeof name !== 'string' || typeof module !== 'string')
      throw this.invalid('a name and its module are strings.', typeName(name));
    this.global(module, name);
  }

  /** Builds the description of the object that a call would create. */
  reduce(): void {
    const args = this.#pop();
    const callee = this.#pop();
    if (!(callee instanceof Global) || callee.meaning.kind !== 'call')
      throw this.unsafe(`a call of ${callee instanceof Global ? `'${callee.name}'` : typeName(callee)}`);
    const made = Array.isArray(args) ? callee.meaning.call(args) : undefined;
    if (made === undefined)
      throw this.invalid(`'${callee.name}' has the arguments that PyTorch gives it.`, 'other arguments');
    this.push(made);
  }

  storage(): void {
    const id = this.#pop();
    const found = Array.isArray(id) ? this.options.storage?.(id) : undefined;
    if (!found)
      throw this.invalid("a storage is ('storage', type, key, device, elements).", 'another reference');
    this.push(found);
  }

  invalid(rule: string, received: string): Error {
    const { context, place } = this.options;
    return fault(context, { place: `${place}, byte ${this.bytes.position}`, rule, received });
  }

  unsafe(received: string): UnsafeModelError {
    const { context, place } = this.options;
    return new UnsafeModelError({
      op: `${context.file} (${context.format})`,
      rule: 'a file contains only tensors: nothing in it is imported, created or called.',
      received: `${received}, at ${place}, byte ${this.bytes.position}`,
      hint: 'save only the weights: torch.save(model.state_dict(), path), or as safetensors.',
    });
  }
}

type Operation = (machine: Machine, bytes: PickleBytes) => void;

const stop = 0x2e;

const operations: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [0x80, (machine, bytes) => requireProtocol(machine, bytes.u8())],
  // FRAME: its length isn't needed.
  [0x95, (_, bytes) => void bytes.u64()],
  [0x28, (machine) => machine.mark()],
  [0x30, (machine) => machine.drop()],
  [0x31, (machine) => void machine.sinceMark()],
  [0x4e, (machine) => machine.push(null)],
  [0x88, (machine) => machine.push(true)],
  [0x89, (machine) => machine.push(false)],
  [0x4b, (machine, bytes) => machine.push(bytes.u8())],
  [0x4d, (machine, bytes) => machine.push(bytes.u16())],
  [0x4a, (machine, bytes) => machine.push(bytes.i32())],
  [0x8a, (machine, bytes) => machine.push(bytes.integer(bytes.u8()))],
  [0x47, (machine, bytes) => machine.push(bytes.f64())],
  [0x55, (machine, bytes) => machine.push(bytes.latin1(bytes.u8()))],
  [0x8c, (machine, bytes) => machine.push(bytes.text(bytes.u8()))],
  [0x58, (machine, bytes) => machine.push(bytes.text(bytes.u32()))],
  [0x8d, (machine, bytes) => machine.push(bytes.text(bytes.u64()))],
  [0x5d, (machine) => machine.push([])],
  [0x29, (machine) => machine.push([])],
  [0x7d, (machine) => machine.push(new Map())],
  [0x74, (machine) => machine.push(machine.sinceMark())],
  [0x85, (machine) => machine.tuple(1)],
  [0x86, (machine) => machine.tuple(2)],
  [0x87, (machine) => machine.tuple(3)],
  [0x61, (machine) => machine.appendOne()],
  [0x65, (machine) => machine.append(machine.sinceMark())],
  [0x73, (machine) => machine.setItem()],
  [0x75, (machine) => machine.setItems(machine.sinceMark())],
  [0x68, (machine, bytes) => machine.recall(bytes.u8())],
  [0x6a, (machine, bytes) => machine.recall(bytes.u32())],
  [0x71, (machine, bytes) => machine.remember(bytes.u8())],
  [0x72, (machine, bytes) => machine.remember(bytes.u32())],
  [0x94, (machine) => machine.rememberNext()],
  [0x63, (machine, bytes) => machine.global(bytes.line(), bytes.line())],
  [0x93, (machine) => machine.globalOnStack()],
  [0x52, (machine) => machine.reduce()],
  [0x81, (machine) => machine.reduce()],
  [0x62, (machine) => machine.ignoreState()],
  [0x51, (machine) => machine.storage()],
]);

function requireProtocol(machine: Machine, protocol: number): void {
  if (protocol >= 2 && protocol <= 5) return;
  throw machine.invalid('pickles are of protocol 2 to 5.', `protocol ${protocol}`);
}

function typeName(value: PickleValue): string {
  if (value === null) return 'None';
  if (value instanceof Global) return `'${value.name}'`;
  if (value instanceof Storage) return 'a storage';
  if (value instanceof TensorView) return 'a tensor';
  if (value instanceof Map) return 'a dictionary';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** Returns a name in a form that is safe to print in an error. */
function printable(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > 100 ? `${plain.slice(0, 100)}…` : plain;
}
