/** @file What a pickle of PyTorch holds once it is read: plain data, and descriptions of tensors. */
import type { Shape } from '../../core/shape.ts';
import type { NumberType } from '../numbers.ts';

export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Global
  | Storage
  | TensorView
  | readonly PickleValue[]
  | PickleMap;

/** A dictionary, ordered or not. */
export type PickleMap = Map<PickleValue, PickleValue>;

/** A name of Python's that the allow-list has. Nothing is imported or called. */
export class Global {
  constructor(
    readonly name: string,
    readonly meaning: Meaning,
  ) {}
}

/** What a name stands for. */
export type Meaning =
  /** Elements of a storage; null for bytes without a type. */
  | { readonly kind: 'storage'; readonly type: NumberType | null }
  | { readonly kind: 'dtype'; readonly type: NumberType }
  /** A class that is only mentioned. */
  | { readonly kind: 'class' }
  /** Builds a description from arguments; null where they are not those that PyTorch writes. */
  | { readonly kind: 'call'; readonly call: (args: readonly PickleValue[]) => PickleValue | undefined };

/** The memory of one or more tensors. */
export class Storage {
  constructor(
    readonly key: string,
    /** Null for bytes without a type. */
    readonly type: NumberType | null,
    /** Number of elements; of bytes where there is no type. */
    readonly count: number,
  ) {}
}

/** A tensor: some elements of a storage. */
export class TensorView {
  constructor(
    readonly storage: Storage,
    readonly type: NumberType,
    /** In elements, as strides. */
    readonly offset: number,
    readonly shape: Shape,
    readonly strides: readonly number[],
  ) {}
}
