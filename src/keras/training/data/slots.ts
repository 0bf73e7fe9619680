/** @file Data slots: the inputs and outputs of a model, and the matching of data to them. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { HostArray } from '../../../tensor/create.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';
import { flatRecord, isRecord } from '../perOutput.ts';

/** Numbers, booleans and typed arrays, nested at any depth. */
export type NestedValues = number | boolean | HostArray | readonly NestedValues[];

/** The data of one input or output. The first axis is the samples. */
export type Values = Tensor | HostArray | readonly NestedValues[];

/** Data of all inputs or all outputs: for several, an array in order or a record by name. */
export type Data = Values | readonly Values[] | DataRecord;

/** Data by name; those of outputs inside a record are nested as they are. */
export interface DataRecord {
  readonly [name: string]: Values | readonly Values[] | DataRecord;
}

/** An input or output of a model. */
export interface Slot {
  readonly name: string;
  /** The first axis is the batch. */
  readonly shape: OpenShape;
  /** Dtype to which host values are converted. Undefined: keep theirs. */
  readonly dtype?: DType | undefined;
}

/** The inputs and outputs of a model; null if they are not known yet. */
export interface Slots {
  readonly inputs: readonly Slot[] | null;
  readonly outputs: readonly Slot[] | null;
}

/** Data for one slot, with their name in messages. A class, because plain objects are nests. */
export class Entry {
  constructor(
    readonly what: string,
    readonly values: Values,
    readonly slot: Slot | null,
  ) {}
}

/**
 * Returns the nest of `given` with an entry for each slot. If `slots` is null (unknown), an array is one array of values,
 * unless it contains tensors.
 * Errors: ValueError for invalid data.
 */
export function entriesOf(
  op: string,
  what: string,
  given: unknown,
  slots: readonly Slot[] | null,
): Nest<Entry> {
  if (isRecord(given)) {
    const flat = flatRecord(given, slots?.map(({ name }) => name) ?? []);
    const entries = Object.entries(flat).map(([name, values]) => {
      const slot = slots?.find((s) => s.name === name) ?? (slots?.length === 1 ? slots[0] : null) ?? null;
      return [name, entryOf(op, `${what}.${name}`, values, slot)];
    });
    return Object.fromEntries(entries);
  }
  if (Array.isArray(given) && startsWithValue(given) && isList(given, slots)) {
    return given.map((values, i) => entryOf(op, `${what}[${i}]`, values, slots?.[i] ?? null));
  }
  return entryOf(op, what, given, slots?.length === 1 ? (slots[0] as Slot) : null);
}

/** Returns whether an array contains the data of several slots, rather than rows of one. */
function isList(given: readonly unknown[], slots: readonly Slot[] | null): boolean {
  if (given.some((item) => item instanceof Tensor)) return true;
  const holdsValues = given.every((item) => Array.isArray(item) || ArrayBuffer.isView(item));
  return slots !== null && slots.length > 1 && slots.length === given.length && holdsValues;
}

/** Returns whether the first item of a list, if any, is not a hole: a list may consist of billions of holes. */
function startsWithValue(list: readonly unknown[]): boolean {
  return list.length === 0 || (list[0] !== undefined && list[0] !== null);
}

function entryOf(op: string, what: string, values: unknown, slot: Slot | null): Entry {
  if (isValues(values)) return new Entry(what, values, slot);
  throw new ValueError({
    op,
    rule: `\`${what}\` is a tensor, a typed array or nested arrays of numbers.`,
    received: `${what}: ${describe(values)}`,
    hint: 'pass arrays for several inputs, or a record by name. For batches pass a generator function.',
  });
}

function isValues(values: unknown): values is Values {
  if (values instanceof Tensor) return true;
  if (Array.isArray(values)) return startsWithValue(values);
  return ArrayBuffer.isView(values) && !(values instanceof DataView);
}

/** Returns the tensors in data. Host values can be long and are not searched. */
export function tensorsOf(data: unknown): Tensor[] {
  if (data instanceof Tensor) return [data];
  const parts = Array.isArray(data) ? data : isRecord(data) ? Object.values(data) : [];
  return parts.filter((part) => part instanceof Tensor);
}
