/**
 * @file Attributes of a node in TensorFlow's GraphDef, as protobuf's JSON has them: numbers and dtypes also as strings, strings in
 * base64.
 */
import type { DType } from '../core/dtype.ts';
import { FormatError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';

/** Dtypes of tensors by TensorFlow's name and number. Wide integers are int32 in the files of TF.js. */
const dtypes: Readonly<Record<string, DType>> = {
  DT_FLOAT: 'float32',
  DT_DOUBLE: 'float32',
  DT_HALF: 'float32',
  DT_INT32: 'int32',
  DT_INT64: 'int32',
  DT_UINT8: 'int32',
  DT_INT8: 'int32',
  DT_UINT16: 'int32',
  DT_INT16: 'int32',
  DT_BOOL: 'bool',
};
const dtypeNumbers: Readonly<Record<number, string>> = {
  1: 'DT_FLOAT',
  2: 'DT_DOUBLE',
  3: 'DT_INT32',
  4: 'DT_UINT8',
  5: 'DT_INT16',
  6: 'DT_INT8',
  7: 'DT_STRING',
  9: 'DT_INT64',
  10: 'DT_BOOL',
  17: 'DT_UINT16',
  19: 'DT_HALF',
};

type Fields = Readonly<Record<string, unknown>>;

/** The sizes of a shape; null for an open one. */
export type OpenShape = readonly (number | null)[];

export class Attributes {
  /** `place` names the node, for errors. */
  constructor(
    private readonly given: Fields,
    readonly place: string,
  ) {}

  has(name: string): boolean {
    return Object.hasOwn(this.given, name);
  }

  number(name: string, fallback: number): number {
    const { i, f } = this.#fields(name);
    return i === undefined && f === undefined ? fallback : this.#numberOf(name, i ?? f);
  }

  boolean(name: string, fallback = false): boolean {
    const { b } = this.#fields(name);
    return b === undefined ? fallback : b === true;
  }

  text(name: string, fallback: string): string {
    const { s } = this.#fields(name);
    return s === undefined ? fallback : this.#textOf(name, s);
  }

  numbers(name: string): number[] {
    const { i, f } = this.#listOf(name);
    return this.#items(name, i ?? f).map((item) => this.#numberOf(name, item));
  }

  texts(name: string): string[] {
    return this.#items(name, this.#listOf(name).s).map((item) => this.#textOf(name, item));
  }

  /** The name of a function that the node calls. */
  functionName(name: string): string {
    const { func } = this.#fields(name);
    const named = isFields(func) ? func.name : func;
    return typeof named === 'string' ? named : this.#fail(name, 'it names a function', named);
  }

  /** Null for a dtype that no tensor has, such as that of strings. */
  dtype(name: string): DType | null {
    const { type } = this.#fields(name);
    const key = typeof type === 'number' ? dtypeNumbers[type] : type;
    return typeof key === 'string' && Object.hasOwn(dtypes, key) ? (dtypes[key] as DType) : null;
  }

  /** Null for any shape. */
  shape(name: string): OpenShape | null {
    const { shape } = this.#fields(name);
    if (!isFields(shape) || shape.unknownRank === true) return null;
    return this.#items(name, shape.dim).map((dim) => {
      const size = this.#numberOf(name, isFields(dim) ? (dim.size ?? 0) : dim);
      return size < 0 ? null : size;
    });
  }

  #fields(name: string): Fields {
    const found = this.has(name) ? this.given[name] : {};
    return isFields(found) ? found : this.#fail(name, 'it is an object', found);
  }

  #listOf(name: string): Fields {
    const { list = {} } = this.#fields(name);
    return isFields(list) ? list : this.#fail(name, 'it is a list', list);
  }

  #items(name: string, items: unknown): readonly unknown[] {
    if (items === undefined || items === null) return [];
    return Array.isArray(items) ? items : this.#fail(name, 'it is a list', items);
  }

  #numberOf(name: string, value: unknown): number {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return Number.isFinite(number) ? (number as number) : this.#fail(name, 'it is a finite number', value);
  }

  /** Text in base64, or the codes of its characters. */
  #textOf(name: string, value: unknown): string {
    try {
      if (typeof value === 'string') return atob(value);
      if (Array.isArray(value)) return String.fromCharCode(...value);
    } catch {
      // Fails below.
    }
    return this.#fail(name, 'it is text in base64', value);
  }

  #fail(name: string, rule: string, received: unknown): never {
    throw new FormatError({
      op: this.place,
      rule: `attribute '${name}': ${rule}.`,
      received: describe(received),
      hint: 'the file is damaged or not of TF.js: convert the model again.',
    });
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
